import { parseSync, Visitor } from 'oxc-parser'

export interface BannedWord {
  /** Line number in the file, starting at 1. */
  readonly line: number
  readonly word: string
  /** Text around the word, shortened to 100 characters. */
  readonly text: string
}

const BANNED_IN_PROSE =
  /\b(?:[Tt]old|[Uu]ntold|[Rr]etold|[Hh]opeless|[Ss]trangers?|[Mm]end(?:s|ed|ing)?|[Ss]hall|[Ww]hoever|[Mm]eanwhile|[Bb]y itself)\b|(?<![-/])\bretell\b(?![-_/])/g
/** Words banned in names. Names can contain Retell, a vendor with agents that can be imported. */
const BANNED_IN_NAMES =
  /(?:^|_)(?:MOST|LEAST)_|(?:^|_|(?<=[a-z]))(?:[Tt]old|[Uu]ntold|[Rr]etold|[Hh]opeless|[Ss]trangers?|[Mm]end(?:s|ed|ing)?|[Ss]hall|[Ww]hoever|[Mm]eanwhile|[Bb]yItself)(?![a-z])/g

/** Names that cannot be changed: columns of released databases and a Redis command. */
const WIRE_NAMES: ReadonlySet<string> = new Set(['end_told_at', 'untold_since', 'flushall'])

/** Files with string literals that are product texts, not words of callers in tests or dictionaries. */
const PRODUCT_TEXTS =
  /^packages\/(?:dashboard|contract)\/src\/(?!.*(?:\.test\.|test-kit|\/testing\/))|^packages\/sdk\/src\/page\//

/** Finds banned words in the identifiers, comments and texts of a source file, or in the prose of a document. */
export function findBannedWords(file: string, source: string): BannedWord[] {
  if (/\.(?:md|html|json)$/.test(file)) return findInProse(blankOutCode(file, source), 0, source)
  return findInSource(file, source)
}

function findInSource(file: string, source: string): BannedWord[] {
  const { program, comments } = parseSync(file, source)
  const findings = comments.flatMap(({ start, end }) => findInProse(source.slice(start, end), start, source))
  const checkName = ({ name, start }: { name: string; start: number }) => {
    if (WIRE_NAMES.has(name)) return
    for (const [word] of name.matchAll(BANNED_IN_NAMES)) findings.push(createFinding(source, start, word))
  }
  const checkText = (start: number, end: number) => {
    if (PRODUCT_TEXTS.test(file)) findings.push(...findInProse(source.slice(start, end), start, source))
  }
  new Visitor({
    Identifier: checkName,
    PrivateIdentifier: checkName,
    JSXIdentifier: checkName,
    Literal: ({ value, start, end }) => {
      if (typeof value === 'string') checkText(start, end)
    },
    TemplateElement: ({ start, end }) => checkText(start, end),
    JSXText: ({ start, end }) => checkText(start, end),
  }).visit(program)
  return findings
}

function findInProse(text: string, offset: number, source: string): BannedWord[] {
  return [...text.matchAll(BANNED_IN_PROSE)].map((match) => createFinding(source, offset + match.index, match[0]))
}

function createFinding(source: string, start: number, word: string): BannedWord {
  const line = source.slice(0, start).split('\n').length
  const text = source.split('\n')[line - 1] ?? ''
  return { line, word: word.replace(/^_|_$/g, ''), text: text.trim().slice(0, 100) }
}

/** Returns the document with its code blocks, inline code and addresses blanked out, so that positions do not change. */
function blankOutCode(file: string, source: string): string {
  if (!file.endsWith('.md')) return source
  return source.replace(/^```[^\n]*\n[\s\S]*?^```|`[^`\n]*`|https?:\S+/gm, (code) => code.replace(/[^\n]/g, ' '))
}
