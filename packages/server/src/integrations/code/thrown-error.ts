import { OUT_OF_MEMORY } from './sandbox-failures.ts'
import { CODE_FILE } from './sandbox-prelude.ts'
import { failed, type SandboxOutcome } from './sandbox-protocol.ts'

/** What the sandbox says of a thrown value. All of it is the customer's word. */
export interface ThrownError {
  readonly name: string
  readonly message: string
  readonly stack: string
}

const MAX_NAME_CHARACTERS = 100
const MAX_MESSAGE_CHARACTERS = 1000

const INDESCRIBABLE = failed('error', 'The code threw something that cannot be described.')

/** Reads what the sandbox says of a thrown value; null when it is not what the sandbox says. */
export function readThrownError(descriptionText: string): ThrownError | null {
  let description: unknown
  try {
    description = JSON.parse(descriptionText)
  } catch {
    return null
  }
  if (typeof description !== 'object' || description === null) return null
  const { name, message, stack } = description as Partial<Record<keyof ThrownError, unknown>>
  if (typeof name !== 'string' || typeof message !== 'string' || typeof stack !== 'string') return null
  return { name, message, stack }
}

/** The outcome of code that threw: `TypeError: x is not a function (line 3)`. */
export function outcomeOfThrown(thrown: ThrownError | null, code: string): SandboxOutcome {
  if (thrown === null) return INDESCRIBABLE
  if (thrown.name === 'InternalError' && thrown.message === 'out of memory') return OUT_OF_MEMORY
  const message = cleanText(thrown.message, MAX_MESSAGE_CHARACTERS)
  const name = cleanText(thrown.name, MAX_NAME_CHARACTERS)
  if (name === '' && message === '') return INDESCRIBABLE
  const line = lineOf(thrown.stack, code)
  return failed('error', line === null ? wordsOf(name, message) : `${wordsOf(name, message)} (line ${line})`)
}

function wordsOf(name: string, message: string): string {
  if (name === '') return `The code threw: ${message}`
  return message === '' ? name : `${name}: ${message}`
}

/** The topmost line of the customer's code in a stack, counted from 1. */
function lineOf(stack: string, code: string): number | null {
  const found = new RegExp(`\\b${CODE_FILE}:(\\d{1,7})`).exec(stack)
  if (found === null) return null
  // Code that ends too early is noticed in the line that closes it, which is ours.
  return Math.min(Number(found[1]), code.split('\n').length)
}

function cleanText(text: string, maxCharacters: number): string {
  const wellFormed = text.slice(0, maxCharacters).toWellFormed()
  return wellFormed.replaceAll('\u0000', '\ufffd')
}
