/** A piece of a text, and whether it is a word of the question. */
export interface TextPiece {
  readonly text: string
  readonly isMarked: boolean
}

/** Shorter words of European languages say little: they are marked only where a question has no others. */
const TELLING_LETTERS = 4
const OFTEN_SHORT = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]+$/u

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

const wordsOf = (text: string): string[] =>
  [...segmenter.segment(text)].flatMap(({ segment, isWordLike }) => (isWordLike ? [fold(segment)] : []))

/** Without case and marks on letters, as people search. */
const fold = (word: string): string => word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The words of a question that tell what it is about. */
function tellingWords(question: string): readonly string[] {
  const words = [...new Set(wordsOf(question))]
  const telling = words.filter((word) => word.length >= TELLING_LETTERS || !OFTEN_SHORT.test(word))
  return telling.length > 0 ? telling : words
}

/** Whether a word is one of the question, in another form perhaps: `wheel` and `wheels`. */
function isOneOf(word: string, words: readonly string[]): boolean {
  return words.some((wanted) => {
    if (word === wanted) return true
    const [short, long] = word.length < wanted.length ? [word, wanted] : [wanted, word]
    return short.length >= TELLING_LETTERS && long.length - short.length <= 2 && long.startsWith(short)
  })
}

/** Cuts a text where words of the question begin and end; joined, the pieces are the text. */
export function markWords(text: string, question: string): TextPiece[] {
  const words = tellingWords(question)
  if (words.length === 0) return text === '' ? [] : [{ text, isMarked: false }]
  const pieces: TextPiece[] = []
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    const isMarked = isWordLike === true && isOneOf(fold(segment), words)
    const last = pieces.at(-1)
    if (last !== undefined && !last.isMarked && !isMarked) {
      pieces[pieces.length - 1] = { text: last.text + segment, isMarked: false }
    } else pieces.push({ text: segment, isMarked })
  }
  return pieces
}
