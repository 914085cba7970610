import { type AnalyzedChunk, type AnalyzedSource, analyzeChunks, type IndexedChunk } from './analyze-chunks.ts'
import { ByteWriter } from './byte-writer.ts'
import {
  FLAG_IN_HEADINGS,
  FLAG_IN_TITLE,
  FLAG_SINGLE_OCCURRENCE,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
} from './segment-format.ts'

export type { IndexedChunk } from './analyze-chunks.ts'

/** The index of one source, serialised, versioned and compact; the same chunks give the same bytes. */
export function buildSegment(chunks: readonly IndexedChunk[]): Uint8Array {
  const source = analyzeChunks(chunks)
  const writer = new ByteWriter()
  for (const byte of SEGMENT_MAGIC) writer.byte(byte)
  writer.byte(SEGMENT_VERSION)
  writeChunks(writer, source.chunks)
  const encoder = new TextEncoder()
  writer.varint(source.languages.length)
  for (const language of source.languages) writeText(writer, encoder.encode(language))
  writeTerms(writer, source, encoder)
  return writer.finish()
}

function writeText(writer: ByteWriter, bytes: Uint8Array): void {
  writer.varint(bytes.length)
  writer.append(bytes)
}

function writeChunks(writer: ByteWriter, chunks: readonly AnalyzedChunk[]): void {
  writer.varint(chunks.length)
  for (const { position, lengths, hash } of chunks) {
    writer.varint(position)
    for (const length of lengths) writer.varint(length)
    writer.uint32(hash[0])
    writer.uint32(hash[1])
  }
}

/** Chunk, count and flags one after another. */
type Postings = number[]

function postingsOf(chunks: readonly AnalyzedChunk[]): Map<string, Postings> {
  const postings = new Map<string, Postings>()
  for (const [chunk, { occurrences }] of chunks.entries()) {
    for (const [term, { count, inHeadings, inTitle }] of occurrences) {
      const flags =
        (inHeadings ? FLAG_IN_HEADINGS : 0) | (inTitle ? FLAG_IN_TITLE : 0) | (count === 1 ? FLAG_SINGLE_OCCURRENCE : 0)
      const list = postings.get(term)
      if (list === undefined) postings.set(term, [chunk, count, flags])
      else list.push(chunk, count, flags)
    }
  }
  return postings
}

/** The sorted dictionary, then what words stand under other terms, then the postings of all terms in the same order. */
function writeTerms(writer: ByteWriter, source: AnalyzedSource, encoder: InstanceType<typeof TextEncoder>): void {
  const postings = postingsOf(source.chunks)
  const words = [...new Set([...postings.keys(), ...source.aliases.keys()])].sort()
  const numbers = new Map(words.map((word, number) => [word, number]))
  const lists = new ByteWriter()
  writer.varint(words.length)
  for (const word of words) {
    const from = lists.length
    const frequency = writePostings(lists, postings.get(word) ?? [])
    writeText(writer, encoder.encode(word))
    writer.varint(frequency)
    if (frequency > 0) writer.varint(lists.length - from)
  }
  const pairs = [...source.aliases]
    .flatMap(([word, terms]) => [...terms].map((term) => [numbers.get(word) ?? 0, numbers.get(term) ?? 0] as const))
    .sort((left, right) => left[0] - right[0] || left[1] - right[1])
  writer.varint(pairs.length)
  for (const [word, term] of pairs) {
    writer.varint(word)
    writer.varint(term)
  }
  writer.append(lists.view())
}

function writePostings(writer: ByteWriter, list: Postings): number {
  let before = -1
  for (let at = 0; at < list.length; at += 3) {
    const chunk = list[at] ?? 0
    const count = list[at + 1] ?? 0
    const flags = list[at + 2] ?? 0
    writer.varint((chunk - before - 1) * 8 + flags)
    if ((flags & FLAG_SINGLE_OCCURRENCE) === 0) writer.varint(count)
    before = chunk
  }
  return list.length / 3
}
