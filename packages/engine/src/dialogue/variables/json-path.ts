import type { JsonValue } from '../../ports.ts'

/** One step into a value: a key of an object or an index of an array. */
export type JsonPathStep = string | number

/** Maximum number of steps, which limits the work on a hostile path. */
const STEP_LIMIT = 64

/** Maximum path length, the same as for stored paths in the contract. Names in templates have no limit. */
const PATH_LIMIT_CHARACTERS = 1_000

/** A bare key, up to the next dot or bracket. */
const KEY = /[^.[\]]+/y
/** An index, or a quoted key with backslash escapes. */
const BRACKET = /\[(?:(\d{1,9})|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]/sy

/**
 * Parses a JSON path of plain steps: `$.a.b[0].c`, `a.b[0]`, `$['a key']["b"]`. Returns `null` for wildcards, filters, slices,
 * empty steps, and more than 64 steps or 1,000 characters. Runs in linear time.
 */
export function parseJsonPath(path: string): JsonPathStep[] | null {
  const text = path.trim()
  const isRooted = text === '$' || text.startsWith('$.') || text.startsWith('$[')
  if ((!isRooted && text === '') || text.length > PATH_LIMIT_CHARACTERS) return null
  const steps: JsonPathStep[] = []
  let position = isRooted ? 1 : 0
  while (position < text.length) {
    if (steps.length === STEP_LIMIT) return null
    const isBracketed = text[position] === '['
    if (!isBracketed && position > 0) {
      if (text[position] !== '.') return null
      position += 1
    }
    const pattern = isBracketed ? BRACKET : KEY
    pattern.lastIndex = position
    const match = pattern.exec(text)
    if (match === null) return null
    steps.push(isBracketed ? parseBracketStep(match) : match[0])
    position = pattern.lastIndex
  }
  return steps
}

function parseBracketStep(match: RegExpExecArray): JsonPathStep {
  if (match[1] !== undefined) return Number(match[1])
  return (match[2] ?? match[3] ?? '').replaceAll(/\\(.)/gs, '$1')
}

/** Follows the steps through own properties, or returns `undefined` if the path does not exist. */
export function readJsonPath(value: JsonValue, steps: readonly JsonPathStep[]): JsonValue | undefined {
  let currentValue: JsonValue | undefined = value
  for (const step of steps) {
    if (typeof currentValue !== 'object' || currentValue === null) return undefined
    if (isArray(currentValue)) {
      const index: number = typeof step === 'number' ? step : /^\d{1,9}$/.test(step) ? Number(step) : -1
      currentValue = currentValue[index]
    } else {
      const key = String(step)
      currentValue = Object.hasOwn(currentValue, key) ? currentValue[key] : undefined
    }
  }
  return currentValue
}

/** Whether a value is an array. `Array.isArray` does not narrow read-only arrays. */
function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}
