/** Callbacks for an XML text. Names have no prefix. */
export interface XmlVisitor {
  open?(name: string, attribute: (name: string) => string | null): void
  close?(name: string): void
  text?(text: string): void
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Scans an XML text once without building a tree. Expands only the five predefined entities and numeric references. */
export function scanXml(source: string, visitor: XmlVisitor): void {
  let index = 0
  while (index < source.length) {
    const start = source.indexOf('<', index)
    const end = start === -1 ? source.length : start
    if (end > index) visitor.text?.(decodeEntities(source.slice(index, end)))
    if (start === -1) return
    index = scanTag(source, start, visitor)
  }
}

/** Scans a tag and returns the position after it. */
function scanTag(source: string, start: number, visitor: XmlVisitor): number {
  if (source.startsWith('<!--', start)) return findEndOf(source, '-->', start)
  if (source.startsWith('<![CDATA[', start)) {
    const next = findEndOf(source, ']]>', start)
    visitor.text?.(source.slice(start + 9, next - 3))
    return next
  }
  const next = findTagEnd(source, start)
  const tag = source.slice(start + 1, next - 1)
  if (tag.startsWith('?') || tag.startsWith('!')) return next
  const name = toLocalName(/^\/?([^\s/>]+)/.exec(tag)?.[1] ?? '')
  if (tag.startsWith('/')) visitor.close?.(name)
  else {
    visitor.open?.(name, (wanted) => readAttribute(tag, wanted))
    if (tag.endsWith('/')) visitor.close?.(name)
  }
  return next
}

function findEndOf(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  return at === -1 ? source.length : at + mark.length
}

/** Returns the position after a tag. Skips quoted values, which can contain `>`. */
function findTagEnd(source: string, start: number): number {
  const marks = /[>"']/g
  marks.lastIndex = start
  for (let mark = marks.exec(source); mark !== null; mark = marks.exec(source)) {
    if (mark[0] === '>') return marks.lastIndex
    const quoteEnd = source.indexOf(mark[0], marks.lastIndex)
    if (quoteEnd === -1) break
    marks.lastIndex = quoteEnd + 1
  }
  return source.length
}

function toLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function readAttribute(tag: string, wanted: string): string | null {
  for (const [, name = '', double, single] of tag.matchAll(/(?<![^\s="'])([^\s="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (name === wanted) return decodeEntities(double ?? single ?? '')
  }
  return null
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (reference, name: string) => {
    if (!name.startsWith('#')) return NAMED[name] ?? reference
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
