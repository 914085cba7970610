/**
 * A mark that may end a sentence, with closing quotes and brackets. Scripts that write their own marks need no space behind them.
 * What would begin with a combining mark is no new sentence.
 */
const CANDIDATE =
  /(?<![.!?…؟۔।։።])[.!?…؟۔।։።]{1,200}["'”’»)\]]*\s+(?![\s\p{M}\u200d])|[。！？｡．।။།៕។]{1,200}[”’」』）】]*\s*(?![\s\p{M}\u200d])/gu

/** Words that end with a full stop in the middle of a sentence, in the languages that are met most. */
const ABBREVIATION =
  /(?:^|[\s("'„«])(?:dr|mr|mrs|ms|prof|st|no|nr|nos|approx|incl|excl|inkl|exkl|etc|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|a\.m|p\.m|min|max|tel|vs|ca|bzw|ggf|evtl|zzgl|abs|art|sr|sra|jr|inc|ltd|co|str|av|env|par ex|ej|pág|fig|vol|\p{L})$/iu

/** Characters before a mark in which an abbreviation is looked for. */
const LOOKBEHIND = 12

/** Offsets behind each sentence of a text, white space included; the last one is its length. */
export function sentenceEnds(text: string): number[] {
  const ends: number[] = []
  for (const match of text.matchAll(CANDIDATE)) {
    const end = match.index + match[0].length
    if (end < text.length && isEnd(text, match.index, match[0], end)) ends.push(end)
  }
  ends.push(text.length)
  return ends
}

function isEnd(text: string, markAt: number, mark: string, end: number): boolean {
  if (!mark.startsWith('.') || mark.startsWith('..')) return true
  // "on 3. May" and "no. 4" go on; so does whatever is followed by a small letter.
  if (/^[\p{Ll}]/u.test(text.slice(end, end + 2))) return false
  const before = text.slice(Math.max(0, markAt - LOOKBEHIND), markAt)
  return !/(?:^|\s)\d{1,2}$/.test(before) && !ABBREVIATION.test(before)
}
