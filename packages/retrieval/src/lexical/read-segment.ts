import { computeChecksum, FLAG_SINGLE_OCCURRENCE, SEGMENT_MAGIC, SEGMENT_VERSION } from './segment-format.ts'

/** A parsed segment that keeps its bytes. */
export interface Segment {
  readonly bytes: Uint8Array
  readonly positions: Uint32Array
  /** `FIELDS` numbers per chunk: words of text, headings and title. */
  readonly lengths: Uint32Array
  /** Two 32-bit halves per chunk. */
  readonly hashes: Uint32Array
  readonly languages: readonly string[]
  /** Offset of the dictionary. */
  readonly dictionaryStart: number
}

/** Dictionary of a segment, with offsets into its bytes. */
export interface Dictionary {
  /** `WORD_FIELDS` numbers per word: start, end, number of chunks, start of its postings. */
  readonly words: Uint32Array
  /** Pairs of a word and a term that it is indexed under. */
  readonly aliases: Uint32Array
}

/** Text, headings and title. */
export const FIELDS = 3

/** Numbers per dictionary word. */
export const WORD_FIELDS = 4

const CHUNK_BYTES = 12
const CHECKSUM_BYTES = 4

/** Reads and validates a segment. Throws if the segment is damaged or has an unknown version. */
export function readSegment(bytes: Uint8Array): Segment & { readonly dictionary: Dictionary } {
  const end = bytes.length - CHECKSUM_BYTES
  if (end < SEGMENT_MAGIC.length + 1 || SEGMENT_MAGIC.some((byte, index) => bytes[index] !== byte)) {
    throw createDamageError('it does not start with the segment signature')
  }
  const version = bytes[SEGMENT_MAGIC.length] ?? 0
  if (version !== SEGMENT_VERSION) throw new Error(`The index segment has version ${version}, not ${SEGMENT_VERSION}.`)
  if (new ByteReader(bytes, end, bytes.length).readUint32() !== computeChecksum(bytes, end)) {
    throw createDamageError('its checksum does not match')
  }
  const reader = new ByteReader(bytes, SEGMENT_MAGIC.length + 1, end)
  const chunkCount = reader.readCount(CHUNK_BYTES)
  const positions = new Uint32Array(chunkCount)
  const lengths = new Uint32Array(chunkCount * FIELDS)
  const hashes = new Uint32Array(chunkCount * 2)
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    positions[chunk] = reader.readVarint()
    for (let field = 0; field < FIELDS; field++) lengths[chunk * FIELDS + field] = reader.readVarint()
    hashes[chunk * 2] = reader.readUint32()
    hashes[chunk * 2 + 1] = reader.readUint32()
  }
  const languages = readLanguages(reader)
  const segment = { bytes, positions, lengths, hashes, languages, dictionaryStart: reader.position }
  const dictionary = readDictionary(segment)
  checkPostings(segment, dictionary)
  return { ...segment, dictionary }
}

function readLanguages(reader: ByteReader): string[] {
  const decoder = new TextDecoder()
  return Array.from({ length: reader.readCount(1) }, () => {
    const length = reader.readVarint()
    const start = reader.skip(length)
    return decoder.decode(reader.bytes.subarray(start, start + length))
  })
}

const WORD_BYTES = 2
const ALIAS_BYTES = 2

/** Reads the dictionary of a segment. Throws if the dictionary is damaged. */
export function readDictionary(segment: Pick<Segment, 'bytes' | 'dictionaryStart'>): Dictionary {
  const reader = new ByteReader(segment.bytes, segment.dictionaryStart, segment.bytes.length - CHECKSUM_BYTES)
  const wordCount = reader.readCount(WORD_BYTES)
  const words = new Uint32Array(wordCount * WORD_FIELDS)
  let postingsLength = 0
  for (let index = 0; index < words.length; index += WORD_FIELDS) {
    const length = reader.readVarint()
    const start = reader.skip(length)
    const frequency = reader.readVarint()
    words[index] = start
    words[index + 1] = start + length
    words[index + 2] = frequency
    words[index + 3] = postingsLength
    if (frequency > 0) postingsLength += reader.readVarint()
  }
  const aliases = new Uint32Array(reader.readCount(ALIAS_BYTES) * 2)
  for (let index = 0; index < aliases.length; index++) {
    const word = reader.readVarint()
    if (word >= wordCount) throw createDamageError('an alias refers to a missing word')
    aliases[index] = word
  }
  if (reader.remaining !== postingsLength) throw createDamageError('its postings have the wrong size')
  for (let index = 3; index < words.length; index += WORD_FIELDS)
    words[index] = (words[index] as number) + reader.position
  return { words, aliases }
}

/** Validates that postings are within their list, in ascending order, and refer to existing chunks. */
function checkPostings({ bytes, positions }: Segment, { words }: Dictionary): void {
  const end = bytes.length - CHECKSUM_BYTES
  const reader = new ByteReader(bytes, words[3] ?? end, end)
  for (let word = 0; word < words.length; word += WORD_FIELDS) {
    const frequency = words[word + 2] as number
    if (reader.position !== words[word + 3]) throw createDamageError('a postings list has the wrong size')
    let chunk = -1
    for (let index = 0; index < frequency; index++) {
      const posting = reader.readVarint()
      chunk += (posting >>> 3) + 1
      if (chunk >= positions.length) throw createDamageError('a posting refers to a missing chunk')
      if ((posting & FLAG_SINGLE_OCCURRENCE) === 0) reader.readVarint()
    }
  }
  if (reader.remaining !== 0) throw createDamageError('its postings have the wrong size')
}

const MAX_UINT32 = 0xffffffff

/** Reads bytes that may be damaged. Every read checks the bounds. */
class ByteReader {
  readonly bytes: Uint8Array
  readonly end: number
  position: number

  constructor(bytes: Uint8Array, position: number, end: number) {
    this.bytes = bytes
    this.position = position
    this.end = end
  }

  get remaining(): number {
    return this.end - this.position
  }

  readByte(): number {
    if (this.position >= this.end) throw createDamageError('it is truncated')
    return this.bytes[this.position++] as number
  }

  readVarint(): number {
    const { bytes, end } = this
    let position = this.position
    let byte = position < end ? (bytes[position++] as number) : 128
    let value = byte & 127
    for (let scale = 128; byte > 127; scale *= 128) {
      if (position >= end) throw createDamageError('it is truncated')
      byte = bytes[position++] as number
      value += (byte & 127) * scale
      if (value > MAX_UINT32) throw createDamageError('a number is too large')
    }
    this.position = position
    return value
  }

  readUint32(): number {
    let value = 0
    for (let shift = 0; shift < 32; shift += 8) value |= this.readByte() << shift
    return value >>> 0
  }

  /** Reads a count of items of at least `minBytesPerItem` each. */
  readCount(minBytesPerItem: number): number {
    const count = this.readVarint()
    if (count * minBytesPerItem > this.remaining) throw createDamageError('it declares more items than it contains')
    return count
  }

  /** Skips `length` bytes and returns their offset. */
  skip(length: number): number {
    if (length > this.remaining) throw createDamageError('it is truncated')
    const start = this.position
    this.position += length
    return start
  }
}

/** Error for a segment that cannot be read. */
export function createDamageError(problem: string): Error {
  return new Error(`The index segment is damaged: ${problem}.`)
}
