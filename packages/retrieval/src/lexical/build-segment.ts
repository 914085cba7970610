import { type AnalyzedChunk, type AnalyzedSource, analyzeChunks, type IndexedChunk } from './analyze-chunks.ts'
import {
  bytesChecksum,
  FLAG_IN_HEADINGS,
  FLAG_IN_TITLE,
  FLAG_SINGLE_OCCURRENCE,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
} from './segment-format.ts'

export type { IndexedChunk } from './analyze-chunks.ts'

/** Serializes the index of one source, deterministically. */
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

/** Triples of chunk, count and flags. */
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

/** Writes the sorted dictionary, the aliases, then the postings in dictionary order. */
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

/** A growing byte buffer. */
class ByteWriter {
  #bytes = new Uint8Array(4096)
  #length = 0

  get length(): number {
    return this.#length
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** Writes an integer from 0 to 2^32 - 1 with seven bits per byte. */
  varint(value: number): void {
    this.#reserve(5)
    let rest = value >>> 0
    while (rest > 127) {
      this.#bytes[this.#length++] = (rest & 127) | 128
      rest >>>= 7
    }
    this.#bytes[this.#length++] = rest
  }

  uint32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.byte((value >>> shift) & 255)
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Appends the checksum and returns all bytes. */
  finish(): Uint8Array {
    this.uint32(bytesChecksum(this.#bytes, this.#length))
    return this.#bytes.slice(0, this.#length)
  }

  /** Bytes written since `from`. */
  view(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    larger.set(this.#bytes)
    this.#bytes = larger
  }
}
