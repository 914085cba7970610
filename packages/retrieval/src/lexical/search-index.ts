import { findSimilarWords, type SimilarWord } from './near-words.ts'
import { type Dictionary, FIELDS, readDictionary, readSegment, type Segment, WORD_FIELDS } from './read-segment.ts'
import { createPostingAdder, type PostingScorer } from './score-postings.ts'
import { SourceLists } from './source-lists.ts'
import { Vocabulary } from './vocabulary.ts'

interface IndexedSource {
  readonly key: string
  readonly number: number
  readonly segment: Segment
  /** Number of the source's first chunk within the index. */
  readonly firstChunk: number
  vectors: ChunkVectors | null
}

/** Location of a hit. */
export interface ChunkLocation {
  readonly key: string
  readonly position: number
  /** Equal for passages with equal text. */
  readonly hash: string
}

/** The index is rebuilt if the number of removed chunks exceeds the number of live chunks by this amount. */
const MAX_DEAD_CHUNKS = 256

/**
 * The index of one knowledge base. Sources are added and removed individually, and scores do not depend on the order of
 * changes.
 */
export class SearchIndex {
  #sources = new Map<string, IndexedSource>()
  /** Sources by their number in posting lists; `null` for removed sources. */
  #sourcesByNumber: (IndexedSource | null)[] = []
  /** Number of the first chunk of each source, including removed sources. */
  #firstChunks: number[] = []
  #vocabulary = new Vocabulary()
  #lists = new SourceLists()
  #languages = new Map<string, number>()
  #chunkCount = 0
  #wordCounts = new Array<number>(FIELDS).fill(0)
  #fieldCounts = new Array<number>(FIELDS).fill(0)
  /** Number of chunks, including chunks of removed sources. */
  #chunkCapacity = 0

  /**
   * Adds or replaces the source `key`. Keeps `segment`, which must not change. Throws on a damaged or unknown segment
   * without changing the index.
   */
  add(key: string, segment: Uint8Array): void {
    const { dictionary, ...parsedSegment } = readSegment(segment)
    this.remove(key)
    this.#add({ key, segment: parsedSegment, vectors: null }, dictionary)
  }

  remove(key: string): void {
    const source = this.#sources.get(key)
    if (source === undefined) return
    this.#sources.delete(key)
    this.#sourcesByNumber[source.number] = null
    this.#updateCounts(source.segment, -1)
    const dictionary = readDictionary(source.segment)
    const words = this.#internWords(source.segment, dictionary)
    for (let index = 0; index < words.length; index++) {
      const frequency = dictionary.words[index * WORD_FIELDS + 2] as number
      if (frequency > 0) this.#lists.removePostings(words[index] as number, frequency)
    }
    this.#countAliases(words, dictionary, -1)
    if (this.#chunkCapacity - this.#chunkCount > this.#chunkCount + MAX_DEAD_CHUNKS) this.#rebuild()
  }

  has(key: string): boolean {
    return this.#sources.has(key)
  }

  keys(): Iterable<string> {
    return this.#sources.keys()
  }

  /**
   * Replaces the vectors of a source with copies. `vectors` is indexed by chunk position. Vectors of a different length
   * than the first are ignored.
   */
  setVectors(key: string, vectors: readonly (Float32Array | null)[]): void {
    const source = this.#sources.get(key)
    if (source !== undefined) source.vectors = packVectors(vectors, source.segment.positions)
  }

  get chunkCount(): number {
    return this.#chunkCount
  }

  /** Estimated memory in bytes. */
  get sizeBytes(): number {
    let size = this.#vocabulary.sizeBytes + this.#lists.sizeBytes
    for (const { segment, vectors } of this.#sources.values()) {
      size += segment.bytes.byteLength + segment.positions.byteLength * 4 + 500 + (vectors?.sizeBytes ?? 0)
    }
    return size
  }

  /** Total number of words in texts, headings and titles. */
  get wordCounts(): readonly number[] {
    return this.#wordCounts
  }

  /** Number of chunks with a text, with headings and with a title. */
  get fieldCounts(): readonly number[] {
    return this.#fieldCounts
  }

  get sourceCount(): number {
    return this.#sources.size
  }

  /** Upper bound of chunk numbers, including removed chunks. */
  get chunkCapacity(): number {
    return this.#chunkCapacity
  }

  /** Stemming languages with their number of sources. */
  get languages(): Iterable<readonly [language: string, sources: number]> {
    return this.#languages
  }

  /** Returns the number of chunks that contain the term. */
  getFrequency(term: string): number {
    const word = this.#vocabulary.find(term)
    return word < 0 ? 0 : this.#lists.getFrequency(word)
  }

  /** Returns the terms under which a word is indexed. The word must not have diacritics. */
  findTerms(word: string): string[] {
    const number = this.#vocabulary.find(word)
    return number < 0 ? [] : this.#findTerms(number)
  }

  /** Finds words within `limit` edits and the terms under which they are indexed. */
  findSimilarWords(word: string, limit: number): (SimilarWord & { readonly terms: readonly string[] })[] {
    return findSimilarWords(this.#vocabulary, { word, limit }, (number) => this.#lists.isUsed(number)).map((match) => ({
      ...match,
      terms: this.#findTerms(match.number),
    }))
  }

  /** Adds the scores of a term's postings. */
  addScores(term: string, scorer: PostingScorer): void {
    const word = this.#vocabulary.find(term)
    if (word < 0) return
    const addPostings = createPostingAdder(scorer)
    this.#lists.visitPostings(word, (number, start, frequency) => {
      const source = this.#sourcesByNumber[number]
      if (source) addPostings(source, start, frequency)
    })
  }

  /** Calls `visit` with each chunk that has a vector of the same length, and its cosine similarity. */
  compareVectors(vector: Float32Array, visit: (chunk: number, cosine: number) => void): void {
    for (const { vectors, firstChunk } of this.#sources.values()) {
      vectors?.compare(vector, (chunk, cosine) => visit(firstChunk + chunk, cosine))
    }
  }

  locate(chunk: number): ChunkLocation {
    let low = 0
    let high = this.#sourcesByNumber.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#firstChunks[middle] as number) <= chunk) low = middle
      else high = middle - 1
    }
    const source = this.#sourcesByNumber[low]
    if (!source) throw new Error(`There is no chunk ${chunk}.`)
    const index = chunk - source.firstChunk
    const { positions, hashes } = source.segment
    return {
      key: source.key,
      position: positions[index] as number,
      hash: `${hashes[index * 2]}-${hashes[index * 2 + 1]}`,
    }
  }

  #findTerms(word: number): string[] {
    const terms = this.#lists.listAliases(word)
    if (this.#lists.getFrequency(word) > 0) terms.push(word)
    return terms.map((term) => this.#vocabulary.getText(term)).sort()
  }

  #add({ key, segment, vectors }: Pick<IndexedSource, 'key' | 'segment' | 'vectors'>, dictionary: Dictionary): void {
    const number = this.#sourcesByNumber.length
    const words = this.#internWords(segment, dictionary)
    for (let index = 0; index < words.length; index++) {
      const frequency = dictionary.words[index * WORD_FIELDS + 2] as number
      if (frequency === 0) continue
      this.#lists.addPostings(
        words[index] as number,
        number,
        dictionary.words[index * WORD_FIELDS + 3] as number,
        frequency,
      )
    }
    this.#countAliases(words, dictionary, 1)
    const source: IndexedSource = { key, number, segment, firstChunk: this.#chunkCapacity, vectors }
    this.#sources.set(key, source)
    this.#sourcesByNumber.push(source)
    this.#firstChunks.push(this.#chunkCapacity)
    this.#chunkCapacity += segment.positions.length
    this.#updateCounts(segment, 1)
  }

  #internWords({ bytes }: Segment, { words }: Dictionary): Int32Array {
    const numbers = new Int32Array(words.length / WORD_FIELDS)
    for (let index = 0; index < numbers.length; index++) {
      const start = words[index * WORD_FIELDS] as number
      numbers[index] = this.#vocabulary.intern(bytes, start, words[index * WORD_FIELDS + 1] as number)
    }
    return numbers
  }

  #countAliases(words: Int32Array, { aliases }: Dictionary, count: 1 | -1): void {
    for (let index = 0; index < aliases.length; index += 2) {
      this.#lists.addAlias(
        words[aliases[index] as number] as number,
        words[aliases[index + 1] as number] as number,
        count,
      )
    }
  }

  #updateCounts(segment: Segment, sign: 1 | -1): void {
    this.#chunkCount += sign * segment.positions.length
    for (const [index, length] of segment.lengths.entries()) {
      const field = index % FIELDS
      this.#wordCounts[field] = (this.#wordCounts[field] as number) + sign * length
      if (length > 0) this.#fieldCounts[field] = (this.#fieldCounts[field] as number) + sign
    }
    for (const language of segment.languages) {
      const count = (this.#languages.get(language) ?? 0) + sign
      if (count > 0) this.#languages.set(language, count)
      else this.#languages.delete(language)
    }
  }

  #rebuild(): void {
    const sources = [...this.#sources.values()]
    this.#sources = new Map()
    this.#sourcesByNumber = []
    this.#firstChunks = []
    this.#vocabulary = new Vocabulary()
    this.#lists = new SourceLists()
    this.#languages = new Map()
    this.#chunkCount = 0
    this.#wordCounts.fill(0)
    this.#fieldCounts.fill(0)
    this.#chunkCapacity = 0
    for (const source of sources) this.#add(source, readDictionary(source.segment))
  }
}

/** Vectors of a source's chunks in one array. */
interface ChunkVectors {
  readonly sizeBytes: number
  /** Calls `visit` with each chunk that has a vector, and its cosine similarity. Does nothing if the lengths differ. */
  compare(vector: Float32Array, visit: (chunk: number, cosine: number) => void): void
}

/** Copies vectors; `positions` maps chunks to vectors. */
function packVectors(vectors: readonly (Float32Array | null)[], positions: Uint32Array): ChunkVectors | null {
  const dimensions = vectors.find((vector) => vector !== null)?.length ?? 0
  const chunkVectors: { readonly chunk: number; readonly vector: Float32Array }[] = []
  for (const [chunk, position] of positions.entries()) {
    const vector = vectors[position]
    if (vector && vector.length === dimensions) chunkVectors.push({ chunk, vector })
  }
  if (dimensions === 0 || chunkVectors.length === 0) return null
  const values = new Float32Array(chunkVectors.length * dimensions)
  const chunks = new Uint32Array(chunkVectors.length)
  for (const [row, { chunk, vector }] of chunkVectors.entries()) {
    values.set(vector, row * dimensions)
    chunks[row] = chunk
  }
  return {
    sizeBytes: values.byteLength + chunks.byteLength,
    compare(vector, visit) {
      if (vector.length !== dimensions) return
      for (let row = 0; row < chunks.length; row++)
        visit(chunks[row] as number, computeDotProduct(values, row * dimensions, vector))
    },
  }
}

/** Computes the dot product with four independent sums, so that the CPU can run the additions in parallel. */
function computeDotProduct(values: Float32Array, from: number, vector: Float32Array): number {
  const length = vector.length
  const alignedLength = length - (length % 4)
  let first = 0
  let second = 0
  let third = 0
  let fourth = 0
  let index = 0
  for (; index < alignedLength; index += 4) {
    first += (values[from + index] as number) * (vector[index] as number)
    second += (values[from + index + 1] as number) * (vector[index + 1] as number)
    third += (values[from + index + 2] as number) * (vector[index + 2] as number)
    fourth += (values[from + index + 3] as number) * (vector[index + 3] as number)
  }
  for (; index < length; index++) first += (values[from + index] as number) * (vector[index] as number)
  return first + second + third + fourth
}
