import { createHash } from 'node:crypto'
import { buildSegment, type IndexedChunk } from '../../packages/retrieval/src/lexical/build-segment.ts'
import { createChance } from './call-history.ts'
import { type Chance, createLanguage, isFunctionWord, type NextWord } from './knowledge-words.ts'

/** Documents that nobody wrote, for measuring: the same on every run. */

export interface BenchSource {
  readonly sourceId: string
  readonly title: string
  readonly chunks: readonly IndexedChunk[]
  /** Its index, as reading it makes it. */
  readonly segment: Uint8Array
}

const CHUNK_CHARACTERS = 1_200
const CHUNKS_OF_SECTION = 4
const SHORTEST_QUESTION = 3
const LONGEST_QUESTION = 12
/** One question in so many has a word with a slip of the finger. */
const QUESTIONS_PER_TYPO = 5
const SHORTEST_MISTYPED = 5

const language = createLanguage(createChance(7))

/** Makes documents with as many passages as given, one after another until there are `chunkCount` passages. */
export function makeSources(name: string, chunkCount: number, sizes: readonly number[]): readonly BenchSource[] {
  const chance = createChance(4711)
  const sources: BenchSource[] = []
  for (let made = 0; made < chunkCount; ) {
    const size = Math.min(sizes[sources.length % sizes.length] ?? 1, chunkCount - made)
    const source = makeDocument(size, chance)
    const sourceId = `${name}_${String(sources.length).padStart(6, '0')}`
    sources.push({ ...source, sourceId, segment: buildSegment(source.chunks) })
    made += size
  }
  return sources
}

/** A document of so many passages. */
export function makeDocument(size: number, chance: Chance): Pick<BenchSource, 'title' | 'chunks'> {
  const word = language(chance)
  const title = phrase(word, 4)
  let section = ''
  const chunks = Array.from({ length: size }, (_, position): IndexedChunk => {
    if (position % CHUNKS_OF_SECTION === 0) section = phrase(word, 3)
    return { position, title, headings: [section, phrase(word, 3)], text: makeText(word, chance) }
  })
  return { title, chunks }
}

/** What a passage is known by beside its place: equal texts have equal ones. */
export function contentHashOf({ title, headings, text }: IndexedChunk): string {
  return createHash('sha256')
    .update([title, ...headings, text].join('\n'))
    .digest('hex')
}

/** Questions of 3 to 12 words, each out of one passage, function words included, some mistyped. */
export function makeQuestions(sources: readonly BenchSource[], count: number, seed: number): readonly string[] {
  const chance = createChance(seed)
  const chunks = sources.flatMap((source) => source.chunks)
  return Array.from({ length: count }, (_, number) => {
    const { text } = chunks[Math.floor(chance() * chunks.length)] as IndexedChunk
    const words = text.split(' ').map((word) => word.replace(/[.,]$/, ''))
    const length = SHORTEST_QUESTION + Math.floor(chance() * (LONGEST_QUESTION - SHORTEST_QUESTION + 1))
    const places = Array.from({ length }, () => Math.floor(chance() * words.length)).toSorted((one, two) => one - two)
    const asked = places.map((place) => words[place] ?? '')
    if (number % QUESTIONS_PER_TYPO === 0) mistype(asked, chance)
    return asked.join(' ')
  })
}

/** Leaves a letter out, or types one twice, within the longest word. */
function mistype(words: string[], chance: Chance): void {
  const longest = words.filter((word) => !isFunctionWord(word)).toSorted((one, two) => two.length - one.length)[0] ?? ''
  if (longest.length < SHORTEST_MISTYPED) return
  const at = 1 + Math.floor(chance() * (longest.length - 2))
  const wrong =
    chance() < 0.5 ? longest.slice(0, at) + longest.slice(at + 1) : longest.slice(0, at) + longest.slice(at - 1)
  words[words.indexOf(longest)] = wrong
}

function phrase(word: NextWord, length: number): string {
  return capitalised(Array.from({ length }, word).join(' '))
}

function makeText(word: NextWord, chance: Chance): string {
  const sentences: string[] = []
  const limit = CHUNK_CHARACTERS * (0.9 + chance() * 0.2)
  for (let length = 0; length < limit; ) {
    const words = Array.from({ length: 8 + Math.floor(chance() * 12) }, () =>
      chance() < 0.025 ? makeDetail(chance) : word(),
    )
    const sentence = `${capitalised(words.join(' '))}.`
    sentences.push(sentence)
    length += sentence.length + 1
  }
  return sentences.join(' ')
}

/** What tells products, prices and hours apart. */
function makeDetail(chance: Chance): string {
  const number = (below: number): number => Math.floor(chance() * below)
  const kind = number(4)
  if (kind === 0) return `€${number(900)}.${10 + number(90)}`
  if (kind === 1) return `${String.fromCharCode(65 + number(26))}-${100 + number(900)}`
  if (kind === 2) return `${6 + number(16)}:${10 + number(50)}`
  return String(number(3000))
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
