import type { TimedWord } from '../voice/ports.ts'
import type { AudioEnvelope } from './audio-envelope.ts'
import { createUtteranceAudio, type UtteranceAudio } from './utterance-audio.ts'
import { countHeard, estimateWords, findCutWordStart, spokenLength, textOfWords } from './word-timing.ts'

/** Speech never goes back further than this after a pause. */
const MAX_RESUME_REWIND_MS = 600

/** What a caller heard of an utterance, or of all utterances of a generation. */
export interface HeardSpeech {
  readonly text: string
  /** With the provider's times where it gave them, else with estimated ones; from the beginning of the (first) utterance. */
  readonly words: readonly TimedWord[]
  /** Everything of it was heard to its end. */
  readonly complete: boolean
  /** Where in the stream of sent samples its first sample stood; `null`: none has left. */
  readonly startSample: number | null
  /** Its samples that were heard. */
  readonly heardSamples: number
}

/** One utterance on its way to the caller. Positions count its own samples. */
export interface Utterance {
  readonly id: string
  readonly generation: number | null
  readonly text: string
  readonly words: TimedWord[]
  readonly rateHz: number
  /** `null` once it is over: its sound is of no use any more. */
  audio: UtteranceAudio | null
  totalSamples: number
  audible: { readonly fromSample: number; readonly toSample: number } | null
  silences: UtteranceAudio['silences']
  /** What is left of its sound once that is gone, where it is of use. */
  envelope: AudioEnvelope | null
  /** Kept until more is known. */
  estimate: { readonly of: string; readonly words: readonly TimedWord[] } | null
  isComplete: boolean
  /** Its sound has run out before its end. */
  isStarved: boolean
  /** It stopped: what leaves next is heard later than its place tells. */
  isRepositioned: boolean
  startSample: number | null
  /** The next sample to leave. */
  nextSample: number
  /** Played so far; goes back when speech is resumed earlier. */
  playedTo: number
  /** Played at any time. */
  heardTo: number
}

/** An utterance without sound yet. */
export function newUtterance(options: {
  id: string
  generation: number | null
  text: string
  rateHz: number
}): Utterance {
  return {
    ...options,
    text: options.text.trim(),
    words: [],
    audio: createUtteranceAudio(options.rateHz),
    totalSamples: 0,
    audible: null,
    silences: [],
    envelope: null,
    estimate: null,
    isComplete: false,
    isStarved: false,
    isRepositioned: false,
    startSample: null,
    nextSample: 0,
    playedTo: 0,
    heardTo: 0,
  }
}

/** Adds sound at its end. */
export function appendAudio(utterance: Utterance, samples: Int16Array): void {
  const { audio } = utterance
  if (audio === null || utterance.isComplete) return
  audio.append(samples)
  utterance.totalSamples = audio.totalSamples
  utterance.audible = audio.audible
  utterance.silences = audio.silences
}

/** Takes note of how far it was played; `isCurrent` false: it has gone on from elsewhere since. */
export function recordPlayed(utterance: Utterance, toSample: number, isCurrent: boolean): void {
  utterance.heardTo = Math.max(utterance.heardTo, toSample)
  if (!isCurrent) return
  utterance.playedTo = toSample
  utterance.nextSample = Math.max(utterance.nextSample, toSample)
  utterance.audio?.release(toSample - rewindSamples(utterance), utterance.words.length === 0)
}

/** It is over: nothing of its sound is needed any more but what tells when its words were spoken. */
export function releaseAudio(utterance: Utterance): void {
  const { audio, words, estimate } = utterance
  if (audio !== null && words.length === 0 && estimate?.of !== 'all') utterance.envelope = audio.readEnvelope()
  utterance.audio = null
}

/** Goes back to the start of the word that was cut, at most 600 ms. */
export function rewindToWord(utterance: Utterance, characterMs: number): void {
  const { rateHz, playedTo } = utterance
  const wordMs = findCutWordStart(wordsOf(utterance, characterMs), toMs(utterance, playedTo))
  // Counted from what was heard at any time, so that resuming again and again does not go back further and further.
  const earliest = Math.max(0, utterance.heardTo - rewindSamples(utterance))
  utterance.playedTo = Math.min(playedTo, Math.max(Math.ceil((wordMs * rateHz) / 1000), earliest))
  utterance.nextSample = utterance.playedTo
}

/** What was heard of it. `characterMs`: time of a character, for what is not there yet of it. */
export function heardSpeechOf(utterance: Utterance, characterMs: number): HeardSpeech {
  const words = wordsOf(utterance, characterMs)
  const complete = utterance.isComplete && utterance.heardTo >= utterance.totalSamples
  const count = complete ? words.length : countHeard(words, toMs(utterance, utterance.heardTo))
  return {
    text: complete ? utterance.text : textOfWords(utterance.text, words, count),
    words: words.slice(0, count),
    complete,
    startSample: utterance.startSample,
    heardSamples: utterance.heardTo,
  }
}

/** Several utterances in their order as one, whose words are timed as if each followed the other at once. */
export function heardSpeechOfAll(utterances: readonly Utterance[], characterMs: number): HeardSpeech {
  const parts = utterances.map((utterance) => heardSpeechOf(utterance, characterMs))
  const words: TimedWord[] = []
  let offsetMs = 0
  for (const [index, part] of parts.entries()) {
    for (const { text, startMs, endMs } of part.words) {
      words.push({ text, startMs: startMs + offsetMs, endMs: endMs + offsetMs })
    }
    const utterance = utterances[index]
    if (utterance !== undefined) offsetMs += toMs(utterance, utterance.totalSamples)
  }
  const texts = parts.map(({ text }) => text).filter((text) => text !== '')
  return {
    text: texts.join(' '),
    words,
    complete: parts.length > 0 && parts.every(({ complete }) => complete),
    startSample: parts.find(({ startSample }) => startSample !== null)?.startSample ?? null,
    heardSamples: parts.reduce((sum, { heardSamples }) => sum + heardSamples, 0),
  }
}

/** Milliseconds of a character as this whole utterance was spoken; `null`: it is too short to tell. */
export function measuredCharacterMs(utterance: Utterance): number | null {
  const { audible, text } = utterance
  if (audible === null || text.length < 8) return null
  return toMs(utterance, audible.toSample - audible.fromSample) / spokenLength(text)
}

function wordsOf(utterance: Utterance, characterMs: number): readonly TimedWord[] {
  const { words, audible, text, isComplete, totalSamples, estimate } = utterance
  if (words.length > 0) return words
  // Nothing else is known later of what is all there.
  const of = isComplete ? 'all' : `${totalSamples} ${characterMs}`
  if (estimate?.of === of) return estimate.words
  const estimated = estimateWords(text, {
    fromMs: toMs(utterance, audible?.fromSample ?? 0),
    toMs: toMs(utterance, audible?.toSample ?? totalSamples),
    isComplete,
    silences: utterance.silences.map(({ fromSample, toSample }) => {
      return { fromMs: toMs(utterance, fromSample), toMs: toMs(utterance, toSample) }
    }),
    characterMs,
    envelope: utterance.audio?.readEnvelope() ?? utterance.envelope,
  })
  utterance.estimate = { of, words: estimated }
  if (isComplete) utterance.envelope = null
  return estimated
}

function toMs({ rateHz }: Utterance, samples: number): number {
  return (samples * 1000) / rateHz
}

function rewindSamples({ rateHz }: Utterance): number {
  return Math.ceil((MAX_RESUME_REWIND_MS * rateHz) / 1000)
}
