/** Callbacks of `scanXml`. Element names are passed without namespace prefixes. */
export interface XmlVisitor {
  onOpen?(name: string, getAttribute: (name: string) => string | null): void
  onClose?(name: string): void
  onText?(text: string): void
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Scans an XML text once without building a tree. Expands only the five predefined entities and numeric references. */
export function scanXml(source: string, visitor: XmlVisitor): void {
  let index = 0
  while (index < source.length) {
    const start = source.indexOf('<', index)
    const end = start === -1 ? source.length : start
    if (end > index) visitor.onText?.(decodeEntities(source.slice(index, end)))
    if (start === -1) return
    index = scanTag(source, start, visitor)
  }
}

/** Scans a tag and returns the position after it. */
function scanTag(source: string, start: number, visitor: XmlVisitor): number {
  if (source.startsWith('<!--', start)) return findEndAfter(source, '-->', start)
  if (source.startsWith('<![CDATA[', start)) {
    const nextIndex = findEndAfter(source, ']]>', start)
    visitor.onText?.(source.slice(start + 9, nextIndex - 3))
    return nextIndex
  }
  const nextIndex = findTagEnd(source, start)
  const tag = source.slice(start + 1, nextIndex - 1)
  if (tag.startsWith('?') || tag.startsWith('!')) return nextIndex
  const name = toLocalName(/^\/?([^\s/>]+)/.exec(tag)?.[1] ?? '')
  if (tag.startsWith('/')) visitor.onClose?.(name)
  else {
    visitor.onOpen?.(name, (attributeName) => readAttribute(tag, attributeName))
    if (tag.endsWith('/')) visitor.onClose?.(name)
  }
  return nextIndex
}

function findEndAfter(source: string, terminator: string, start: number): number {
  const index = source.indexOf(terminator, start)
  return index === -1 ? source.length : index + terminator.length
}

/** Returns the position after a tag. Skips quoted values, which can contain `>`. */
function findTagEnd(source: string, start: number): number {
  const delimiters = /[>"']/g
  delimiters.lastIndex = start
  for (let delimiter = delimiters.exec(source); delimiter !== null; delimiter = delimiters.exec(source)) {
    if (delimiter[0] === '>') return delimiters.lastIndex
    const quoteEnd = source.indexOf(delimiter[0], delimiters.lastIndex)
    if (quoteEnd === -1) break
    delimiters.lastIndex = quoteEnd + 1
  }
  return source.length
}

function toLocalName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function readAttribute(tag: string, attributeName: string): string | null {
  for (const [, name = '', doubleQuoted, singleQuoted] of tag.matchAll(
    /(?<![^\s="'])([^\s="']+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g,
  )) {
    if (name === attributeName) return decodeEntities(doubleQuoted ?? singleQuoted ?? '')
  }
  return null
}

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(#x?[\da-f]+|\w+);/gi, (reference, name: string) => {
    if (!name.startsWith('#')) return NAMED_ENTITIES[name] ?? reference
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : ''
  })
}
