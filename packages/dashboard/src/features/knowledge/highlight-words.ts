/** A part of a text, and whether it is a word of the question. */
export interface TextPart {
  readonly text: string
  readonly isMarked: boolean
}

/** Shorter words of European languages are highlighted only without longer words in the question. */
const MIN_KEYWORD_LETTERS = 4
const ALPHABETIC = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const wordsOf = (text: string): string[] =>
  [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [fold(segment)] : []))

/** Ignores case and diacritics. */
const fold = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

function keywordsOf(question: string): readonly string[] {
  const words = [...new Set(wordsOf(question))]
  const keywords = words.filter((word) => word.length >= MIN_KEYWORD_LETTERS || !ALPHABETIC.test(word))
  return keywords.length > 0 ? keywords : words
}

/** Also matches other forms of a word, such as `wheel` and `wheels`. */
function matchesAny(word: string, words: readonly string[]): boolean {
  return words.some((wanted) => {
    if (word === wanted) return true
    const [short, long] = word.length < wanted.length ? [word, wanted] : [wanted, word]
    return short.length >= MIN_KEYWORD_LETTERS && long.length - short.length <= 2 && long.startsWith(short)
  })
}

/** Splits a text at the words of a question; the joined parts are the text. */
export function highlightWords(text: string, question: string): TextPart[] {
  const words = keywordsOf(question)
  if (words.length === 0) return text === '' ? [] : [{ text, isMarked: false }]
  const parts: TextPart[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const isMarked = isWordLike === true && matchesAny(fold(segment), words)
    const last = parts.at(-1)
    if (last !== undefined && !last.isMarked && !isMarked) {
      parts[parts.length - 1] = { text: last.text + segment, isMarked: false }
    } else parts.push({ text: segment, isMarked })
  }
  return parts
}
