/** Spellings of field names, which all have the same meaning. */
export const SPELLINGS = ['specified', 'snake', 'camel', 'kebab', 'alias'] as const
export type Spelling = (typeof SPELLINGS)[number]

/** Objects with custom keys. */
const FREE_FORM = new Set(['metadata', 'custom_attributes', 'override_dynamic_variables', 'custom_sip_headers'])

/** Parameter aliases; the first name is canonical. */
const ALIASES: Readonly<Record<string, string>> = {
  startDate: 'from',
  endDate: 'to',
  search: 'q',
  type: 'responseEngineType',
  limit: 'perPage',
}

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const toCamel = (name: string): string => name.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())

type Query = Readonly<Record<string, string | number>>

/** Renames query fields and keeps their values. */
export function spellQuery(query: Query, spelling: Spelling): Query {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [spellParameter(name, spelling), value]))
}

function spellParameter(name: string, spelling: Spelling): string {
  if (spelling === 'snake') return toSnake(name)
  if (spelling === 'kebab') return toSnake(name).replaceAll('_', '-')
  return spelling === 'alias' ? (ALIASES[name] ?? name) : name
}

/** Renames body fields at every depth except in objects with custom keys. */
export function spellBody(value: unknown, spelling: Spelling): unknown {
  if (spelling !== 'snake' && spelling !== 'camel') return value
  if (Array.isArray(value)) return value.map((item) => spellBody(item, spelling))
  if (typeof value !== 'object' || value === null) return value
  const spell = spelling === 'snake' ? toSnake : toCamel
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      spell(name),
      FREE_FORM.has(name) ? field : spellBody(field, spelling),
    ]),
  )
}

/** Spellings that differ for a request. */
export function spellingsOf(query: Query, body: object | undefined): readonly Spelling[] {
  const seen = new Set<string>()
  return SPELLINGS.filter((spelling) => {
    const spelled = JSON.stringify([spellQuery(query, spelling), spellBody(body, spelling)])
    if (seen.has(spelled)) return false
    seen.add(spelled)
    return true
  })
}
