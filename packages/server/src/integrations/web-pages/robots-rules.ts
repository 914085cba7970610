/** Rules of a robots.txt for one crawler (RFC 9309). */
export interface RobotsRules {
  /** Whether the crawler can read a page. `path` includes the query. */
  isPathAllowed(path: string): boolean
  /** Minimum delay between two requests, or null if the site sets none. */
  readonly crawlDelayMs: number | null
  /** Unparsed addresses of sitemaps. */
  readonly sitemaps: readonly string[]
}

interface Rule {
  /** Literal parts of the pattern between wildcards. */
  readonly literals: readonly string[]
  readonly isAnchored: boolean
  readonly length: number
  readonly isAllowed: boolean
}

interface Group {
  readonly rules: Rule[]
  crawlDelayMs: number | null
}

/** Rules of a site without robots.txt. */
export const NO_RULES: RobotsRules = { isPathAllowed: () => true, crawlDelayMs: null, sitemaps: [] }

const MAX_SITEMAPS = 100

/**
 * Parses the group of a crawler, or the default group. The longest matching rule applies. If several rules have this length, an
 * `allow` rule takes precedence. Matching takes linear time, regardless of wildcards.
 */
export function parseRobots(text: string, crawler: string): RobotsRules {
  const groups = new Map<string, Group>()
  const sitemaps: string[] = []
  let currentGroups: Group[] = []
  let isInAgentList = false
  for (const line of text.split(/[\r\n]+/)) {
    const [name, value] = parseLine(line)
    if (name === 'sitemap') {
      if (value !== '' && sitemaps.length < MAX_SITEMAPS) sitemaps.push(value)
      continue
    }
    if (name === 'user-agent') {
      if (!isInAgentList) currentGroups = []
      currentGroups.push(getGroup(groups, value))
      isInAgentList = true
    } else if (name !== '') {
      isInAgentList = false
      for (const group of currentGroups) addRule(group, name, value)
    }
  }
  const { rules, crawlDelayMs } = groups.get(crawler.toLowerCase()) ?? groups.get('*') ?? createEmptyGroup()
  return { crawlDelayMs, sitemaps, isPathAllowed: (path) => isPathAllowed(rules, upperCaseHexEscapes(path)) }
}

function parseLine(line: string): readonly [string, string] {
  const text = line.split('#', 1)[0] ?? ''
  const colonIndex = text.indexOf(':')
  if (colonIndex === -1) return ['', '']
  return [text.slice(0, colonIndex).trim().toLowerCase(), text.slice(colonIndex + 1).trim()]
}

function createEmptyGroup(): Group {
  return { rules: [], crawlDelayMs: null }
}

/** Returns the group of a crawler. Merges groups with the same name and ignores a version after the name. */
function getGroup(groups: Map<string, Group>, agent: string): Group {
  const name = agent.split('/', 1)[0]?.trim().toLowerCase() ?? ''
  const group = groups.get(name) ?? createEmptyGroup()
  groups.set(name, group)
  return group
}

function addRule(group: Group, name: string, value: string): void {
  if (name === 'crawl-delay') {
    const seconds = Number(value)
    if (value !== '' && Number.isFinite(seconds) && seconds >= 0) group.crawlDelayMs = seconds * 1000
  }
  // An empty pattern has no effect.
  if ((name !== 'allow' && name !== 'disallow') || value === '') return
  const isAnchored = value.endsWith('$')
  const pattern = percentEncodePattern(isAnchored ? value.slice(0, -1) : value)
  group.rules.push({
    literals: pattern.split('*'),
    isAnchored,
    length: value.length,
    isAllowed: name === 'allow',
  })
}

function isPathAllowed(rules: readonly Rule[], path: string): boolean {
  let bestRule: Rule | null = null
  for (const rule of rules) {
    if (bestRule !== null && rule.length < bestRule.length) continue
    if (bestRule !== null && rule.length === bestRule.length && !rule.isAllowed) continue
    if (matchesRule(rule, path)) bestRule = rule
  }
  return bestRule?.isAllowed ?? true
}

/** Whether a rule matches a path. Matching the first occurrence of each literal is sufficient. */
function matchesRule({ literals, isAnchored }: Rule, path: string): boolean {
  const [prefix = '', ...middleLiterals] = literals
  if (!path.startsWith(prefix)) return false
  const suffix = isAnchored ? middleLiterals.pop() : undefined
  let position = prefix.length
  for (const literal of middleLiterals) {
    const matchIndex = path.indexOf(literal, position)
    if (matchIndex === -1) return false
    position = matchIndex + literal.length
  }
  if (!isAnchored) return true
  return suffix === undefined
    ? position === path.length
    : path.length - suffix.length >= position && path.endsWith(suffix)
}

/** Percent-encodes non-ASCII characters, as in URLs. */
function percentEncodePattern(pattern: string): string {
  return upperCaseHexEscapes(pattern)
    .toWellFormed()
    .replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

function upperCaseHexEscapes(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (escaped) => escaped.toUpperCase())
}
