import type { DocumentBlock, ReadDocument } from '@parley/retrieval/read-document'

/**
 * Readers for the files of this corpus and for nothing else: they know as much of each format as these files use. Tests of the
 * index and the search use them, so that those do not hang on the real parsers.
 */
export function readCorpusFile(name: string, text: string): ReadDocument {
  const blocks = blocksOf(name, text)
  const [first] = blocks
  const title = first?.kind === 'heading' ? first.text : name.replace(/\.\w+$/, '')
  return { title, blocks, pageCount: null, links: [] }
}

function blocksOf(name: string, text: string): DocumentBlock[] {
  if (name.endsWith('.md')) return markdownBlocks(text)
  if (name.endsWith('.csv')) return [csvTable(text)]
  if (name.endsWith('.html')) return htmlBlocks(text)
  if (name.endsWith('.json')) return jsonBlocks(text)
  throw new Error(`No reader for ${name}`)
}

const heading = (level: number, text: string): DocumentBlock => ({ kind: 'heading', level, text, page: null })
const paragraph = (text: string): DocumentBlock => ({ kind: 'paragraph', text, page: null })
function table([header = [], ...rows]: readonly (readonly string[])[]): DocumentBlock {
  return { kind: 'table', header, rows, page: null }
}

function markdownBlocks(text: string): DocumentBlock[] {
  return text
    .trim()
    .split(/\n{2,}/)
    .map((part) => {
      const [, marks = '', title = ''] = /^(#+) (.*)$/.exec(part) ?? []
      if (marks !== '') return heading(marks.length, title)
      if (!part.startsWith('|')) return paragraph(part)
      const rows = part.split('\n').filter((line) => !/^\| ---/.test(line))
      return table(rows.map((line) => line.slice(2, -2).split(' | ')))
    })
}

function csvTable(text: string): DocumentBlock {
  return table(
    text
      .trim()
      .split('\n')
      .map((line) => line.split(',')),
  )
}

function htmlBlocks(text: string): DocumentBlock[] {
  const elements = text.matchAll(/<(h1|h2|h3|p|table)>(.*?)<\/\1>/gs)
  return [...elements].map(([, tag = '', inner = '']) => {
    if (tag === 'p') return paragraph(plain(inner))
    if (tag !== 'table') return heading(Number(tag.slice(1)), plain(inner))
    const rows = inner.matchAll(/<tr>(.*?)<\/tr>/gs)
    return table(
      [...rows].map(([, row = '']) => [...row.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, cell = '']) => plain(cell))),
    )
  })
}

function plain(html: string): string {
  return html.replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
}

/** A title, objects of plain values and lists of records. */
function jsonBlocks(text: string): DocumentBlock[] {
  const root = JSON.parse(text) as Record<string, string | Record<string, string> | Record<string, string | number>[]>
  return Object.entries(root).flatMap(([key, value]) => {
    if (typeof value === 'string') return [heading(1, value)]
    if (!Array.isArray(value)) {
      const rows = Object.entries(value)
      return [heading(2, key), { kind: 'table', header: [], rows, page: null } satisfies DocumentBlock]
    }
    const rows = value.map((record) => Object.values(record).map(String))
    return [heading(2, key), table([Object.keys(value[0] ?? {}), ...rows])]
  })
}
