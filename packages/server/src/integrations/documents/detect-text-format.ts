import { isEmailText } from './formats/email-headers.ts'
import { findDelimiter } from './formats/read-delimited.ts'
import { isJsonText } from './formats/read-json.ts'

/** Kinds of documents that are text to begin with. */
export type TextKind = 'html' | 'json' | 'email' | 'csv' | 'tsv' | 'markdown' | 'text' | 'xml'

/** What the sender says about a document. */
export interface TextHints {
  readonly filename: string
  readonly contentType: string | null
}

const SAMPLE_CHARACTERS = 64 * 1024

const BY_EXTENSION: Readonly<Record<string, TextKind>> = {
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  md: 'markdown',
  markdown: 'markdown',
  mdx: 'markdown',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  eml: 'email',
}

const BY_MEDIA_TYPE: Readonly<Record<string, TextKind>> = {
  'text/csv': 'csv',
  'text/tab-separated-values': 'tsv',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'application/json': 'json',
  'application/x-ndjson': 'json',
  'text/html': 'html',
  'application/xhtml+xml': 'html',
  'message/rfc822': 'email',
}

/** What a text is by its content; what it is said to be decides where that is open. */
export function detectTextFormat(text: string, hints: TextHints): TextKind {
  const sample = text.slice(0, SAMPLE_CHARACTERS).trimStart()
  const declared = declaredKind(hints)
  if (isHtmlText(sample)) return 'html'
  if (/^<\?xml\b/i.test(sample) || /^<(svg|rss|feed|urlset)\b/i.test(sample)) return 'xml'
  if (isJsonText(text, declared === 'json')) return 'json'
  if (isEmailText(sample)) return 'email'
  if (declared === 'html' && /<\/?[a-z][^<>]*>/i.test(sample)) return 'html'
  if (declared === 'markdown' || declared === 'tsv' || declared === 'csv') return fitsTable(sample, declared)
  if (isMarkdownText(sample)) return 'markdown'
  const delimiter = findDelimiter(sample, 'strict')
  if (delimiter !== null) return delimiter === '\t' ? 'tsv' : 'csv'
  return 'text'
}

const MAX_FRONT_MATTER_LINES = 200

function declaredKind({ filename, contentType }: TextHints): TextKind | null {
  const extension = /\.([a-z]+)$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  const mediaType = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  return BY_EXTENSION[extension] ?? BY_MEDIA_TYPE[mediaType] ?? null
}

/** What is called a table and has no columns is a text. */
function fitsTable(sample: string, declared: 'markdown' | 'csv' | 'tsv'): TextKind {
  if (declared === 'markdown') return declared
  const delimiter = findDelimiter(sample, 'lenient')
  if (delimiter === null) return 'text'
  return delimiter === '\t' ? 'tsv' : 'csv'
}

function isHtmlText(sample: string): boolean {
  const start = sample.replace(/^(\s|<!--[\s\S]*?-->|<\?xml[^>]*\?>)*/i, '')
  if (/^<(!doctype\s+html|html|head|body)[\s>]/i.test(start)) return true
  return (
    /^<(article|section|main|div|p|h[1-6]|table|ul|ol|dl|meta|title)[\s>]/i.test(start) && /<\/[a-z0-9]+>/i.test(start)
  )
}

/** Headings, and something else that only Markdown has, or two headings. */
function isMarkdownText(sample: string): boolean {
  const headings = sample.match(/^#{1,6} \S.*$/gm)?.length ?? 0
  const tables =
    sample.match(/^[^\S\n]*(?:\|[^\S\n]*)?(?::?-{3,}:?[^\S\n]*\|[^\S\n]*)+(?::?-{3,}:?[^\S\n]*)?$/m) === null ? 0 : 1
  const others = sample.match(/^(```|[-*] \S|> \S|---$)|\[[^[\]\n]+\]\([^()\s]+\)|\*\*\S[^*\n]*\*\*/m) === null ? 0 : 1
  return headings >= 2 || headings + tables + others >= 2 || hasFrontMatter(sample)
}

/** A block of settings between two `---` lines at the top, with a title among them. */
function hasFrontMatter(sample: string): boolean {
  const [first, ...lines] = sample.trimStart().split('\n', MAX_FRONT_MATTER_LINES)
  const end = first === '---' ? lines.indexOf('---') : -1
  return lines.slice(0, Math.max(0, end)).some((line) => line.startsWith('title:'))
}
