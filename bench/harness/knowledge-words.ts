/** Words with the frequency distribution of a language: English function words followed by invented words. */

const FUNCTION_WORDS =
  `the of and to a in is that for it with as on be at by this are from or have an not you which can will
  if has your when we all one there their more any they but been its must should other may these no who into than up out only
  also our time after before about most over such two each both during where under between through because while within without
  how what then some them so per every until here another same own again once`.split(/\s+/)
const SYLLABLES =
  `ba ber bran cal cor dan del dor e fal fer gar gon ha hel i jo kal ker lan lin lo mar men mi na nor o pa pel
  plo quin ra ren ro sa sel sta stri ta ter tol tra u va ver wen wil yar zen`.split(/\s+/)
const CODAS = ['', '', 'n', 'r', 't', 'l', 's', 'nd', 'rt', 'mp']
const ENDINGS = ['', '', 's', 's', 'ed', 'ing', 'er', 'ly']

/** Random length added to each word, so that some longer words get a high rank. */
const LENGTH_JITTER = 8
/** Number of word forms, more than any benchmark knowledge base uses. */
const WORDS = 200_000
/** Zipf-Mandelbrot law: the frequency of the word with rank r is 1 / (r + offset) ^ exponent. */
const EXPONENT = 1.3
const OFFSET = 2.7
/** First rank of the words that can be the topic of a document. */
const FIRST_TOPIC_RANK = 300
const LAST_TOPIC_RANK = 20_000
const TOPIC_WORDS = 300
/** Share of topic words in a document. */
const TOPIC_RATIO = 0.4

export type Random = () => number
export type NextWord = () => string

/** Creates word generators. Each document has its own topic, but all documents share one language. */
export function createLanguage(seed: Random): (random: Random) => NextWord {
  const words = createWords(seed)
  const bounds = new Float64Array(WORDS)
  let sum = 0
  for (let rank = 0; rank < WORDS; rank += 1) {
    sum += 1 / (rank + 1 + OFFSET) ** EXPONENT
    bounds[rank] = sum
  }
  const chooseCommonWord = (random: Random): string => words[findRank(bounds, random() * sum)] ?? ''
  return (random) => {
    const topic = Array.from({ length: TOPIC_WORDS }, () => words[chooseTopicRank(random)] ?? '')
    return () =>
      random() < TOPIC_RATIO ? (topic[Math.floor(random() ** 3 * TOPIC_WORDS)] ?? '') : chooseCommonWord(random)
  }
}

export function isFunctionWord(word: string): boolean {
  return FUNCTION_WORDS.includes(word.toLowerCase())
}

/** Returns a random rank, distributed evenly over the orders of magnitude. */
function chooseTopicRank(random: Random): number {
  return Math.floor(FIRST_TOPIC_RANK * (LAST_TOPIC_RANK / FIRST_TOPIC_RANK) ** random())
}

/** Returns the first rank with a bound greater than the value. */
function findRank(bounds: Float64Array, value: number): number {
  let low = 0
  let high = bounds.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if ((bounds[middle] ?? 0) > value) high = middle
    else low = middle + 1
  }
  return low
}

/**
 * Creates the words by rank. Forms of one stem get different ranks, and frequent words are usually shorter, as in natural
 * languages.
 */
function createWords(random: Random): readonly string[] {
  const pickItem = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const words = new Set<string>()
  const stems: string[] = []
  while (words.size < WORDS - FUNCTION_WORDS.length) {
    if (stems.length === 0 || random() < 0.4) {
      const syllables = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pickItem(SYLLABLES))
      stems.push(syllables.join('') + pickItem(CODAS))
    }
    words.add(pickItem(stems) + pickItem(ENDINGS))
  }
  const contentWords = Array.from(words, (word) => ({ word, sortKey: word.length + random() * LENGTH_JITTER }))
  contentWords.sort((a, b) => a.sortKey - b.sortKey)
  return [...FUNCTION_WORDS, ...contentWords.map(({ word }) => word)]
}
