import { ByteReader, damaged } from './byte-reader.ts'
import { bytesChecksum } from './hash-text.ts'
import { FLAG_SINGLE_OCCURRENCE, SEGMENT_MAGIC, SEGMENT_VERSION } from './segment-format.ts'

/** A segment as it stands in its bytes. */
export interface Segment {
  readonly bytes: Uint8Array
  readonly positions: Uint32Array
  /** `FIELDS` numbers for each chunk: words of its text, its headings and its title. */
  readonly lengths: Uint32Array
  /** Two halves for each chunk. */
  readonly hashes: Uint32Array
  readonly languages: readonly string[]
  /** Where the dictionary and what follows begins. */
  readonly dictionaryStart: number
}

/** The dictionary of a segment. Where things are is counted from the beginning of its bytes. */
export interface Dictionary {
  /** For each word `WORD_FIELDS` numbers: where it begins, where it ends, in how many chunks it is, where its postings begin. */
  readonly words: Uint32Array
  /** Pairs: a word, and one that it is indexed under. */
  readonly aliases: Uint32Array
}

/** Text, headings and title. */
export const FIELDS = 3

/** Numbers that a word of a dictionary takes. */
export const WORD_FIELDS = 4

const CHUNK_BYTES = 12
const CHECKSUM_BYTES = 4

/** Reads a segment and checks all of it, so that reading it later cannot fail. Throws on damage and on an unknown version. */
export function readSegment(bytes: Uint8Array): Segment & { readonly dictionary: Dictionary } {
  const end = bytes.length - CHECKSUM_BYTES
  if (end < SEGMENT_MAGIC.length + 1 || SEGMENT_MAGIC.some((byte, at) => bytes[at] !== byte)) {
    throw damaged('it does not begin like one')
  }
  const version = bytes[SEGMENT_MAGIC.length] ?? 0
  if (version !== SEGMENT_VERSION) throw new Error(`The index segment has version ${version}, not ${SEGMENT_VERSION}.`)
  if (new ByteReader(bytes, end, bytes.length).uint32() !== bytesChecksum(bytes, end)) {
    throw damaged('its checksum is another')
  }
  const reader = new ByteReader(bytes, SEGMENT_MAGIC.length + 1, end)
  const chunkCount = reader.count(CHUNK_BYTES)
  const positions = new Uint32Array(chunkCount)
  const lengths = new Uint32Array(chunkCount * FIELDS)
  const hashes = new Uint32Array(chunkCount * 2)
  for (let chunk = 0; chunk < chunkCount; chunk++) {
    positions[chunk] = reader.varint()
    for (let field = 0; field < FIELDS; field++) lengths[chunk * FIELDS + field] = reader.varint()
    hashes[chunk * 2] = reader.uint32()
    hashes[chunk * 2 + 1] = reader.uint32()
  }
  const languages = readLanguages(reader)
  const segment = { bytes, positions, lengths, hashes, languages, dictionaryStart: reader.position }
  const dictionary = readDictionary(segment)
  checkPostings(segment, dictionary)
  return { ...segment, dictionary }
}

function readLanguages(reader: ByteReader): string[] {
  const decoder = new TextDecoder()
  return Array.from({ length: reader.count(1) }, () => {
    const length = reader.varint()
    const from = reader.skip(length)
    return decoder.decode(reader.bytes.subarray(from, from + length))
  })
}

const WORD_BYTES = 2
const ALIAS_BYTES = 2

/** Reads the dictionary of a segment. Throws on damage. */
export function readDictionary(segment: Pick<Segment, 'bytes' | 'dictionaryStart'>): Dictionary {
  const reader = new ByteReader(segment.bytes, segment.dictionaryStart, segment.bytes.length - CHECKSUM_BYTES)
  const wordCount = reader.count(WORD_BYTES)
  const words = new Uint32Array(wordCount * WORD_FIELDS)
  let postingsLength = 0
  for (let at = 0; at < words.length; at += WORD_FIELDS) {
    const length = reader.varint()
    const start = reader.skip(length)
    const frequency = reader.varint()
    words[at] = start
    words[at + 1] = start + length
    words[at + 2] = frequency
    words[at + 3] = postingsLength
    if (frequency > 0) postingsLength += reader.varint()
  }
  const aliases = new Uint32Array(reader.count(ALIAS_BYTES) * 2)
  for (let at = 0; at < aliases.length; at++) {
    const word = reader.varint()
    if (word >= wordCount) throw damaged('a word stands under one that is not there')
    aliases[at] = word
  }
  if (reader.remaining !== postingsLength) throw damaged('its postings have another size')
  for (let at = 3; at < words.length; at += WORD_FIELDS) words[at] = (words[at] as number) + reader.position
  return { words, aliases }
}

/** Every posting is within its list and names a chunk that is there; chunks rise. */
function checkPostings({ bytes, positions }: Segment, { words }: Dictionary): void {
  const end = bytes.length - CHECKSUM_BYTES
  const reader = new ByteReader(bytes, words[3] ?? end, end)
  for (let word = 0; word < words.length; word += WORD_FIELDS) {
    const frequency = words[word + 2] as number
    if (reader.position !== words[word + 3]) throw damaged('a list of postings has another size')
    let chunk = -1
    for (let at = 0; at < frequency; at++) {
      const posting = reader.varint()
      chunk += (posting >>> 3) + 1
      if (chunk >= positions.length) throw damaged('a posting names a chunk that is not there')
      if ((posting & FLAG_SINGLE_OCCURRENCE) === 0) reader.varint()
    }
  }
  if (reader.remaining !== 0) throw damaged('its postings have another size')
}
