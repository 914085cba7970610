import { STORED_VALUE } from '@parley/contract/secret-reference'

/** A secret's location in an LLM configuration, flow, flow component or tool test. */
export interface SecretLocation {
  /** Path for messages, such as `general_tools[0].headers.Authorization`. */
  readonly path: string
  /** Path of the list that contains the tool or MCP server, such as `nodes/greet/tools`. */
  readonly list: string
  readonly index: number
  /** The tool or MCP server, such as `tools/lookup`. */
  readonly owner: string
  /** Position within the tool or MCP server, such as `headers/authorization/0`. */
  readonly slot: string
}

type ChangeSecret = (value: string, location: SecretLocation) => string

type Fields = Readonly<Record<string, unknown>>

const LISTS = { general_tools: 'tools', tools: 'tools', mcps: 'mcps' } as const
const GROUPS = ['states', 'nodes', 'components'] as const
/** Objects with secret values. */
const RECORDS = ['headers', 'query_params'] as const

/** Returns a copy with every secret replaced by the result of `change`. Skips values that contain only variables. */
export function mapSecrets<Definition extends object>(definition: Definition, change: ChangeSecret): Definition {
  return mapGroup(definition as Fields, ROOT_SCOPE, (owner, { path, ...location }) =>
    mapOwner(owner, (value, slot, field) => change(value, { ...location, slot, path: `${path}.${field}` })),
  ) as Definition
}

/** Returns the definition for responses, with every secret hidden. */
export function hideSecrets<Definition extends object>(definition: Definition): Definition {
  return mapSecrets(definition, () => STORED_VALUE)
}

/** Whether the text contains a secret that must be hidden. */
function containsSecret(value: string): boolean {
  const literal = removeTemplates(removeTemplates(value))
  if (literal === value) return value !== ''
  return !/^\s*(?:(?:basic|bearer|digest|token|key|api-?key|oauth)[\s:;,/|]*|[:;,/|][\s:;,/|]*)?$/i.test(literal)
}

/** Removes templates from the text. Keeps templates with a default value, which may be a secret. */
function removeTemplates(text: string): string {
  return text.replaceAll(/\{\{[^{}|\n]+\}\}/g, '')
}

/** Returns the URLs, headers and query parameters of all tools and MCP servers. */
export function listToolTexts(definition: object): string[] {
  const texts: unknown[] = []
  mapGroup(definition as Fields, ROOT_SCOPE, (owner) => {
    const records = RECORDS.flatMap((name) => (isObject(owner[name]) ? Object.values(owner[name]) : []))
    texts.push(owner['url'], ...records)
    return owner
  })
  return texts.filter((text) => typeof text === 'string')
}

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
    result[name] = mapList(fields[name], (item, index) =>
      change(item, { list, index, owner: `${kind}/${findEntryId(item, kind)}`, path: `${path}${name}[${index}]` }),
    )
  }
  const { tool } = fields
  if (isObject(tool)) {
    result['tool'] = change(tool, {
      list: 'tool',
      index: 0,
      owner: `tools/${findEntryId(tool, 'tools')}`,
      path: 'tool',
    })
  }
  for (const name of GROUPS) {
    if (!Array.isArray(fields[name])) continue
    result[name] = mapList(fields[name], (item, index) =>
      mapGroup(
        item,
        { path: `${path}${name}[${index}].`, scope: `${scope}${name}/${findEntryId(item, name)}/` },
        change,
      ),
    )
  }
  return result
}

function mapList(list: readonly unknown[], map: (item: Fields, index: number) => Fields): unknown[] {
  return list.map((item, index) => (isObject(item) ? map(item, index) : item))
}

type ChangeValue = (value: string, slot: string, field: string) => string

function mapOwner(owner: Fields, change: ChangeValue): Fields {
  const result: Record<string, unknown> = { ...owner }
  const changeSecret: ChangeValue = (value, slot, field) => (containsSecret(value) ? change(value, slot, field) : value)
  for (const name of RECORDS) {
    const record = owner[name]
    if (!isObject(record)) continue
    const occurrences = new Map<string, number>()
    result[name] = Object.fromEntries(
      Object.entries(record).map(([key, value]) => {
        if (typeof value !== 'string') return [key, value]
        // Header names are case-insensitive.
        const normalizedName = name === 'headers' ? key.toLowerCase() : key
        const count = occurrences.get(normalizedName) ?? 0
        occurrences.set(normalizedName, count + 1)
        return [key, changeSecret(value, `${name}/${normalizedName}/${count}`, `${name}.${key}`)]
      }),
    )
  }
  const { url, cal_api_key: apiKey } = owner
  if (typeof url === 'string') {
    result['url'] = mapUrlValues(url, (value, slot) => changeSecret(value, `url/${slot}`, 'url'))
  }
  if (typeof apiKey === 'string') result['cal_api_key'] = changeSecret(apiKey, 'cal_api_key', 'cal_api_key')
  return result
}

const ID_FIELDS: Readonly<Record<string, readonly string[]>> = {
  tools: ['tool_id', 'name'],
  mcps: ['mcp_id', 'name'],
  states: ['name'],
  nodes: ['id'],
  components: ['component_id', 'id', 'name'],
}

function findEntryId(fields: Fields, kind: string): string {
  const field = ID_FIELDS[kind]?.find((name) => typeof fields[name] === 'string')
  return field === undefined ? '' : String(fields[field])
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Identifies a user, password or query value in a URL, such as `query/key/0`. URLs are parsed as text, because they may contain
 * templates.
 */
type UrlSlot = string

interface Span {
  readonly slot: UrlSlot
  readonly start: number
  readonly end: number
}

/** Replaces the user, password and query values of a URL. Skips empty values. */
function mapUrlValues(url: string, change: (value: string, slot: UrlSlot) => string): string {
  let result = ''
  let position = 0
  for (const { slot, start, end } of findSpans(hideTemplates(url))) {
    if (start === end) continue
    result += url.slice(position, start) + change(url.slice(start, end), slot)
    position = end
  }
  return result + url.slice(position)
}

/** Replaces templates with letters of the same length, so that their characters do not split the URL. */
function hideTemplates(url: string): string {
  return url.replaceAll(/\{\{[^{}\n]*(?:\{\{[^{}\n]*\}\}[^{}\n]*)?\}\}/g, (template) => 'x'.repeat(template.length))
}

function findSpans(url: string): Span[] {
  const fragmentIndex = url.indexOf('#')
  const end = fragmentIndex === -1 ? url.length : fragmentIndex
  const queryIndex = url.slice(0, end).indexOf('?')
  return [
    ...findUserSpans(url, queryIndex === -1 ? end : queryIndex),
    ...(queryIndex === -1 ? [] : findQuerySpans(url, queryIndex + 1, end)),
  ]
}

function findUserSpans(url: string, end: number): Span[] {
  const scheme = /^[a-z]+:\/\//i.exec(url)
  if (scheme === null) return []
  const start = scheme[0].length
  const slashIndex = url.slice(start, end).search(/[/\\]/)
  const atIndex = url.slice(start, slashIndex === -1 ? end : start + slashIndex).lastIndexOf('@')
  if (atIndex === -1) return []
  const colonIndex = url.slice(start, start + atIndex).indexOf(':')
  if (colonIndex === -1) return [{ slot: 'user', start, end: start + atIndex }]
  return [
    { slot: 'user', start, end: start + colonIndex },
    { slot: 'password', start: start + colonIndex + 1, end: start + atIndex },
  ]
}

/** Finds the query values. Treats a part without "=" as a value without a name. */
function findQuerySpans(url: string, queryStart: number, end: number): Span[] {
  const spans: Span[] = []
  const seen = new Map<string, number>()
  let start = queryStart
  while (start < end) {
    const ampersandIndex = url.indexOf('&', start)
    const partEnd = ampersandIndex === -1 || ampersandIndex > end ? end : ampersandIndex
    const equalsIndex = url.slice(start, partEnd).indexOf('=')
    const name = equalsIndex === -1 ? '' : url.slice(start, start + equalsIndex)
    const count = seen.get(name) ?? 0
    seen.set(name, count + 1)
    spans.push({
      slot: `query/${name}/${count}`,
      start: equalsIndex === -1 ? start : start + equalsIndex + 1,
      end: partEnd,
    })
    start = partEnd + 1
  }
  return spans
}
