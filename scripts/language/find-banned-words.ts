import { parseSync, Visitor } from 'oxc-parser'

export interface BannedWord {
  /** Line in the file, from 1. */
  readonly line: number
  readonly word: string
  /** Where the word is, shortened to 100 characters. */
  readonly text: string
}

const BANNED_IN_PROSE =
  /\b(?:[Tt]old|[Uu]ntold|[Rr]etold|[Hh]opeless|[Ss]trangers?|[Mm]end(?:s|ed|ing)?|[Ss]hall|[Ww]hoever|[Mm]eanwhile|[Bb]y itself)\b|(?<![-/])\bretell\b(?![-_/])/g
/** Names may contain Retell, a vendor whose agents can be imported. */
const BANNED_IN_NAMES =
  /(?:^|_)(?:MOST|LEAST)_|(?:^|_|(?<=[a-z]))(?:[Tt]old|[Uu]ntold|[Rr]etold|[Hh]opeless|[Ss]trangers?|[Mm]end(?:s|ed|ing)?|[Ss]hall|[Ww]hoever|[Mm]eanwhile|[Bb]yItself)(?![a-z])/g

/** Names that others fixed: columns of released databases and a command of Redis. */
const WIRE_NAMES: ReadonlySet<string> = new Set(['end_told_at', 'untold_since', 'flushall'])

/** Files whose string literals are texts of the product rather than words of callers in tests or dictionaries. */
const PRODUCT_TEXTS =
  /^packages\/(?:dashboard|contract)\/src\/(?!.*(?:\.test\.|test-kit|\/testing\/))|^packages\/sdk\/src\/page\//

/** Banned words in the identifiers, comments and texts of a source file, or in the prose of a document. */
export function findBannedWords(file: string, source: string): BannedWord[] {
  if (/\.(?:md|html|json)$/.test(file)) return inProse(withoutCode(file, source), 0, source)
  return inSource(file, source)
}

function inSource(file: string, source: string): BannedWord[] {
  const { program, comments } = parseSync(file, source)
  const found = comments.flatMap(({ start, end }) => inProse(source.slice(start, end), start, source))
  const name = ({ name, start }: { name: string; start: number }) => {
    if (WIRE_NAMES.has(name)) return
    for (const [word] of name.matchAll(BANNED_IN_NAMES)) found.push(foundAt(source, start, word))
  }
  const text = (start: number, end: number) => {
    if (PRODUCT_TEXTS.test(file)) found.push(...inProse(source.slice(start, end), start, source))
  }
  new Visitor({
    Identifier: name,
    PrivateIdentifier: name,
    JSXIdentifier: name,
    Literal: ({ value, start, end }) => {
      if (typeof value === 'string') text(start, end)
    },
    TemplateElement: ({ start, end }) => text(start, end),
    JSXText: ({ start, end }) => text(start, end),
  }).visit(program)
  return found
}

function inProse(text: string, offset: number, source: string): BannedWord[] {
  return [...text.matchAll(BANNED_IN_PROSE)].map((match) => foundAt(source, offset + match.index, match[0]))
}

function foundAt(source: string, start: number, word: string): BannedWord {
  const line = source.slice(0, start).split('\n').length
  const text = source.split('\n')[line - 1] ?? ''
  return { line, word: word.replace(/^_|_$/g, ''), text: text.trim().slice(0, 100) }
}

/** The same document with its code blocks, inline code and addresses blanked out, so that positions stay. */
function withoutCode(file: string, source: string): string {
  if (!file.endsWith('.md')) return source
  return source.replace(/^```[^\n]*\n[\s\S]*?^```|`[^`\n]*`|https?:\S+/gm, (code) => code.replace(/[^\n]/g, ' '))
}
