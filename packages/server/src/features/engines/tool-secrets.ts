import { STORED_VALUE } from '@parley/contract/secret-reference'
import { mapUrlValues } from './url-secrets.ts'

/** Finds the secrets in the tools and MCP servers of LLM configurations, conversation flows, flow components and tool trials. */

/** Where a secret is. */
export interface SecretLocation {
  /** For people, such as `general_tools[0].headers.Authorization`. */
  readonly path: string
  /** The list of the tool or MCP server, named by the ids around it, such as `nodes/greet/tools`. */
  readonly list: string
  readonly index: number
  /** The tool or MCP server itself, such as `tools/lookup`. */
  readonly owner: string
  /** The place within it, such as `headers/authorization/0`. */
  readonly slot: string
}

export type ChangeSecret = (value: string, location: SecretLocation) => string

type Fields = Readonly<Record<string, unknown>>

const LISTS = { general_tools: 'tools', tools: 'tools', mcps: 'mcps' } as const
const GROUPS = ['states', 'nodes', 'components'] as const
/** Objects whose values are secrets. */
const RECORDS = ['headers', 'query_params'] as const

/** A copy with every secret replaced by what `change` returns. Values that only name variables hold no secret. */
export function mapSecrets<Definition extends object>(definition: Definition, change: ChangeSecret): Definition {
  return mapGroup(definition as Fields, ROOT_SCOPE, (owner, { path, ...location }) =>
    mapOwner(owner, (value, slot, field) => change(value, { ...location, slot, path: `${path}.${field}` })),
  ) as Definition
}

/** The definition as answers show it. */
export function hideSecrets<Definition extends object>(definition: Definition): Definition {
  return mapSecrets(definition, () => STORED_VALUE)
}

/** Whether the text is or contains something that must not be shown. */
function containsSecret(value: string): boolean {
  const literal = withoutTemplates(withoutTemplates(value))
  if (literal === value) return value !== ''
  return !/^\s*(?:(?:basic|bearer|digest|token|key|api-?key|oauth)[\s:;,/|]*|[:;,/|][\s:;,/|]*)?$/i.test(literal)
}

/** Templates with a default stay: the default is a literal text. */
function withoutTemplates(text: string): string {
  return text.replaceAll(/\{\{[^{}|\n]+\}\}/g, '')
}

/** Addresses, headers and query parameters of all tools and MCP servers. */
export function toolTexts(definition: object): string[] {
  const texts: unknown[] = []
  mapGroup(definition as Fields, ROOT_SCOPE, (owner) => {
    const records = RECORDS.flatMap((name) => (isFields(owner[name]) ? Object.values(owner[name]) : []))
    texts.push(owner['url'], ...records)
    return owner
  })
  return texts.filter((text) => typeof text === 'string')
}

/** A tool or an MCP server at its place. */
type ChangeOwner = (owner: Fields, location: Omit<SecretLocation, 'slot'>) => Fields

interface ParentScope {
  readonly path: string
  readonly scope: string
}

const ROOT_SCOPE: ParentScope = { path: '', scope: '' }

function mapGroup(fields: Fields, { path, scope }: ParentScope, change: ChangeOwner): Fields {
  const result: Record<string, unknown> = { ...fields }
  for (const [name, kind] of Object.entries(LISTS)) {
    if (!Array.isArray(fields[name])) continue
    const list = `${scope}${name}`
    result[name] = mapList(fields[name], (one, index) =>
      change(one, { list, index, owner: `${kind}/${idOf(one, kind)}`, path: `${path}${name}[${index}]` }),
    )
  }
  const { tool } = fields
  if (isFields(tool)) {
    result['tool'] = change(tool, { list: 'tool', index: 0, owner: `tools/${idOf(tool, 'tools')}`, path: 'tool' })
  }
  for (const name of GROUPS) {
    if (!Array.isArray(fields[name])) continue
    result[name] = mapList(fields[name], (one, index) =>
      mapGroup(one, { path: `${path}${name}[${index}].`, scope: `${scope}${name}/${idOf(one, name)}/` }, change),
    )
  }
  return result
}

function mapList(list: readonly unknown[], map: (one: Fields, index: number) => Fields): unknown[] {
  return list.map((one, index) => (isFields(one) ? map(one, index) : one))
}

type ChangeValue = (value: string, slot: string, field: string) => string

/** A tool or an MCP server. */
function mapOwner(owner: Fields, change: ChangeValue): Fields {
  const result: Record<string, unknown> = { ...owner }
  const changeSecret: ChangeValue = (value, slot, field) => (containsSecret(value) ? change(value, slot, field) : value)
  for (const name of RECORDS) {
    const record = owner[name]
    if (!isFields(record)) continue
    const seen = new Map<string, number>()
    result[name] = Object.fromEntries(
      Object.entries(record).map(([key, value]) => {
        if (typeof value !== 'string') return [key, value]
        // Names of headers are not case-sensitive.
        const same = name === 'headers' ? key.toLowerCase() : key
        const count = seen.get(same) ?? 0
        seen.set(same, count + 1)
        return [key, changeSecret(value, `${name}/${same}/${count}`, `${name}.${key}`)]
      }),
    )
  }
  const { url, cal_api_key: key } = owner
  if (typeof url === 'string') {
    result['url'] = mapUrlValues(url, (value, slot) => changeSecret(value, `url/${slot}`, 'url'))
  }
  if (typeof key === 'string') result['cal_api_key'] = changeSecret(key, 'cal_api_key', 'cal_api_key')
  return result
}

const ID_FIELDS: Readonly<Record<string, readonly string[]>> = {
  tools: ['tool_id', 'name'],
  mcps: ['mcp_id', 'name'],
  states: ['name'],
  nodes: ['id'],
  components: ['component_id', 'id', 'name'],
}

function idOf(fields: Fields, kind: string): string {
  const field = ID_FIELDS[kind]?.find((name) => typeof fields[name] === 'string')
  return field === undefined ? '' : String(fields[field])
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
