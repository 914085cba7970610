/** A part of a text. Words of the question are marked. */
export interface TextPart {
  readonly text: string
  readonly isMarked: boolean
}

/** Shorter words in European languages are ignored unless the question contains only short words. */
const MIN_KEYWORD_LETTERS = 4
const ALPHABETIC = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const splitWords = (text: string): string[] =>
  [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [foldWord(segment)] : []))

/** Removes case and diacritics. */
const foldWord = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

function findKeywords(question: string): readonly string[] {
  const words = [...new Set(splitWords(question))]
  const keywords = words.filter((word) => word.length >= MIN_KEYWORD_LETTERS || !ALPHABETIC.test(word))
  return keywords.length > 0 ? keywords : words
}

/** Whether a word matches any keyword. Includes other word forms, such as `wheel` and `wheels`. */
function matchesAnyKeyword(word: string, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => {
    if (word === keyword) return true
    const [shorter, longer] = word.length < keyword.length ? [word, keyword] : [keyword, word]
    return shorter.length >= MIN_KEYWORD_LETTERS && longer.length - shorter.length <= 2 && longer.startsWith(shorter)
  })
}

/** Splits a text at the words in a question. Joining the parts returns the text. */
export function highlightWords(text: string, question: string): TextPart[] {
  const keywords = findKeywords(question)
  if (keywords.length === 0) return text === '' ? [] : [{ text, isMarked: false }]
  const parts: TextPart[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const isMarked = isWordLike === true && matchesAnyKeyword(foldWord(segment), keywords)
    const lastPart = parts.at(-1)
    if (lastPart !== undefined && !lastPart.isMarked && !isMarked) {
      parts[parts.length - 1] = { text: lastPart.text + segment, isMarked: false }
    } else parts.push({ text: segment, isMarked })
  }
  return parts
}
