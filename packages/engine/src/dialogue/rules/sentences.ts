const ABBREVIATION =
  /(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|str|no|nr|approx|incl|excl|etc|e\.g|i\.e|z\.b|d\.h|ca|bzw|inc|ltd|co|jr|sr|[a-z])$/i

/** Splits a text into sentences with their closing marks, in any script. Abbreviations and decimals do not split. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (const { index } of text.matchAll(/[.!?。！？\n]/g)) {
    if (index < start || !endsSentence(text, index)) continue
    let end = index + 1
    while (end < text.length && '.!?"”’)]'.includes(text.charAt(end))) end += 1
    sentences.push(text.slice(start, end).trim())
    start = end
  }
  sentences.push(text.slice(start).trim())
  return sentences.filter((sentence) => sentence !== '')
}

function endsSentence(text: string, index: number): boolean {
  const mark = text.charAt(index)
  if ('\n。！？'.includes(mark)) return true
  if (!/^["”’)\].!?]{0,4}(?:\s|$)/.test(text.slice(index + 1, index + 8))) return false
  if (mark !== '.') return true
  const nextText = text.slice(index + 1, index + 24).trimStart()
  if (/^\p{Ll}/u.test(nextText)) return false
  const precedingText = text.slice(Math.max(0, index - 12), index)
  if (/[ap]\.?m$/i.test(precedingText)) return true
  return (
    !ABBREVIATION.test(precedingText) &&
    !/(?:^|\s)\d{1,2}$/.test(precedingText.slice(-3) + (/^\p{Lu}/u.test(nextText) ? '.' : ''))
  )
}

/** Shortens a text to at most `limit` characters, cut between words and marked with `…`. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text
  const truncatedText = text.slice(0, limit - 1)
  const lastSpace = truncatedText.lastIndexOf(' ')
  return `${truncatedText.slice(0, lastSpace > limit / 2 ? lastSpace : undefined).trimEnd()}…`
}

/** Joins parts into a list such as "a, b and c". */
export function joinList(parts: readonly string[], conjunction = 'and'): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} ${conjunction} ${parts.at(-1)}`
}

/** Removes whitespace and the given marks from the end of a text. */
export function trimEndMarks(text: string, marks: string): string {
  let end = text.length
  while (end > 0 && (text.charAt(end - 1).trim() === '' || marks.includes(text.charAt(end - 1)))) end -= 1
  return text.slice(0, end)
}

/** Capitalizes a text and adds a closing mark. Addresses with `@` or `://` keep their case. */
export function toSentence(text: string): string {
  const trimmedText = text.trim()
  const firstCharacter = /^\S*(?:@|:\/\/)/.test(trimmedText)
    ? trimmedText.charAt(0)
    : trimmedText.charAt(0).toUpperCase()
  const sentence = firstCharacter + trimmedText.slice(1)
  return /[.!?…。！？]["”’)]?$/.test(sentence) || sentence === '' ? sentence : `${trimEndMarks(sentence, ',;:')}.`
}
