import { type AnalyzedChunk, type AnalyzedSource, analyzeChunks, type IndexedChunk } from './analyze-chunks.ts'
import {
  computeChecksum,
  FLAG_IN_HEADINGS,
  FLAG_IN_TITLE,
  FLAG_SINGLE_OCCURRENCE,
  SEGMENT_MAGIC,
  SEGMENT_VERSION,
} from './segment-format.ts'

export type { IndexedChunk } from './analyze-chunks.ts'

/** Builds the index of one source. Equal chunks always produce equal bytes. */
export function buildSegment(chunks: readonly IndexedChunk[]): Uint8Array {
  const source = analyzeChunks(chunks)
  const writer = new ByteWriter()
  for (const byte of SEGMENT_MAGIC) writer.writeByte(byte)
  writer.writeByte(SEGMENT_VERSION)
  writeChunks(writer, source.chunks)
  const encoder = new TextEncoder()
  writer.writeVarint(source.languages.length)
  for (const language of source.languages) writeText(writer, encoder.encode(language))
  writeTerms(writer, source, encoder)
  return writer.finish()
}

function writeText(writer: ByteWriter, bytes: Uint8Array): void {
  writer.writeVarint(bytes.length)
  writer.append(bytes)
}

function writeChunks(writer: ByteWriter, chunks: readonly AnalyzedChunk[]): void {
  writer.writeVarint(chunks.length)
  for (const { position, lengths, hash } of chunks) {
    writer.writeVarint(position)
    for (const length of lengths) writer.writeVarint(length)
    writer.writeUint32(hash[0])
    writer.writeUint32(hash[1])
  }
}

/** Postings as triples of chunk, count and flags. */
type Postings = number[]

function collectPostings(chunks: readonly AnalyzedChunk[]): Map<string, Postings> {
  const postings = new Map<string, Postings>()
  for (const [chunk, { occurrences }] of chunks.entries()) {
    for (const [term, { count, inHeadings, inTitle }] of occurrences) {
      const flags =
        (inHeadings ? FLAG_IN_HEADINGS : 0) | (inTitle ? FLAG_IN_TITLE : 0) | (count === 1 ? FLAG_SINGLE_OCCURRENCE : 0)
      const existing = postings.get(term)
      if (existing === undefined) postings.set(term, [chunk, count, flags])
      else existing.push(chunk, count, flags)
    }
  }
  return postings
}

/** Writes the sorted dictionary, the aliases, then the postings in dictionary order. */
function writeTerms(writer: ByteWriter, source: AnalyzedSource, encoder: InstanceType<typeof TextEncoder>): void {
  const postings = collectPostings(source.chunks)
  const words = [...new Set([...postings.keys(), ...source.aliases.keys()])].sort()
  const wordIds = new Map(words.map((word, number) => [word, number]))
  const postingsWriter = new ByteWriter()
  writer.writeVarint(words.length)
  for (const word of words) {
    const start = postingsWriter.length
    const frequency = writePostings(postingsWriter, postings.get(word) ?? [])
    writeText(writer, encoder.encode(word))
    writer.writeVarint(frequency)
    if (frequency > 0) writer.writeVarint(postingsWriter.length - start)
  }
  const pairs = [...source.aliases]
    .flatMap(([word, terms]) => [...terms].map((term) => [wordIds.get(word) ?? 0, wordIds.get(term) ?? 0] as const))
    .sort((left, right) => left[0] - right[0] || left[1] - right[1])
  writer.writeVarint(pairs.length)
  for (const [word, term] of pairs) {
    writer.writeVarint(word)
    writer.writeVarint(term)
  }
  writer.append(postingsWriter.getView())
}

function writePostings(writer: ByteWriter, list: Postings): number {
  let previousChunk = -1
  for (let index = 0; index < list.length; index += 3) {
    const chunk = list[index] ?? 0
    const count = list[index + 1] ?? 0
    const flags = list[index + 2] ?? 0
    writer.writeVarint((chunk - previousChunk - 1) * 8 + flags)
    if ((flags & FLAG_SINGLE_OCCURRENCE) === 0) writer.writeVarint(count)
    previousChunk = chunk
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

  writeByte(value: number): void {
    this.#reserve(1)
    this.#bytes[this.#length++] = value
  }

  /** Writes an integer from 0 to 2^32 - 1 with seven bits per byte. */
  writeVarint(value: number): void {
    this.#reserve(5)
    let remaining = value >>> 0
    while (remaining > 127) {
      this.#bytes[this.#length++] = (remaining & 127) | 128
      remaining >>>= 7
    }
    this.#bytes[this.#length++] = remaining
  }

  writeUint32(value: number): void {
    for (let shift = 0; shift < 32; shift += 8) this.writeByte((value >>> shift) & 255)
  }

  append(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  /** Appends the checksum and returns all bytes. */
  finish(): Uint8Array {
    this.writeUint32(computeChecksum(this.#bytes, this.#length))
    return this.#bytes.slice(0, this.#length)
  }

  /** Returns the bytes written since `from`. */
  getView(from = 0): Uint8Array {
    return this.#bytes.subarray(from, this.#length)
  }

  #reserve(count: number): void {
    if (this.#length + count <= this.#bytes.length) return
    const newBytes = new Uint8Array(Math.max(this.#bytes.length * 2, this.#length + count))
    newBytes.set(this.#bytes)
    this.#bytes = newBytes
  }
}
