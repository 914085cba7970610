/** How long a character takes to speak at the voice's own speed, where a voice tells no times. */
const CHARACTER_MS = 65

/** What a voice has made of a text before it died. */
export interface SynthesizedSpeech {
  readonly synthesizedMs: number
  /** Words that it told times of, from the beginning of the text. */
  readonly words: readonly { readonly text: string; readonly endMs: number }[]
  readonly speed: number
}

/**
 * What of a text is still to be said when the sound of its beginning was made: it begins at a word. A word of which at least half
 * was made is not said again.
 */
export function remainingText(text: string, { synthesizedMs, words, speed }: SynthesizedSpeech): string {
  if (synthesizedMs <= 0) return text
  return words.length > 0
    ? text.slice(offsetByWords(text, words, synthesizedMs)).trim()
    : remainingByRate(text, synthesizedMs * speed)
}

function offsetByWords(text: string, words: SynthesizedSpeech['words'], synthesizedMs: number): number {
  let offset = 0
  let startMs = 0
  for (const { text: word, endMs } of words) {
    if ((startMs + endMs) / 2 > synthesizedMs) break
    const at = text.toLowerCase().indexOf(word.toLowerCase(), offset)
    if (at >= 0) offset = at + word.length
    startMs = endMs
  }
  // Punctuation belongs to the word before it.
  return offset + (/^\S*/.exec(text.slice(offset))?.[0].length ?? 0)
}

function remainingByRate(text: string, synthesizedMs: number): string {
  const made = Math.floor(synthesizedMs / CHARACTER_MS)
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    if (index + word.length / 2 >= made) return text.slice(index).trim()
  }
  return ''
}
