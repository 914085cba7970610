import { type ChunkVectors, packVectors } from './chunk-vectors.ts'
import { type NearWord, nearWords, type WordPattern } from './near-words.ts'
import { type Dictionary, FIELDS, readDictionary, readSegment, type Segment, WORD_FIELDS } from './read-segment.ts'
import { createPostingAdder, type PostingScorer } from './score-postings.ts'
import { SourceLists } from './source-lists.ts'
import { Vocabulary } from './vocabulary.ts'

/** A source within an index. */
interface IndexedSource {
  readonly key: string
  readonly number: number
  readonly segment: Segment
  /** Number of its first chunk among the chunks of the index. */
  readonly firstChunk: number
  vectors: ChunkVectors | null
}

/** Where a hit stands. */
export interface ChunkLocation {
  readonly key: string
  readonly position: number
  /** The same for passages with the same text. */
  readonly hash: string
}

/** The index is rebuilt when it holds more of what was removed than of what is there. */
const MAX_DEAD_CHUNKS = 256

/**
 * The index of ONE knowledge base, brought up to date source by source. Scores depend only on which sources it holds, never on
 * the order of changes.
 */
export class SearchIndex {
  #sources = new Map<string, IndexedSource>()
  /** By the numbers that posting lists carry; `null` for those that are gone. */
  #numbered: (IndexedSource | null)[] = []
  /** Of the same sources, those that are gone included. */
  #firstChunks: number[] = []
  #vocabulary = new Vocabulary()
  #lists = new SourceLists()
  #languages = new Map<string, number>()
  #chunkCount = 0
  #wordCounts = new Array<number>(FIELDS).fill(0)
  #fieldCounts = new Array<number>(FIELDS).fill(0)
  /** Chunks of sources that are gone included. */
  #chunkCapacity = 0

  /**
   * `key` names a source at one generation; one that is there already is replaced. Keeps `segment`, which must not change any
   * more. Throws on a segment that is damaged or of an unknown version, and is then as it was before.
   */
  add(key: string, segment: Uint8Array): void {
    const { dictionary, ...read } = readSegment(segment)
    this.remove(key)
    this.#add({ key, segment: read, vectors: null }, dictionary)
  }

  remove(key: string): void {
    const source = this.#sources.get(key)
    if (source === undefined) return
    this.#sources.delete(key)
    this.#numbered[source.number] = null
    this.#count(source.segment, -1)
    const dictionary = readDictionary(source.segment)
    const words = this.#intern(source.segment, dictionary)
    for (let at = 0; at < words.length; at++) {
      const frequency = dictionary.words[at * WORD_FIELDS + 2] as number
      if (frequency > 0) this.#lists.removePostings(words[at] as number, frequency)
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
   * Vectors of a source's chunks by position; `null` for chunks without one. Replaces earlier ones. All are copied; those of
   * another length than the first are left out.
   */
  setVectors(key: string, vectors: readonly (Float32Array | null)[]): void {
    const source = this.#sources.get(key)
    if (source !== undefined) source.vectors = packVectors(vectors, source.segment.positions)
  }

  get chunkCount(): number {
    return this.#chunkCount
  }

  /** What it holds in memory, estimated. */
  get sizeBytes(): number {
    let size = this.#vocabulary.sizeBytes + this.#lists.sizeBytes
    for (const { segment, vectors } of this.#sources.values()) {
      size += segment.bytes.byteLength + segment.positions.byteLength * 4 + 500 + (vectors?.sizeBytes ?? 0)
    }
    return size
  }

  /** Words of the texts, headings and titles of all chunks. */
  get wordCounts(): readonly number[] {
    return this.#wordCounts
  }

  /** Chunks that have a text, headings and a title. */
  get fieldCounts(): readonly number[] {
    return this.#fieldCounts
  }

  get sourceCount(): number {
    return this.#sources.size
  }

  /** Numbers of chunks are below it. */
  get chunkCapacity(): number {
    return this.#chunkCapacity
  }

  /** Languages that words were stemmed in, with the number of sources of each. */
  get languages(): Iterable<readonly [language: string, sources: number]> {
    return this.#languages
  }

  /** How many chunks have a term. */
  frequencyOf(term: string): number {
    const word = this.#vocabulary.find(term)
    return word < 0 ? 0 : this.#lists.frequency(word)
  }

  /** The terms that a word, without marks, is indexed under. */
  termsOf(word: string): string[] {
    const number = this.#vocabulary.find(word)
    return number < 0 ? [] : this.#termsOf(number)
  }

  /** Words that are like a pattern, with the terms that they are indexed under. */
  nearWords(pattern: WordPattern): (NearWord & { readonly terms: readonly string[] })[] {
    return nearWords(this.#vocabulary, pattern, (word) => this.#lists.isUsed(word)).map((near) => ({
      ...near,
      terms: this.#termsOf(near.number),
    }))
  }

  /** Lets the postings of a term count. */
  score(term: string, scorer: PostingScorer): void {
    const word = this.#vocabulary.find(term)
    if (word < 0) return
    const add = createPostingAdder(scorer)
    this.#lists.visitPostings(word, (number, start, frequency) => {
      const source = this.#numbered[number]
      if (source) add(source, start, frequency)
    })
  }

  /** Calls back with each chunk that has a vector of the length of `vector` and their cosine. */
  compareVectors(vector: Float32Array, visit: (chunk: number, cosine: number) => void): void {
    for (const { vectors, firstChunk } of this.#sources.values()) {
      vectors?.compare(vector, (chunk, cosine) => visit(firstChunk + chunk, cosine))
    }
  }

  place(chunk: number): ChunkLocation {
    let low = 0
    let high = this.#numbered.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#firstChunks[middle] as number) <= chunk) low = middle
      else high = middle - 1
    }
    const source = this.#numbered[low]
    if (!source) throw new Error(`There is no chunk ${chunk}.`)
    const at = chunk - source.firstChunk
    const { positions, hashes } = source.segment
    return { key: source.key, position: positions[at] as number, hash: `${hashes[at * 2]}-${hashes[at * 2 + 1]}` }
  }

  #termsOf(word: number): string[] {
    const terms = this.#lists.aliases(word)
    if (this.#lists.frequency(word) > 0) terms.push(word)
    return terms.map((term) => this.#vocabulary.text(term)).sort()
  }

  #add({ key, segment, vectors }: Pick<IndexedSource, 'key' | 'segment' | 'vectors'>, dictionary: Dictionary): void {
    const number = this.#numbered.length
    const words = this.#intern(segment, dictionary)
    for (let at = 0; at < words.length; at++) {
      const frequency = dictionary.words[at * WORD_FIELDS + 2] as number
      if (frequency === 0) continue
      this.#lists.addPostings(words[at] as number, number, dictionary.words[at * WORD_FIELDS + 3] as number, frequency)
    }
    this.#countAliases(words, dictionary, 1)
    const source: IndexedSource = { key, number, segment, firstChunk: this.#chunkCapacity, vectors }
    this.#sources.set(key, source)
    this.#numbered.push(source)
    this.#firstChunks.push(this.#chunkCapacity)
    this.#chunkCapacity += segment.positions.length
    this.#count(segment, 1)
  }

  #intern({ bytes }: Segment, { words }: Dictionary): Int32Array {
    const numbers = new Int32Array(words.length / WORD_FIELDS)
    for (let at = 0; at < numbers.length; at++) {
      const start = words[at * WORD_FIELDS] as number
      numbers[at] = this.#vocabulary.intern(bytes, start, words[at * WORD_FIELDS + 1] as number)
    }
    return numbers
  }

  #countAliases(words: Int32Array, { aliases }: Dictionary, count: 1 | -1): void {
    for (let at = 0; at < aliases.length; at += 2) {
      this.#lists.addAlias(words[aliases[at] as number] as number, words[aliases[at + 1] as number] as number, count)
    }
  }

  #count(segment: Segment, sign: 1 | -1): void {
    this.#chunkCount += sign * segment.positions.length
    for (const [at, length] of segment.lengths.entries()) {
      const field = at % FIELDS
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
    this.#numbered = []
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
