import { createHash } from 'node:crypto'
import { buildSegment, type IndexedChunk } from '../../packages/retrieval/src/lexical/build-segment.ts'
import { createRandom } from './call-history.ts'
import { createLanguage, isFunctionWord, type NextWord, type Random } from './knowledge-words.ts'

/** Generated documents for benchmarks, identical in every run. */

export interface BenchSource {
  readonly sourceId: string
  readonly title: string
  readonly chunks: readonly IndexedChunk[]
  /** Search index of the source, in the form that the server creates. */
  readonly segment: Uint8Array
}

const CHUNK_CHARACTERS = 1_200
const CHUNKS_PER_SECTION = 4
const MIN_QUESTION_WORDS = 3
const MAX_QUESTION_WORDS = 12
/** One question in this many contains a typo. */
const QUESTIONS_PER_TYPO = 5
const MIN_MISTYPED_LENGTH = 5

const createWordGenerator = createLanguage(createRandom(7))

/** Creates documents with the specified numbers of passages, in rotation, until there are `chunkCount` passages. */
export function createSources(name: string, chunkCount: number, sizes: readonly number[]): readonly BenchSource[] {
  const random = createRandom(4711)
  const sources: BenchSource[] = []
  for (let createdCount = 0; createdCount < chunkCount; ) {
    const size = Math.min(sizes[sources.length % sizes.length] ?? 1, chunkCount - createdCount)
    const source = createDocument(size, random)
    const sourceId = `${name}_${String(sources.length).padStart(6, '0')}`
    sources.push({ ...source, sourceId, segment: buildSegment(source.chunks) })
    createdCount += size
  }
  return sources
}

/** Creates a document with the specified number of passages. */
export function createDocument(size: number, random: Random): Pick<BenchSource, 'title' | 'chunks'> {
  const nextWord = createWordGenerator(random)
  const title = createPhrase(nextWord, 4)
  let section = ''
  const chunks = Array.from({ length: size }, (_, position): IndexedChunk => {
    if (position % CHUNKS_PER_SECTION === 0) section = createPhrase(nextWord, 3)
    return { position, title, headings: [section, createPhrase(nextWord, 3)], text: createText(nextWord, random) }
  })
  return { title, chunks }
}

/** Returns a hash that identifies a passage by its content. Equal texts have equal hashes. */
export function hashContent({ title, headings, text }: IndexedChunk): string {
  return createHash('sha256')
    .update([title, ...headings, text].join('\n'))
    .digest('hex')
}

/** Creates questions of 3 to 12 words, each from one passage. They include function words and some typos. */
export function createQuestions(sources: readonly BenchSource[], count: number, seed: number): readonly string[] {
  const random = createRandom(seed)
  const chunks = sources.flatMap((source) => source.chunks)
  return Array.from({ length: count }, (_, index) => {
    const { text } = chunks[Math.floor(random() * chunks.length)] as IndexedChunk
    const words = text.split(' ').map((word) => word.replace(/[.,]$/, ''))
    const length = MIN_QUESTION_WORDS + Math.floor(random() * (MAX_QUESTION_WORDS - MIN_QUESTION_WORDS + 1))
    const positions = Array.from({ length }, () => Math.floor(random() * words.length)).toSorted((a, b) => a - b)
    const questionWords = positions.map((position) => words[position] ?? '')
    if (index % QUESTIONS_PER_TYPO === 0) addTypo(questionWords, random)
    return questionWords.join(' ')
  })
}

/** Removes or doubles a letter in the longest word. */
function addTypo(words: string[], random: Random): void {
  const longest = words.filter((word) => !isFunctionWord(word)).toSorted((a, b) => b.length - a.length)[0] ?? ''
  if (longest.length < MIN_MISTYPED_LENGTH) return
  const index = 1 + Math.floor(random() * (longest.length - 2))
  const mistyped =
    random() < 0.5
      ? longest.slice(0, index) + longest.slice(index + 1)
      : longest.slice(0, index) + longest.slice(index - 1)
  words[words.indexOf(longest)] = mistyped
}

function createPhrase(nextWord: NextWord, length: number): string {
  return capitalize(Array.from({ length }, nextWord).join(' '))
}

function createText(nextWord: NextWord, random: Random): string {
  const sentences: string[] = []
  const limit = CHUNK_CHARACTERS * (0.9 + random() * 0.2)
  for (let length = 0; length < limit; ) {
    const words = Array.from({ length: 8 + Math.floor(random() * 12) }, () =>
      random() < 0.025 ? createDetail(random) : nextWord(),
    )
    const sentence = `${capitalize(words.join(' '))}.`
    sentences.push(sentence)
    length += sentence.length + 1
  }
  return sentences.join(' ')
}

/** Returns a detail that distinguishes products, prices and business hours. */
function createDetail(random: Random): string {
  const randomInteger = (bound: number): number => Math.floor(random() * bound)
  const kind = randomInteger(4)
  if (kind === 0) return `€${randomInteger(900)}.${10 + randomInteger(90)}`
  if (kind === 1) return `${String.fromCharCode(65 + randomInteger(26))}-${100 + randomInteger(900)}`
  if (kind === 2) return `${6 + randomInteger(16)}:${10 + randomInteger(50)}`
  return String(randomInteger(3000))
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
