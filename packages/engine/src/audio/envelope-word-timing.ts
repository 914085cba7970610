import type { TimedWord } from '../voice/ports.ts'
import { type AlignedWords, alignWords, PAUSE_STEPS } from './align-words.ts'
import { type AudioCues, extractCues, STEP_MS } from './audio-envelope.ts'
import type { KnownAudio } from './known-audio.ts'
import type { SpokenWeight } from './spoken-weight.ts'

/** Less sound, or fewer peaks in it, tells nothing. */
const MIN_STEPS = 20
const MIN_PEAKS = 3
/** Sound with fewer or more peaks than the text has syllables is not followed; nor one without any for so long. */
const MIN_SYLLABLE_RATIO = 0.6
const MAX_SYLLABLE_RATIO = 1.5
const MAX_SYLLABLE_STEPS = 60
/** The pace so far stands for so many letters beside those that are known of the text. */
const PRIOR_LETTERS = 150

/** Times of words by the shape of their sound; `null`: there is none, or it does not look like the text. */
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
  // What is known of this text tells more of its pace than what was said before.
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
    // A word that was not seen to end goes on for as long as there is sound.
    const unfinishedEndMs = index === aligned.ends.length ? Math.max(audio.toMs, continuedEndMs) : continuedEndMs
    const isLast = audio.isComplete && index === texts.length - 1
    const endMs = isLast ? audio.toMs : known === undefined ? unfinishedEndMs : known.end * STEP_MS
    const word = { text, startMs, endMs }
    startMs = known === undefined ? endMs : known.next * STEP_MS
    return word
  })
}

/** Without pauses, which are no part of the pace. */
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
