import { trimEndMarks } from './cut-text.ts'

const abbreviation =
  /(?:^|[\s(])(?:dr|mr|mrs|ms|prof|st|no|nr|approx|incl|excl|etc|e\.g|i\.e|z\.b|d\.h|a\.m|p\.m|min|max|tel|vs|ca|jr|sr|inc|ltd|co|str|[a-z])$/i

function endsSentence(text: string, position: number): boolean {
  const mark = text.charAt(position)
  if (mark === '。' || mark === '！' || mark === '？') return true
  const next = text.charAt(position + 1)
  if (next !== '' && !/[\s"'”’)\]]/.test(next)) return false
  if (mark !== '.') return true
  const before = text.slice(Math.max(0, position - 12), position)
  const following = text.slice(position + 1, position + 24).trimStart()
  // "3 p.m. Monday" is one sentence less rarely than "at 3 p.m. We …" is two; a lower-case continuation settles the rest.
  if (/^[\p{Ll}]/u.test(following)) return false
  if (
    /(?:^|\s)\d{1,2}$/.test(before) &&
    /^\p{L}/u.test(following) &&
    position < 40 &&
    /^\s*\d{1,2}$/.test(text.slice(0, position))
  )
    return false
  return !abbreviation.test(before) || (/[ap]\.m$/i.test(before) && /^\p{Lu}\p{Ll}*\s/u.test(following))
}

/** Cuts one line of prose into sentences, with their closing marks, whatever the script; abbreviations do not cut. */
export function splitSentences(line: string): string[] {
  const sentences: string[] = []
  let start = 0
  for (let position = 0; position < line.length; position++) {
    const mark = line.charAt(position)
    if (mark !== '.' && mark !== '!' && mark !== '?' && mark !== '。' && mark !== '！' && mark !== '？') continue
    if (!endsSentence(line, position)) continue
    let end = position + 1
    while (end < line.length && /[.!?"'”’)\]]/.test(line.charAt(end))) end++
    const sentence = line.slice(start, end).trim()
    if (sentence !== '') sentences.push(sentence)
    start = end
    position = end - 1
  }
  const rest = line.slice(start).trim()
  if (rest !== '') sentences.push(rest)
  return sentences
}

/** Joins parts as one would say them: "a, b and c". */
export function joinAsSpoken(parts: readonly string[], word = 'and'): string {
  if (parts.length < 2) return parts[0] ?? ''
  return `${parts.slice(0, -1).join(', ')} ${word} ${parts[parts.length - 1]}`
}

/** First letter upper case, closing mark added when there is none. */
export function asSentence(text: string): string {
  const trimmed = text.trim().replace(/[;,:]$/, '')
  if (trimmed === '') return ''
  const upper = trimmed.charAt(0).toUpperCase() + trimmed.slice(1)
  if (/[.!?。！？…]["'”’)]*$/.test(upper)) return upper
  return /[\u3040-\u30ff\u3400-\u9fff]$/.test(upper) ? `${upper}。` : `${upper}.`
}

/** Cuts a text to at most `maximumChars` at a word's end. */
export function shorten(text: string, maximumChars: number): string {
  if (text.length <= maximumChars) return text
  const cut = text.slice(0, maximumChars)
  const space = cut.lastIndexOf(' ')
  return `${trimEndMarks(space > maximumChars / 2 ? cut.slice(0, space) : cut, ',;:–-').replace(/[\ud800-\udbff]$/, '')}…`
}
