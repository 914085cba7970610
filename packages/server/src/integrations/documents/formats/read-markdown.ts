import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'
import { marked, type Token, type Tokens } from 'marked'
import { chooseDocumentTitle } from './document-title.ts'
import { parseHtml } from './html-node.ts'
import { readHtmlPart } from './read-html.ts'

const FRONT_MATTER = /^\ufeff?---[^\S\n]*\n([\s\S]*?)\n(?:---|\.\.\.)[^\S\n]*(?:\n|$)/

/** Reads Markdown: headings, lists, tables, code, and the title in the front matter. */
export function readMarkdown(text: string): ReadDocument {
  const normalized = text.replace(/\r\n?/g, '\n')
  const frontMatter = FRONT_MATTER.exec(normalized)
  const hasFrontMatter = frontMatter !== null && /^[\w-]+\s*:/m.test(frontMatter[1] ?? '')
  const content = hasFrontMatter ? normalized.slice(frontMatter[0].length) : normalized
  const blocks = marked.lexer(content).flatMap(readToken)
  const declaredTitle = hasFrontMatter ? /^title\s*:\s*(.+)$/m.exec(frontMatter[1] ?? '')?.[1] : undefined
  const title = declaredTitle?.trim().replace(/^(["'])(.*)\1$/, '$2') ?? null
  return { title: chooseDocumentTitle(title, blocks), blocks, pageCount: null, links: [] }
}

function readToken(token: Token): DocumentBlock[] {
  switch (token.type) {
    case 'heading':
      return [{ kind: 'heading', level: (token as Tokens.Heading).depth, text: toInlineText(token.tokens), page: null }]
    case 'code':
      return [{ kind: 'preformatted', text: (token as Tokens.Code).text, page: null }]
    case 'list':
      return readList(token as Tokens.List)
    case 'table':
      return [readTable(token as Tokens.Table)]
    case 'blockquote':
      return ((token as Tokens.Blockquote).tokens ?? []).flatMap(readToken)
    case 'html':
      return readHtmlPart(token.raw)
    case 'paragraph':
    case 'text':
      return [readParagraph(toInlineText(token.tokens) || decodeReferences(token.raw))]
    default:
      return []
  }
}

/** Reads a paragraph and keeps hard line breaks. */
function readParagraph(text: string): DocumentBlock {
  return { kind: text.includes('\n') ? 'preformatted' : 'paragraph', text, page: null }
}

function readList(list: Tokens.List): DocumentBlock[] {
  const start = typeof list.start === 'number' ? list.start : 1
  return list.items.flatMap((item, index) => {
    const isInline = (token: Token): token is Tokens.Text | Tokens.Paragraph =>
      token.type === 'text' || token.type === 'paragraph'
    const [firstToken, ...otherTokens] = item.tokens.filter(({ type }) => type !== 'space' && type !== 'checkbox')
    const text =
      firstToken === undefined || !isInline(firstToken) ? '' : toInlineText(firstToken.tokens).replace(/\s+/g, ' ')
    const listItem: DocumentBlock = {
      kind: 'list-item',
      text: list.ordered ? `${start + index}. ${text}` : text,
      page: null,
    }
    return [
      listItem,
      ...(text === '' && firstToken !== undefined ? [firstToken, ...otherTokens] : otherTokens).flatMap(readToken),
    ]
  })
}

function readTable(table: Tokens.Table): DocumentBlock {
  const toTexts = (cells: readonly Tokens.TableCell[]): string[] => cells.map((cell) => toInlineText(cell.tokens))
  return { kind: 'table', header: toTexts(table.header), rows: table.rows.map(toTexts), page: null }
}

/** Returns the text without markup. Keeps hard line breaks; other line breaks become spaces. */
function toInlineText(tokens: readonly Token[] | undefined): string {
  return (tokens ?? []).map(toInlineTokenText).join('')
}

function toInlineTokenText(token: Token): string {
  if (token.type === 'br') return '\n'
  if (token.type === 'html') return /^<br\b/i.test(token.raw) ? '\n' : ''
  if (token.type === 'image' || token.type === 'checkbox') return ''
  if (token.type === 'codespan') return (token as Tokens.Codespan).text
  if ('tokens' in token && token.tokens !== undefined && token.tokens.length > 0) return toInlineText(token.tokens)
  return decodeReferences('text' in token && typeof token.text === 'string' ? token.text : token.raw)
}

/** Decodes HTML character references, which Markdown supports. */
function decodeReferences(text: string): string {
  const singleLine = text.replace(/\n/g, ' ')
  return /&[#\w]+;/.test(singleLine)
    ? (parseHtml(singleLine.replaceAll('<', '&lt;')).documentElement.textContent ?? '')
    : singleLine
}
