import { foldText } from '../tokenise.ts'

/** More of one passage is not read, so that an answer takes milliseconds whatever the sizes of chunks are. */
const maximumChars = 2_500

/** The part of a long text that holds most of the wanted words, with the paragraphs around it; a short text as it is. */
export function bestPart(text: string, wanted: readonly string[]): string {
  if (text.length <= maximumChars) return text
  const stretches = cutIntoStretches(text.slice(0, maximumChars * 20))
  const counts = stretches.map((stretch) => {
    const folded = foldText(stretch)
    return wanted.filter((word) => folded.includes(word)).length
  })
  let first = counts.indexOf(Math.max(0, ...counts))
  let last = first
  let size = stretches[first]?.length ?? 0
  // What stands after a sentence belongs to it more often than what stands before.
  for (;;) {
    const after = stretches[last + 1]
    const before = stretches[first - 1]
    if (after !== undefined && size + after.length <= maximumChars) {
      last += 1
      size += after.length
    } else if (before !== undefined && size + before.length <= maximumChars) {
      first -= 1
      size += before.length
    } else break
  }
  return stretches
    .slice(first, last + 1)
    .join('')
    .slice(0, maximumChars)
}

/** Lines, and of very long ones pieces that end with a sentence where they can. */
function cutIntoStretches(text: string): string[] {
  return text.match(/[^\n]{1,600}(?:[.!?](?=\s)|\n+|$)|[^\n]{1,600}|\n+/g) ?? []
}
