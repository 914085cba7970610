import type { TimedWord } from '../voice/ports.ts'
import { type AudioEnvelope, createAudioEnvelope, STEP_MS } from './audio-envelope.ts'
import {
  computeSpokenLength,
  countHeardWords,
  estimateWords,
  findInterruptedWordStart,
  getHeardPrefix,
} from './word-timing.ts'

/** Maximum rewind after a pause. */
const MAX_RESUME_REWIND_MS = 600

/** The part of an utterance that the caller has heard. */
export interface HeardSpeech {
  readonly text: string
  /** Word times from the vendor if available, otherwise estimates, relative to the start of the utterance. */
  readonly words: readonly TimedWord[]
  /** Whether the entire utterance was heard. */
  readonly complete: boolean
  /** Stream position of the first sample, or `null` if none was sent. */
  readonly startSample: number | null
  /** Number of heard samples. */
  readonly heardSamples: number
}

/** An utterance between synthesis and playback. Positions count the utterance's own samples. */
export interface Utterance {
  readonly id: string
  readonly text: string
  readonly words: TimedWord[]
  readonly rateHz: number
  /** The audio, or `null` after the utterance has ended. */
  audio: UtteranceAudio | null
  totalSamples: number
  audibleRange: { readonly fromSample: number; readonly toSample: number } | null
  silences: UtteranceAudio['silences']
  /** The envelope, kept after the audio is released. */
  envelope: AudioEnvelope | null
  /** Estimated word times, cached until more audio arrives. `cacheKey` identifies the audio. */
  estimate: { readonly cacheKey: string; readonly words: readonly TimedWord[] } | null
  isComplete: boolean
  /** Whether the next samples play later than their offset, because the utterance continues after a gap. */
  isRepositioned: boolean
  startSample: number | null
  /** Next sample to send. */
  nextSample: number
  /** Playback position, which moves back if speech resumes earlier. */
  playedSamples: number
  /** Furthest playback position. */
  heardSamples: number
}

export function createUtterance(options: { id: string; text: string; rateHz: number }): Utterance {
  return {
    ...options,
    text: options.text.trim(),
    words: [],
    audio: new UtteranceAudio(options.rateHz),
    totalSamples: 0,
    audibleRange: null,
    silences: [],
    envelope: null,
    estimate: null,
    isComplete: false,
    isRepositioned: false,
    startSample: null,
    nextSample: 0,
    playedSamples: 0,
    heardSamples: 0,
  }
}

export function appendAudio(utterance: Utterance, samples: Int16Array): void {
  const { audio } = utterance
  if (audio === null || utterance.isComplete) return
  audio.append(samples)
  copyAudioState(utterance, audio)
}

/** Drops the audio after a position, and replaces the words. */
export function truncateAudio(utterance: Utterance, samples: number, words: readonly TimedWord[]): void {
  const { audio } = utterance
  if (audio === null || utterance.isComplete) return
  audio.truncate(samples)
  utterance.words.splice(0, utterance.words.length, ...words)
  utterance.estimate = null
  copyAudioState(utterance, audio)
}

function copyAudioState(utterance: Utterance, { totalSamples, audibleRange, silences }: UtteranceAudio): void {
  utterance.totalSamples = totalSamples
  utterance.audibleRange = audibleRange
  utterance.silences = silences
}

/** Records a playback position. If it is outdated (`isCurrent` is false), it only counts as heard. */
export function recordPlayed(utterance: Utterance, playedSample: number, isCurrent: boolean): void {
  utterance.heardSamples = Math.max(utterance.heardSamples, playedSample)
  if (!isCurrent) return
  utterance.playedSamples = playedSample
  utterance.nextSample = Math.max(utterance.nextSample, playedSample)
  utterance.audio?.release(playedSample - getRewindSamples(utterance), utterance.words.length === 0)
}

/** Releases the audio but keeps its envelope if the word times must be estimated. */
export function releaseAudio(utterance: Utterance): void {
  const { audio, words, estimate } = utterance
  if (audio !== null && words.length === 0 && estimate?.cacheKey !== 'all') utterance.envelope = audio.readEnvelope()
  utterance.audio = null
}

/** Moves playback back to the start of the interrupted word, by at most 600 ms. */
export function rewindToWord(utterance: Utterance, characterMs: number): void {
  const { rateHz, playedSamples } = utterance
  const wordMs = findInterruptedWordStart(getWords(utterance, characterMs), toMs(utterance, playedSamples))
  // Limit the rewind from the furthest position, so that repeated resumes do not rewind further and further.
  const earliestSample = Math.max(0, utterance.heardSamples - getRewindSamples(utterance))
  utterance.playedSamples = Math.min(playedSamples, Math.max(Math.ceil((wordMs * rateHz) / 1000), earliestSample))
  utterance.nextSample = utterance.playedSamples
}

/** Returns the heard part of an utterance. `characterMs` is the assumed duration of a character whose audio has not arrived. */
export function getHeardSpeech(utterance: Utterance, characterMs: number): HeardSpeech {
  const words = getWords(utterance, characterMs)
  const complete = utterance.isComplete && utterance.heardSamples >= utterance.totalSamples
  const wordCount = complete ? words.length : countHeardWords(words, toMs(utterance, utterance.heardSamples))
  return {
    text: complete ? utterance.text : getHeardPrefix(utterance.text, words, wordCount),
    words: words.slice(0, wordCount),
    complete,
    startSample: utterance.startSample,
    heardSamples: utterance.heardSamples,
  }
}

/** Heard speech of an unknown utterance. */
export const NOTHING_HEARD: HeardSpeech = { text: '', words: [], complete: false, startSample: null, heardSamples: 0 }

/** Measures a character's average duration in this utterance, or returns `null` if the utterance is too short. */
export function measureCharacterMs(utterance: Utterance): number | null {
  const { audibleRange, text } = utterance
  if (audibleRange === null || text.length < 8) return null
  return toMs(utterance, audibleRange.toSample - audibleRange.fromSample) / computeSpokenLength(text)
}

/** Returns the word times from the vendor, or estimates. */
export function getWords(utterance: Utterance, characterMs: number): readonly TimedWord[] {
  const { words, audibleRange, text, isComplete, totalSamples, estimate } = utterance
  if (words.length > 0) return words
  // The estimate of complete audio never changes.
  const cacheKey = isComplete ? 'all' : `${totalSamples} ${characterMs}`
  if (estimate?.cacheKey === cacheKey) return estimate.words
  const estimatedWords = estimateWords(text, {
    fromMs: toMs(utterance, audibleRange?.fromSample ?? 0),
    toMs: toMs(utterance, audibleRange?.toSample ?? totalSamples),
    isComplete,
    silences: utterance.silences.map(({ fromSample, toSample }) => {
      return { fromMs: toMs(utterance, fromSample), toMs: toMs(utterance, toSample) }
    }),
    characterMs,
    envelope: utterance.audio?.readEnvelope() ?? utterance.envelope,
  })
  utterance.estimate = { cacheKey, words: estimatedWords }
  if (isComplete) utterance.envelope = null
  return estimatedWords
}

/** Distance within which an estimated word boundary is moved to a quieter position. */
const MAX_BOUNDARY_SHIFT_MS = 150

/** Returns the quietest position near a time, or the time itself if the audio is no longer available. */
export function findQuietMs({ audio }: Utterance, nearMs: number): number {
  if (audio === null) return nearMs
  const { voice, hiss } = audio.readEnvelope()
  const getLevel = (step: number): number => Math.max(voice[step] ?? 0, hiss[step] ?? 0)
  const nearStep = Math.round(nearMs / STEP_MS)
  let quietStep = nearStep
  for (let shift = 1; shift <= MAX_BOUNDARY_SHIFT_MS / STEP_MS; shift += 1) {
    for (const step of [nearStep - shift, nearStep + shift]) {
      if (step >= 0 && step < voice.length && getLevel(step) < getLevel(quietStep)) quietStep = step
    }
  }
  return quietStep === nearStep ? nearMs : (quietStep + 1) * STEP_MS
}

function toMs({ rateHz }: Utterance, samples: number): number {
  return (samples * 1000) / rateHz
}

function getRewindSamples({ rateHz }: Utterance): number {
  return Math.ceil((MAX_RESUME_REWIND_MS * rateHz) / 1000)
}

/** Minimum amplitude of audible audio: about -44 dB, above the noise floor of synthetic voices. */
const AUDIBLE_AMPLITUDE = 200
/** Minimum duration of a silence. Closures before consonants are shorter. */
const MIN_SILENCE_MS = 120

interface Chunk {
  readonly offset: number
  readonly samples: Int16Array
}

/** An utterance's samples as they arrive, readable until released. */
class UtteranceAudio {
  /** Silences long enough for a pause, in order. */
  silences: { fromSample: number; toSample: number }[] = []
  /** Number of samples received so far. */
  totalSamples = 0
  readonly #rateHz: number
  readonly #minSilenceSamples: number
  #chunks: Chunk[] = []
  #envelope: ReturnType<typeof createAudioEnvelope>
  #analyzedSamples = 0
  #audibleFrom = -1
  #audibleTo = -1

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#minSilenceSamples = (rateHz * MIN_SILENCE_MS) / 1000
    this.#envelope = createAudioEnvelope(rateHz)
  }

  /** The range of audible samples, or `null` if nothing has been audible yet. */
  get audibleRange(): { readonly fromSample: number; readonly toSample: number } | null {
    return this.#audibleFrom < 0 ? null : { fromSample: this.#audibleFrom, toSample: this.#audibleTo }
  }

  /** Appends samples and takes ownership of them. */
  append(samples: Int16Array): void {
    if (samples.length === 0) return
    const firstAudible = findFirstAudible(samples)
    if (firstAudible >= 0) {
      if (this.#audibleFrom < 0) this.#audibleFrom = this.totalSamples + firstAudible
      this.#recordSilences(samples, firstAudible)
    }
    this.#chunks.push({ offset: this.totalSamples, samples })
    this.totalSamples += samples.length
  }

  /** Drops the samples after a position. */
  truncate(sampleCount: number): void {
    if (sampleCount >= this.totalSamples) return
    this.#chunks = this.#chunks
      .filter(({ offset }) => offset < sampleCount)
      .map(({ offset, samples }) => ({ offset, samples: samples.subarray(0, sampleCount - offset) }))
    this.totalSamples = sampleCount
    this.silences = this.silences.filter(({ toSample }) => toSample <= sampleCount)
    this.#audibleTo = Math.min(this.#audibleTo, sampleCount)
    if (this.#audibleFrom >= sampleCount) this.#audibleFrom = -1
    this.#envelope = createAudioEnvelope(this.#rateHz)
    this.#analyzedSamples = 0
  }

  /** Copies `count` available samples from `offset`. */
  read(offset: number, count: number, target: Int16Array, targetOffset: number): void {
    const end = offset + count
    for (const chunk of this.#chunks) {
      if (chunk.offset >= end) break
      const copyStart = Math.max(offset, chunk.offset)
      const copyEnd = Math.min(end, chunk.offset + chunk.samples.length)
      if (copyStart >= copyEnd) continue
      target.set(
        chunk.samples.subarray(copyStart - chunk.offset, copyEnd - chunk.offset),
        targetOffset + copyStart - offset,
      )
    }
  }

  /** Drops chunks that end before `beforeOffset`. With `keepsEnvelope`, analyzes them first. */
  release(beforeOffset: number, keepsEnvelope: boolean): void {
    let firstChunk = this.#chunks[0]
    while (firstChunk !== undefined && firstChunk.offset + firstChunk.samples.length <= beforeOffset) {
      if (keepsEnvelope) this.#analyzeChunk(firstChunk)
      this.#chunks.shift()
      firstChunk = this.#chunks[0]
    }
  }

  /** Returns the envelope of all samples so far. */
  readEnvelope(): AudioEnvelope {
    for (const chunk of this.#chunks) this.#analyzeChunk(chunk)
    return this.#envelope
  }

  /** Analyzes a chunk only when needed, because voices with word times need no envelope. */
  #analyzeChunk({ offset, samples }: Chunk): void {
    if (offset < this.#analyzedSamples) return
    this.#envelope.append(samples)
    this.#analyzedSamples = offset + samples.length
  }

  /** Records silences after the first audible sample. */
  #recordSilences(samples: Int16Array, firstAudible: number): void {
    const { silences, totalSamples } = this
    const minSilenceSamples = this.#minSilenceSamples
    let audibleTo = this.#audibleTo
    for (let index = firstAudible; index < samples.length; index += 1) {
      if (!isAudible(samples[index] as number)) continue
      const sample = totalSamples + index
      if (audibleTo >= 0 && sample - audibleTo >= minSilenceSamples)
        silences.push({ fromSample: audibleTo, toSample: sample })
      audibleTo = sample + 1
    }
    this.#audibleTo = audibleTo
  }
}

function findFirstAudible(samples: Int16Array): number {
  for (let index = 0; index < samples.length; index += 1) {
    if (isAudible(samples[index] as number)) return index
  }
  return -1
}

function isAudible(sample: number): boolean {
  return sample > AUDIBLE_AMPLITUDE || sample < -AUDIBLE_AMPLITUDE
}
