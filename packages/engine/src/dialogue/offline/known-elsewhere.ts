import type { JsonValue } from '../../ports.ts'
import { trimEndMarks } from './cut-text.ts'
import { isAllowed } from './fill-arguments.ts'
import { type Field, isObject, wordsOf } from './schema-fields.ts'
import type { Situation } from './situation.ts'

const maximumNodes = 2_000
const maximumChars = 20_000

/** A value that stands under the name of the field in an earlier result or in the instructions; nothing is guessed from likeness. */
export function knownElsewhere(field: Field, { reading }: Situation): JsonValue | undefined {
  const name = wordsOf(field.path[field.path.length - 1] ?? '')
  if (name === '') return undefined
  const results = [...reading.freshResults.map(({ content }) => content).reverse(), ...reading.earlierResults]
  for (const content of results) {
    const value = fromResult(name, content)
    const fitting = value === undefined ? undefined : asType(field, value)
    if (fitting !== undefined) return fitting
  }
  const labelled = new RegExp(
    `(?:^|[\\n.;,])[ \\t>*-]*(?:the |(?:user|customer|caller|patient|guest)(?:'s)? )?${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(' ', '[\\s_-]?')}\\s*(?:is|:|=)\\s*["“]?([^\\n"”;,{}]{1,120}?)["”]?\\s*(?=[.;,]?(?:\\s|$))`,
    'i',
  )
  for (const system of reading.systems) {
    const found = trimEndMarks(labelled.exec(system.slice(-maximumChars))?.[1] ?? '', '.')?.trim()
    const fitting = found === undefined || found === '' ? undefined : asType(field, found)
    if (fitting !== undefined) return fitting
  }
  return undefined
}

function asType(field: Field, value: JsonValue): JsonValue | undefined {
  if (field.type === 'number' || field.type === 'integer') {
    const number =
      typeof value === 'number' ? value : Number(typeof value === 'string' && value !== '' ? value : Number.NaN)
    return Number.isFinite(number) && isAllowed(field, number) ? number : undefined
  }
  if (field.type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (field.type !== 'string' || typeof value === 'object' || value === null) return undefined
  const text = String(value)
  return isAllowed(field, text) ? text : undefined
}

/** The first value under this name, or under it and the name of what holds it: "booking id" is `id` in `booking`. */
function fromResult(name: string, content: string): JsonValue | undefined {
  let root: JsonValue
  try {
    root = JSON.parse(content.slice(0, maximumChars)) as JsonValue
  } catch {
    return undefined
  }
  const queue: { value: JsonValue; label: string; depth: number }[] = [{ value: root, label: '', depth: 0 }]
  for (let at = 0; at < queue.length && at < maximumNodes; at++) {
    const { value, label, depth } = queue[at] ?? { value: null, label: '', depth: 0 }
    if (depth > 8) continue
    if (Array.isArray(value)) {
      // Which of several is meant, nobody knows.
      if (value.length === 1) queue.push({ value: value[0] as JsonValue, label, depth: depth + 1 })
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        if (inner === undefined || queue.length > maximumNodes) continue
        const own = wordsOf(key)
        if (typeof inner !== 'object' && (own === name || `${label} ${own}`.trim() === name)) return inner
        queue.push({ value: inner, label: own, depth: depth + 1 })
      }
    }
  }
  return undefined
}
