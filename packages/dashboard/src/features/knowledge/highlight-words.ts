/** A part of a text. Keywords of the question are highlighted. */
export interface TextPart {
  readonly text: string
  readonly isHighlighted: boolean
}

/** Shorter words in European languages are ignored unless the question contains only short words. */
const MIN_KEYWORD_LETTERS = 4
const ALPHABETIC_PATTERN = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const splitWords = (text: string): string[] =>
  [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [normalizeWord(segment)] : []))

/** Converts a word to lowercase and removes diacritics. */
const normalizeWord = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

function findKeywords(question: string): readonly string[] {
  const words = [...new Set(splitWords(question))]
  const keywords = words.filter((word) => word.length >= MIN_KEYWORD_LETTERS || !ALPHABETIC_PATTERN.test(word))
  return keywords.length > 0 ? keywords : words
}

/** Whether a word matches any keyword. Includes other word forms, such as `wheel` and `wheels`. */
function matchesAnyKeyword(word: string, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => {
    if (word === keyword) return true
    const [shorterWord, longerWord] = word.length < keyword.length ? [word, keyword] : [keyword, word]
    return (
      shorterWord.length >= MIN_KEYWORD_LETTERS &&
      longerWord.length - shorterWord.length <= 2 &&
      longerWord.startsWith(shorterWord)
    )
  })
}

/** Splits a text into parts and highlights the keywords of a question. */
export function highlightWords(text: string, question: string): TextPart[] {
  const keywords = findKeywords(question)
  if (keywords.length === 0) return text === '' ? [] : [{ text, isHighlighted: false }]
  const parts: TextPart[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const isHighlighted = isWordLike === true && matchesAnyKeyword(normalizeWord(segment), keywords)
    const lastPart = parts.at(-1)
    if (lastPart !== undefined && !lastPart.isHighlighted && !isHighlighted) {
      parts[parts.length - 1] = { text: lastPart.text + segment, isHighlighted: false }
    } else parts.push({ text: segment, isHighlighted })
  }
  return parts
}
