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
    if (end > index) visitor.text?.(decode(source.slice(index, end)))
    if (start === -1) return
    index = scanTag(source, start, visitor)
  }
}

/** Returns the position after the tag. */
function scanTag(source: string, start: number, visitor: XmlVisitor): number {
  if (source.startsWith('<!--', start)) return behind(source, '-->', start)
  if (source.startsWith('<![CDATA[', start)) {
    const next = behind(source, ']]>', start)
    visitor.text?.(source.slice(start + 9, next - 3))
    return next
  }
  const next = afterTag(source, start)
  const tag = source.slice(start + 1, next - 1)
  if (tag.startsWith('?') || tag.startsWith('!')) return next
  const name = localName(/^\/?([^\s/>]+)/.exec(tag)?.[1] ?? '')
  if (tag.startsWith('/')) visitor.close?.(name)
  else {
    visitor.open?.(name, (wanted) => attributeOf(tag, wanted))
    if (tag.endsWith('/')) visitor.close?.(name)
  }
  return next
}

function behind(source: string, mark: string, from: number): number {
  const at = source.indexOf(mark, from)
  return at === -1 ? source.length : at + mark.length
}

/** Skips quoted values, which may contain `>`. */
function afterTag(source: string, start: number): number {
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

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function attributeOf(tag: string, wanted: string): string | null {
  for (const [, name = '', double, single] of tag.matchAll(/(?<![^\s="'])([^\s="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)) {
    if (name === wanted) return decode(double ?? single ?? '')
  }
  return null
}

function decode(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (reference, name: string) => {
    if (!name.startsWith('#')) return NAMED[name] ?? reference
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
