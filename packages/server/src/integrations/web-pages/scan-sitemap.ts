/** What a sitemap says. */
export interface ScannedSitemap {
  readonly kind: 'pages' | 'index'
  /** As they stand there, in their order, at most as many as asked for. */
  readonly locations: readonly string[]
}

const MAX_LOCATION_LENGTH = 2048
/** Tags, comments and the like that are looked at: some twenty for each address of the largest sitemap that is asked for. */
const MAX_MARKUP = 200_000
const NAMED_CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Finds the addresses of a sitemap in one pass. Entities of the document's own are never looked up, so that none of them can
 * unfold; `null` when it is no sitemap.
 */
export function scanSitemap(text: string, limit: number): ScannedSitemap | null {
  const rootAt = skipProlog(text)
  const root = /^<(?:([\w.-]{1,50}):)?(urlset|sitemapindex)[\s/>]/.exec(text.slice(rootAt, rootAt + 200))
  if (root === null) return null
  const locationTag = root[1] === undefined ? 'loc' : `${root[1]}:loc`
  const locations: string[] = []
  let at = rootAt
  for (let seen = 0; locations.length < limit && seen < MAX_MARKUP; seen += 1) {
    const tagAt = text.indexOf('<', at)
    if (tagAt === -1) break
    at = skipMarkup(text, tagAt)
    if (!isTag(text, tagAt, locationTag)) continue
    const content = readContent(text, at)
    at = content.endAt
    if (content.value !== '') locations.push(content.value)
  }
  return { kind: root[2] === 'urlset' ? 'pages' : 'index', locations }
}

/** Where the root begins: behind declaration, comments and document type. */
function skipProlog(text: string): number {
  let at = text.indexOf('<')
  while (at !== -1 && (text[at + 1] === '?' || text[at + 1] === '!')) at = text.indexOf('<', skipMarkup(text, at))
  return at === -1 ? text.length : at
}

/** Behind the tag, comment, instruction or document type that begins here. */
function skipMarkup(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return behind(text, '-->', at + 4)
  if (text.startsWith('<![CDATA[', at)) return behind(text, ']]>', at + 9)
  if (text.startsWith('<?', at)) return behind(text, '?>', at + 2)
  if (!text.startsWith('<!', at)) return behind(text, '>', at + 1)
  // A document type may declare things within brackets, which nobody here needs.
  const endAt = behind(text, '>', at + 2)
  const bracketAt = text.slice(at, endAt).indexOf('[')
  return bracketAt === -1 ? endAt : behind(text, '>', behind(text, ']', at + bracketAt))
}

function behind(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at === -1 ? text.length : at + end.length
}

function isTag(text: string, at: number, name: string): boolean {
  return text.startsWith(name, at + 1) && /[\s>]/.test(text[at + 1 + name.length] ?? '')
}

/** The text up to the next tag. */
function readContent(text: string, from: number): { readonly value: string; readonly endAt: number } {
  let value = ''
  let at = from
  for (;;) {
    const tagAt = text.indexOf('<', at)
    const until = tagAt === -1 ? text.length : tagAt
    if (value.length + until - at > MAX_LOCATION_LENGTH) return { value: '', endAt: until }
    value += readEntities(text.slice(at, until))
    if (!text.startsWith('<![CDATA[', until)) return { value: value.trim(), endAt: until }
    at = skipMarkup(text, until)
    const raw = text.slice(until + 9, text.startsWith(']]>', at - 3) ? at - 3 : at)
    if (value.length + raw.length > MAX_LOCATION_LENGTH) return { value: '', endAt: at }
    value += raw
  }
}

function readEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{1,10}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return NAMED_CHARACTERS[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}
