const HYPHENATED = /(?<!\p{L})(\p{L}+)-$/u
/** Longer than any word that a line break divides. */
const MAX_WORD_LENGTH = 100
const DOT_LEADERS = /(?:\s?[.·…_]){4,}/g

/** Words of a document with a hyphen inside, in lower case: they keep it where a line ends with it. */
export function hyphenatedWords(texts: Iterable<string>): Set<string> {
  const words = new Set<string>()
  for (const text of texts)
    for (const [word] of text.matchAll(/(?<!\p{L})\p{L}+-\p{L}+/gu)) words.add(word.toLowerCase())
  return words
}

/** One text of lines that were broken to fit: words that were divided are whole again, rows of dots are short. */
export function joinLines(lines: readonly string[], hyphenated: ReadonlySet<string>): string {
  let text = ''
  for (const line of lines) {
    const next = line.trim().replace(DOT_LEADERS, ' … ')
    const wordStart = HYPHENATED.exec(text.slice(-MAX_WORD_LENGTH))?.[1]
    const rest = /^\p{Ll}+/u.exec(next)?.[0]
    const isSoftHyphen = text.endsWith('\u00ad')
    if (isSoftHyphen) text = text.slice(0, -1) + next
    else if (wordStart !== undefined && rest !== undefined) {
      text = hyphenated.has(`${wordStart}-${rest}`.toLowerCase()) ? text + next : text.slice(0, -1) + next
    } else text += (text === '' || isDense(text, next) ? '' : ' ') + next
  }
  return text
}

/** Scripts without spaces get none at the end of a line. */
function isDense(text: string, next: string): boolean {
  const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u
  return wide.test(text.at(-1) ?? '') && wide.test(next.at(0) ?? '')
}
