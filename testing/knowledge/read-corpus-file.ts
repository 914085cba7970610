import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'

/**
 * Reads a file of this corpus. It supports only the parts of each format that the corpus uses, so that tests of the index and
 * the search do not depend on the real parsers.
 */
export function readCorpusFile(name: string, text: string): ReadDocument {
  const blocks = parseBlocks(name, text)
  const [first] = blocks
  const title = first?.kind === 'heading' ? first.text : name.replace(/\.\w+$/, '')
  return { title, blocks, pageCount: null, links: [] }
}

function parseBlocks(name: string, text: string): DocumentBlock[] {
  if (name.endsWith('.md')) return parseMarkdown(text)
  if (name.endsWith('.csv')) return [parseCsv(text)]
  if (name.endsWith('.html')) return parseHtml(text)
  if (name.endsWith('.json')) return parseJson(text)
  throw new Error(`No reader for ${name}`)
}

const createHeading = (level: number, text: string): DocumentBlock => ({ kind: 'heading', level, text, page: null })
const createParagraph = (text: string): DocumentBlock => ({ kind: 'paragraph', text, page: null })
function createTable([header = [], ...rows]: readonly (readonly string[])[]): DocumentBlock {
  return { kind: 'table', header, rows, page: null }
}

function parseMarkdown(text: string): DocumentBlock[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((part) => {
      const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(part) ?? []
      if (marks !== '') return createHeading(marks.length, title)
      if (!part.startsWith('|')) return createParagraph(part)
      const rows = part.split('\n').filter((line) => !/^\| ---/.test(line))
      return createTable(rows.map((line) => line.slice(2, -2).split(' | ')))
    })
}

function parseCsv(text: string): DocumentBlock {
  return createTable(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(',')),
  )
}

function parseHtml(text: string): DocumentBlock[] {
  const elements = text.matchAll(/<(h1|h2|h3|p|table)>(.*?)<\/\1>/gs)
  return [...elements].map(([, tag = '', inner = '']) => {
    if (tag === 'p') return createParagraph(decodeEntities(inner))
    if (tag !== 'table') return createHeading(Number(tag.slice(1)), decodeEntities(inner))
    const rows = inner.matchAll(/<tr>(.*?)<\/tr>/gs)
    return createTable(
      [...rows].map(([, row = '']) =>
        [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => decodeEntities(cell)),
      ),
    )
  })
}

function decodeEntities(html: string): string {
  return html.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}

/** Parses a title, objects of plain values and lists of records. */
function parseJson(text: string): DocumentBlock[] {
  const root = JSON.parse(text) as Record<string, string | Record<string, string> | Record<string, string | number>[]>
  return Object.entries(root).flatMap(([key, value]) => {
    if (typeof value === 'string') return [createHeading(1, value)]
    if (!Array.isArray(value)) {
      const rows = Object.entries(value)
      return [createHeading(2, key), { kind: 'table', header: [], rows, page: null } satisfies DocumentBlock]
    }
    const rows = value.map((record) => Object.values(record).map(String))
    return [createHeading(2, key), createTable([Object.keys(value[0] ?? {}), ...rows])]
  })
}
