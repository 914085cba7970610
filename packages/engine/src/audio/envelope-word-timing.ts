import type { TimedWord } from '../voice/ports.ts'
import { type AlignedWords, alignWords, PAUSE_STEPS } from './align-words.ts'
import { type AudioCues, extractCues, STEP_MS } from './audio-envelope.ts'
import type { KnownAudio } from './known-audio.ts'
import type { SpokenWeight } from './spoken-weight.ts'

/** Shorter audio or fewer peaks are not conclusive. */
const MIN_STEPS = 20
const MIN_PEAKS = 3
/** Limits on peaks per written syllable, and on steps without one, beyond which the audio does not match the text. */
const MIN_SYLLABLE_RATIO = 0.6
const MAX_SYLLABLE_RATIO = 1.5
const MAX_SYLLABLE_STEPS = 60
/** Weight of the previous pace, in letters. */
const PRIOR_LETTERS = 150

/** Word times by the audio envelope; `null` if there is none or it does not match the text. */
export function estimateFromEnvelope(
  texts: readonly string[],
  { words, lengths }: { readonly words: readonly SpokenWeight[]; readonly lengths: readonly number[] },
  audio: KnownAudio,
): TimedWord[] | null {
  const { envelope, isComplete, fromMs, toMs, characterMs } = audio
  if (envelope === null) return null
  const from = Math.floor(fromMs / STEP_MS)
  const to = Math.min(envelope.voice.length, Math.ceil(toMs / STEP_MS))
  const written = words.reduce((sum, { syllables }) => sum + syllables, 0)
  if (to - from < MIN_STEPS || written === 0) return null
  const cues = extractCues(envelope)
  const heardPeaks = (cues.syllables[to] ?? 0) - (cues.syllables[from] ?? 0)
  const spoken = spokenSteps(cues, from, to)
  const minPeaks = Math.max(MIN_PEAKS, isComplete ? written * MIN_SYLLABLE_RATIO : spoken / MAX_SYLLABLE_STEPS)
  if (heardPeaks < minPeaks || (isComplete && heardPeaks > written * MAX_SYLLABLE_RATIO)) return null
  let pace = isComplete ? spoken / sumOf(lengths) : characterMs / STEP_MS
  let aligned: AlignedWords | null = null
  // The known part of this text is a better estimate of its pace than earlier speech.
  for (let round = 0; round < (isComplete ? 1 : 2); round += 1) {
    aligned = alignWords(words, cues, { from, to, isComplete, pace })
    const last = aligned?.ends.at(-1)
    if (aligned === null || last === undefined) break
    const known = sumOf(lengths.slice(0, aligned.ends.length))
    pace = (pace * PRIOR_LETTERS + spokenSteps(cues, from, last.end)) / (PRIOR_LETTERS + known)
  }
  return aligned === null ? null : timeWords(texts, lengths, { aligned, audio, letterMs: pace * STEP_MS })
}

function timeWords(
  texts: readonly string[],
  lengths: readonly number[],
  { aligned, audio, letterMs }: { aligned: AlignedWords; audio: KnownAudio; letterMs: number },
): TimedWord[] {
  let startMs = audio.fromMs
  return texts.map((text, index) => {
    const known = aligned.ends[index]
    const continuedEndMs = startMs + (lengths[index] ?? 0) * letterMs
    // A word without a known end lasts at least as long as the audio.
    const unfinishedEndMs = index === aligned.ends.length ? Math.max(audio.toMs, continuedEndMs) : continuedEndMs
    const isLast = audio.isComplete && index === texts.length - 1
    const endMs = isLast ? audio.toMs : known === undefined ? unfinishedEndMs : known.end * STEP_MS
    const word = { text, startMs, endMs }
    startMs = known === undefined ? endMs : known.next * STEP_MS
    return word
  })
}

/** Steps without pauses. */
function spokenSteps({ quiet }: AudioCues, from: number, to: number): number {
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
