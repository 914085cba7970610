import fc from 'fast-check'

/** Generated edits that turn a valid body into an unexpected one. */

const LONG = 'x'.repeat(70_000)

/** Texts that often break programs. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    'a\u0000b',
    '\ud800',
    'x\udfff',
    '\u202e',
    '__proto__',
    'constructor',
    'null',
    "' or 1=1 --",
    '%00',
    '{{a}}',
    '{{{{a}}',
    '../../etc/passwd',
    '<script>',
    '1e999',
    LONG,
  ),
)

const hostileNumber: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, -0, -1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e308, -1e308, 5e-324, 0.1),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)

/** Any JSON value, including deeply nested ones and keys such as `__proto__`. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hostileText },
  { weight: 4, arbitrary: hostileNumber },
  { weight: 3, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { a: null }) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  { weight: 1, arbitrary: fc.integer({ min: 2, max: 200 }).map(nest) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty').map(withOwnKey) },
  { weight: 1, arbitrary: fc.array(fc.constant({ type: 'end_call', name: 'x' }), { minLength: 2, maxLength: 150 }) },
)

function nest(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

/** Returns an object with an own property of any name, as a JSON parser does. */
function withOwnKey(name: string): unknown {
  return JSON.parse(`{${JSON.stringify(name)}: {"polluted": true}}`)
}

/** An edit at a path, whose numbers select a child modulo the number of children. */
interface Edit {
  readonly path: readonly number[]
  readonly kind: 'replace' | 'remove' | 'rename' | 'add' | 'swap-case'
  readonly key: string
  readonly value: unknown
}

const edit: fc.Arbitrary<Edit> = fc.record({
  path: fc.array(fc.nat(20), { minLength: 1, maxLength: 5 }),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'rename', 'add', 'swap-case'),
  key: fc.oneof(hostileText, fc.constantFrom('workspaceId', 'version', 'agentId', 'status', 'create')),
  value: hostileValue,
})

/** Generates one to three edits of a valid JSON value. */
export const edits: fc.Arbitrary<readonly Edit[]> = fc.array(edit, { minLength: 1, maxLength: 3 })

export function applyEdits(value: unknown, changes: readonly Edit[]): unknown {
  return changes.reduce((current, change) => applyEdit(current, change, change.path), value)
}

function applyEdit(value: unknown, change: Edit, path: readonly number[]): unknown {
  const [step = 0, ...rest] = path
  if (typeof value !== 'object' || value === null) return change.value
  const keys = Object.keys(value)
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined || change.kind === 'add') return withKey(value, change.key, change.value)
  const old = (value as Record<string, unknown>)[key]
  if (rest.length > 0 && typeof old === 'object' && old !== null) {
    return withKey(value, key, applyEdit(old, change, rest))
  }
  if (change.kind === 'replace') return withKey(value, key, change.value)
  if (change.kind === 'swap-case') return withKey(value, swapNameCase(key), change.value)
  const { [key]: _left, ...others } = value as Record<string, unknown>
  return change.kind === 'remove' ? others : withKey(others, change.key, old)
}

function swapNameCase(key: string): string {
  return key.includes('_')
    ? key.replaceAll(/_(.)/g, (_all, letter: string) => letter.toUpperCase())
    : key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function withKey(value: object, key: string, item: unknown): unknown {
  if (Array.isArray(value))
    return Object.hasOwn(value, key) && key !== 'length'
      ? value.with(Number(key), item)
      : [...(value as unknown[]), item]
  return Object.fromEntries([...Object.entries(value), [key, item]])
}
