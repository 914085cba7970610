import type { Recording } from './wav-audio.ts'

/** A word of `synthesizeTones` that was found in a recording. */
export interface ToneWord {
  /** Length of the word, up to 20 letters, which its pitch encodes. */
  readonly letters: number
  readonly startMs: number
  /** Less than 250 ms if a part of the word is missing. */
  readonly durationMs: number
}

const LOUD = 200
/** A tone crosses zero more often, so a longer quiet part is a gap. */
const MIN_GAP_MS = 10
const LOWEST_PITCH_HZ = 200
const PITCH_STEP_HZ = 40

/** Finds the words that `synthesizeTones` has spoken, including parts of words. */
export function findToneWords({ samples, rateHz }: Recording): readonly ToneWord[] {
  const gapSamples = (MIN_GAP_MS * rateHz) / 1_000
  const words: ToneWord[] = []
  let start = -1
  let lastLoud = -1
  for (let index = 0; index <= samples.length; index += 1) {
    const isLoud = Math.abs(samples[index] ?? 0) > LOUD
    if (start >= 0 && !isLoud && (index - lastLoud > gapSamples || index === samples.length)) {
      words.push(toWord(samples.subarray(start, lastLoud + 1), start, rateHz))
      start = -1
    }
    if (!isLoud) continue
    if (start < 0) start = index
    lastLoud = index
  }
  return words
}

function toWord(tone: Int16Array, start: number, rateHz: number): ToneWord {
  let crossings = 0
  for (let index = 1; index < tone.length; index += 1) {
    if ((tone[index] ?? 0) >= 0 !== (tone[index - 1] ?? 0) >= 0) crossings += 1
  }
  const pitchHz = (crossings / 2 / tone.length) * rateHz
  return {
    letters: Math.round((pitchHz - LOWEST_PITCH_HZ) / PITCH_STEP_HZ),
    startMs: (start * 1_000) / rateHz,
    durationMs: (tone.length * 1_000) / rateHz,
  }
}
