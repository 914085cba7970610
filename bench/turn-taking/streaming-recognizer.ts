import type { CallerEvent } from './scenario.ts'

/**
 * Emulates a streaming recognizer, which knows what the caller says. Each word appears in an interim text 250 to 350 ms after it
 * was spoken, and the final text follows 300 ms after the end of the utterance.
 */

export interface RecognitionMessage {
  /** Time relative to the start of the event's audio. */
  readonly atMs: number
  readonly utterance: number
  readonly text: string
  readonly stage: 'interim' | 'final'
}

const WORD_DELAY_MS = { min: 250, max: 350 }
const FINAL_DELAY_MS = 300

/** Returns the messages in order. */
export function planRecognition({ utterances }: CallerEvent, random: () => number): RecognitionMessage[] {
  return utterances.flatMap(({ words, endMs }, utterance) => {
    const finalAtMs = endMs + FINAL_DELAY_MS
    const interims = words.map((word, index): RecognitionMessage => {
      const delayMs = WORD_DELAY_MS.min + (WORD_DELAY_MS.max - WORD_DELAY_MS.min) * random()
      const text = joinWords(words.slice(0, index + 1).map((spoken) => spoken.text))
      return { atMs: Math.min(word.endMs + delayMs, finalAtMs), utterance, text, stage: 'interim' }
    })
    const text = words.map((word) => word.text).join(' ')
    return [...interims, { atMs: finalAtMs, utterance, text, stage: 'final' }]
  })
}

/** Interim texts do not end with punctuation, because the recognizer does not know yet what follows. */
function joinWords(words: readonly string[]): string {
  return words.join(' ').replace(/[.,?!]+$/, '')
}
