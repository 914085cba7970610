import { stopWords } from './stop-words.ts'

const languages = [...stopWords.keys()]

/** For each function word the languages that have it, as bits in the order of `languages`. */
const languageBitsByWord: ReadonlyMap<string, number> = languages.reduce((bits, language, position) => {
  for (const word of stopWords.get(language) ?? []) bits.set(word, (bits.get(word) ?? 0) | (1 << position))
  return bits
}, new Map<string, number>())

/** How many languages share a word says how little it tells about any of them. */
function weightOf(bits: number): number {
  let count = 0
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++
  return 1 / count
}

const MIN_WORDS = 2
const MAX_SAMPLED_WORDS = 400

/**
 * The language (ISO 639-1) whose function words stand in a text most; `null` where nothing tells, as in tables and lists of
 * names. `words` are lower case and without marks.
 */
export function detectLanguage(words: Iterable<string>): string | null {
  const scores = new Array<number>(languages.length).fill(0)
  const counts = new Array<number>(languages.length).fill(0)
  let seen = 0
  for (const word of words) {
    if (seen++ > MAX_SAMPLED_WORDS) break
    const bits = languageBitsByWord.get(word)
    if (bits === undefined) continue
    const weight = weightOf(bits)
    for (let position = 0; position < languages.length; position++) {
      if ((bits & (1 << position)) === 0) continue
      scores[position] = (scores[position] ?? 0) + 1 + weight
      counts[position] = (counts[position] ?? 0) + 1
    }
  }
  let best = -1
  for (let position = 0; position < languages.length; position++) {
    if ((scores[position] ?? 0) > (best < 0 ? 0 : (scores[best] ?? 0))) best = position
  }
  return best >= 0 && (counts[best] ?? 0) >= MIN_WORDS ? (languages[best] ?? null) : null
}
