import type { TimedWord } from '../voice/ports.ts'
import { type AlignedWords, alignWords, PAUSE_STEPS } from './align-words.ts'
import type { KnownSound } from './known-sound.ts'
import { readCues, type SoundCues, STEP_MS } from './sound-shape.ts'
import type { SpokenWeight } from './spoken-weight.ts'

/** Less sound, or fewer peaks in it, tells nothing. */
const LEAST_STEPS = 20
const LEAST_HEARD = 3
/** Sound with fewer or more peaks than the text has syllables is not followed; nor one without any for so long. */
const LEAST_SYLLABLES = 0.6
const MOST_SYLLABLES = 1.5
const LONGEST_SYLLABLE_STEPS = 60
/** The pace so far stands for so many letters beside those that are known of the text. */
const TRUSTED_LETTERS = 150

/** Times of words by the shape of their sound; `null`: there is none, or it does not look like the text. */
export function estimateFromShape(
  texts: readonly string[],
  { words, lengths }: { readonly words: readonly SpokenWeight[]; readonly lengths: readonly number[] },
  sound: KnownSound,
): TimedWord[] | null {
  const { shape, isComplete, fromMs, toMs, characterMs } = sound
  if (shape === null) return null
  const from = Math.floor(fromMs / STEP_MS)
  const to = Math.min(shape.voice.length, Math.ceil(toMs / STEP_MS))
  const written = words.reduce((sum, { syllables }) => sum + syllables, 0)
  if (to - from < LEAST_STEPS || written === 0) return null
  const cues = readCues(shape)
  const heard = (cues.syllables[to] ?? 0) - (cues.syllables[from] ?? 0)
  const spoken = spokenSteps(cues, from, to)
  const least = Math.max(LEAST_HEARD, isComplete ? written * LEAST_SYLLABLES : spoken / LONGEST_SYLLABLE_STEPS)
  if (heard < least || (isComplete && heard > written * MOST_SYLLABLES)) return null
  let pace = isComplete ? spoken / sumOf(lengths) : characterMs / STEP_MS
  let aligned: AlignedWords | null = null
  // What is known of this text tells more of its pace than what was said before.
  for (let round = 0; round < (isComplete ? 1 : 2); round += 1) {
    aligned = alignWords(words, cues, { from, to, isComplete, pace })
    const last = aligned?.ends.at(-1)
    if (aligned === null || last === undefined) break
    const known = sumOf(lengths.slice(0, aligned.ends.length))
    pace = (pace * TRUSTED_LETTERS + spokenSteps(cues, from, last.end)) / (TRUSTED_LETTERS + known)
  }
  return aligned === null ? null : timeWords(texts, lengths, { aligned, sound, letterMs: pace * STEP_MS })
}

function timeWords(
  texts: readonly string[],
  lengths: readonly number[],
  { aligned, sound, letterMs }: { aligned: AlignedWords; sound: KnownSound; letterMs: number },
): TimedWord[] {
  let startMs = sound.fromMs
  return texts.map((text, index) => {
    const known = aligned.ends[index]
    const goesOnMs = startMs + (lengths[index] ?? 0) * letterMs
    // A word that was not seen to end goes on for as long as there is sound.
    const openMs = index === aligned.ends.length ? Math.max(sound.toMs, goesOnMs) : goesOnMs
    const isEnd = sound.isComplete && index === texts.length - 1
    const endMs = isEnd ? sound.toMs : known === undefined ? openMs : known.end * STEP_MS
    const word = { text, startMs, endMs }
    startMs = known === undefined ? endMs : known.next * STEP_MS
    return word
  })
}

/** Without pauses, which are no part of the pace. */
function spokenSteps({ quiet }: SoundCues, from: number, to: number): number {
  let silent = 0
  for (let step = from + 1; step <= to; step += 1) {
    const soFar = quiet[step] ?? 0
    if (soFar === PAUSE_STEPS) silent += PAUSE_STEPS
    else if (soFar > PAUSE_STEPS) silent += 1
  }
  return to - from - silent
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0)
}
