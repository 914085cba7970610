import type { QuickJSContext, QuickJSHandle, QuickJSRuntime } from 'quickjs-emscripten-core'
import type { SandboxInstance } from './sandbox-instance.ts'
import {
  createFailedOutcome,
  INPUT_TOO_LARGE,
  NEVER_FINISHED,
  OUT_OF_MEMORY,
  RESULT_TOO_LARGE,
  SANDBOX_LIMITS,
  type SandboxOutcome,
  type SandboxRequest,
  STOPPED,
} from './sandbox-protocol.ts'

/** File name of the customer's code in stack traces. */
const CODE_FILE = 'code'

/** Maximum length of the name, message and stack of an error that leaves the sandbox. */
const MAX_ERROR_CHARACTERS = 2000

/**
 * Runs inside the sandbox before the customer's code can change built-ins, and keeps references to the built-ins it needs.
 * Returns three functions: `read` (JSON to value), `render` (result to text) and `describe` (thrown value to JSON). The last
 * two can run customer code (getters, `toJSON`), within the limits of the run.
 */
const PRELUDE = `(function () {
  'use strict'
  const { parse, stringify } = JSON
  const toText = String
  const caller = Function.prototype.call
  const slice = caller.bind(String.prototype.slice)
  const includes = caller.bind(String.prototype.includes)
  const split = caller.bind(String.prototype.split)
  const join = caller.bind(Array.prototype.join)
  const ignore = () => {}
  globalThis.console = { log: ignore, info: ignore, warn: ignore, error: ignore, debug: ignore }

  const truncate = (value) => slice(toText(value), 0, ${MAX_ERROR_CHARACTERS})
  const readProperty = (get) => {
    try {
      const value = get()
      return value === undefined || value === null ? '' : truncate(value)
    } catch {
      return ''
    }
  }

  return {
    read: (source) => parse(source),
    render(value) {
      if (value === undefined || value === null) return ''
      const result = typeof value === 'string' ? value : stringify(value)
      if (result === undefined) return ''
      // U+0000 would end the text on its way out, and databases reject it.
      return includes(result, '\\0') ? join(split(result, '\\0'), '\\ufffd') : result
    },
    describe(thrown) {
      const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function'
      if (!isObject) return stringify({ __proto__: null, name: '', message: truncate(thrown), stack: '' })
      const name = readProperty(() => thrown.name)
      const message = readProperty(() => thrown.message)
      const stack = readProperty(() => thrown.stack)
      const displayedMessage = name === '' && message === '' ? readProperty(() => stringify(thrown)) : message
      return stringify({ __proto__: null, name, message: displayedMessage, stack })
    },
  }
})()`

/** Number of promise jobs between two checks whether the run must stop. */
const JOBS_PER_STEP = 100

/** A context for one run, which is discarded afterwards. */
interface Sandbox {
  readonly context: QuickJSContext
  readonly runtime: QuickJSRuntime
  /** Functions of the prelude. */
  readonly read: QuickJSHandle
  readonly render: QuickJSHandle
  readonly describe: QuickJSHandle
  readonly code: string
  readonly isStopped: () => boolean
  readonly hasGrown: () => boolean
}

/**
 * Runs code in an unused interpreter instance. The code cannot access functions of the host. Throws the instance's
 * error if the instance crashes.
 */
export function runInSandbox(
  instance: SandboxInstance,
  request: SandboxRequest,
  isStopped: () => boolean,
): SandboxOutcome {
  // The run timed out while the thread was starting.
  if (isStopped()) return STOPPED
  const runtime = instance.interpreter.newRuntime({
    memoryLimitBytes: SANDBOX_LIMITS.memoryBytes,
    maxStackSizeBytes: SANDBOX_LIMITS.stackBytes,
    interruptHandler: isStopped,
  })
  const context = runtime.newContext()
  const prelude = context.evalCode(PRELUDE, 'prelude', { type: 'global' }).unwrap()
  const [read, render, describe] = ['read', 'render', 'describe'].map((name) => context.getProp(prelude, name))
  if (read === undefined || render === undefined || describe === undefined) throw new Error('The prelude is broken.')
  const { code } = request
  const sandbox: Sandbox = { context, runtime, read, render, describe, code, isStopped, hasGrown: instance.hasGrown }
  const values = [request.variablesText, request.metadataText].map((text) =>
    context.callFunction(read, context.undefined, context.newString(text)),
  )
  if (values.some((value) => value.error !== undefined)) return INPUT_TOO_LARGE
  return runCode(
    sandbox,
    values.map((value) => value.unwrap()),
  )
}

function runCode(sandbox: Sandbox, values: readonly QuickJSHandle[]): SandboxOutcome {
  const { context } = sandbox
  // The wrapper starts on the first line of the code, which preserves line numbers. The last line can end in a comment.
  const source = `(async function (dv, metadata) {${sandbox.code}\n})`
  const compiled = context.evalCode(source, CODE_FILE, { type: 'global' })
  if (compiled.error !== undefined) return buildErrorOutcome(sandbox, compiled.error)
  const callResult = context.callFunction(compiled.value, context.undefined, ...values)
  if (callResult.error !== undefined) return buildErrorOutcome(sandbox, callResult.error)
  return waitForPromise(sandbox, callResult.value)
}

/** Runs promise jobs until the code's promise settles, no jobs are left, or the run is stopped. */
function waitForPromise(sandbox: Sandbox, promise: QuickJSHandle): SandboxOutcome {
  for (;;) {
    const state = sandbox.context.getPromiseState(promise)
    if (state.type === 'fulfilled') return buildResultOutcome(sandbox, state.value)
    if (state.type === 'rejected') return buildErrorOutcome(sandbox, state.error)
    if (sandbox.isStopped()) return STOPPED
    const jobsResult = sandbox.runtime.executePendingJobs(JOBS_PER_STEP)
    if (jobsResult.error !== undefined) return buildErrorOutcome(sandbox, jobsResult.error)
    if (jobsResult.value === 0) return NEVER_FINISHED
  }
}

function buildResultOutcome(sandbox: Sandbox, value: QuickJSHandle): SandboxOutcome {
  const { context } = sandbox
  const renderResult = context.callFunction(sandbox.render, context.undefined, value)
  if (renderResult.error !== undefined) return buildErrorOutcome(sandbox, renderResult.error)
  const length = context.getNumber(context.getProp(renderResult.value, 'length'))
  if (length > SANDBOX_LIMITS.resultBytes) return RESULT_TOO_LARGE
  const resultText = context.getString(renderResult.value)
  // Reading a text allocates memory in the sandbox. If this fails, the text is empty.
  if (resultText === '' && length > 0) return OUT_OF_MEMORY
  return Buffer.byteLength(resultText) > SANDBOX_LIMITS.resultBytes ? RESULT_TOO_LARGE : { ok: true, resultText }
}

function buildErrorOutcome(sandbox: Sandbox, error: QuickJSHandle): SandboxOutcome {
  const { context } = sandbox
  // The interpreter throws null if an error no longer fits into memory.
  if (sandbox.hasGrown() && context.eq(error, context.null)) return OUT_OF_MEMORY
  const descriptionResult = context.callFunction(sandbox.describe, context.undefined, error)
  if (descriptionResult.error === undefined) {
    return buildThrownOutcome(parseThrownError(context.getString(descriptionResult.value)), sandbox.code)
  }
  return sandbox.hasGrown() ? OUT_OF_MEMORY : buildThrownOutcome(null, sandbox.code)
}

/** Untrusted description of a thrown value from the sandbox. */
interface ThrownError {
  readonly name: string
  readonly message: string
  readonly stack: string
}

const MAX_NAME_CHARACTERS = 100
const MAX_MESSAGE_CHARACTERS = 1000

const INDESCRIBABLE_ERROR = createFailedOutcome('error', 'The code threw a value that cannot be described.')

/** Parses the sandbox's description of a thrown value. Returns null if the description is invalid. */
function parseThrownError(descriptionText: string): ThrownError | null {
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

/** Builds the outcome of code that threw, such as `TypeError: x is not a function (line 3)`. */
function buildThrownOutcome(thrown: ThrownError | null, code: string): SandboxOutcome {
  if (thrown === null) return INDESCRIBABLE_ERROR
  if (thrown.name === 'InternalError' && thrown.message === 'out of memory') return OUT_OF_MEMORY
  const message = sanitizeText(thrown.message, MAX_MESSAGE_CHARACTERS)
  const name = sanitizeText(thrown.name, MAX_NAME_CHARACTERS)
  if (name === '' && message === '') return INDESCRIBABLE_ERROR
  const line = findCodeLine(thrown.stack, code)
  return createFailedOutcome(
    'error',
    line === null ? formatError(name, message) : `${formatError(name, message)} (line ${line})`,
  )
}

function formatError(name: string, message: string): string {
  if (name === '') return `The code threw: ${message}`
  return message === '' ? name : `${name}: ${message}`
}

/**
 * Finds the first line number of the customer's code in a stack trace, starting at 1. Returns null if there is none.
 */
function findCodeLine(stack: string, code: string): number | null {
  const match = new RegExp(`\\b${CODE_FILE}:(\\d{1,7})`).exec(stack)
  if (match === null) return null
  // The interpreter reports an unexpected end of the code in the wrapper's closing line.
  return Math.min(Number(match[1]), code.split('\n').length)
}

function sanitizeText(text: string, maxCharacters: number): string {
  const wellFormedText = text.slice(0, maxCharacters).toWellFormed()
  return wellFormedText.replaceAll('\u0000', '\ufffd')
}
