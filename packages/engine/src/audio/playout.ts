import type { TimedWord } from '../voice/ports.ts'
import { createFrameFactory, type Frame, frameSamples } from './frame.ts'
import { createSentLedger } from './sent-ledger.ts'
import { createSpeechQueue, type SpeechQueue } from './speech-queue.ts'
import {
  appendAudio,
  type HeardSpeech,
  heardSpeechOfAll,
  measuredCharacterMs,
  newUtterance,
  recordPlayed,
  rewindToWord,
  type Utterance,
} from './utterance.ts'

/** How long a character takes to speak, until a whole utterance has shown it. */
const DEFAULT_CHARACTER_MS = 50
const DEFAULT_PACE_CHARACTERS = 10
const MAX_PACE_CHARACTERS = 200

/** A frame of speech that leaves now. */
export interface SpeechFrame {
  /** The receiver's own; may be changed and kept. */
  readonly frame: Frame
  /** Its place in the stream of all samples that were ever sent. */
  readonly startSample: number
  /** Utterances of which this is the first frame. */
  readonly started: readonly string[]
  /** Utterances that go on with this frame after they had stopped, and where. */
  readonly moved: readonly { readonly utteranceId: string; readonly offsetMs: number }[]
}

/**
 * What the agent says, in order, until it was heard. Positions count in the stream of all samples that were ever sent, sound
 * without speech included (`recordSent`): a line tells the position behind the last sample that it played, and jumps over what
 * it dropped.
 */
export interface Playout {
  /** Queues an utterance behind the others. `text`: what it says, for what was heard of it. A known id is ignored. */
  startUtterance(utteranceId: string, utterance: { generation: number | null; text: string }): void
  /** Keeps the array itself. Ignored for utterances that were cleared or completed. */
  append(utteranceId: string, samples: Int16Array): void
  /** In order, timed from the utterance's first sample; before or after their sound. */
  addWords(utteranceId: string, words: readonly TimedWord[]): void
  /** No sound follows. `ended`: utterances that have been played to their end already, as `played` tells them otherwise. */
  complete(utteranceId: string): { ended: readonly string[] }
  /** `null`: nothing to say now, or paused. Where sound leaves all the same, `recordSent` counts it. */
  nextFrame(): SpeechFrame | null
  /** Counts samples that were sent without speech and tells where they began. */
  recordSent(samples: number): number
  /** How far the line has come. Each utterance is told as ended once; cleared ones never. */
  played(totalPlayedSamples: number): { ended: readonly string[] }
  /** Nothing leaves any more. What was sent and not played is taken back (the line has to be cleared, too). */
  pause(): void
  /** Goes on where it was heard last, at the start of a word that was cut, at most 600 ms earlier, with a fade of 20 ms. */
  resume(): void
  /** Forgets everything that was not played. Ends a pause. */
  clear(): void
  /** Loudness from the next frame on, reached within that frame. */
  duck(gain: number): void
  /** By the id of an utterance or the number of a generation. Only the last 128 ended utterances are remembered. */
  heard(of: string | number): HeardSpeech
  /** `nextFrame` would have speech now. */
  readonly isReady: boolean
  /** Every utterance was played to its end or cleared. */
  readonly isEmpty: boolean
  readonly isPaused: boolean
  /** Samples that ever left. */
  readonly sentSamples: number
  readonly playedSamples: number
  /** Samples of speech that have not left. */
  readonly queuedSamples: number
  /** Times that nothing was there to say in the middle of an utterance. */
  readonly underruns: number
}

const NONE_STARTED: SpeechFrame['started'] = []
const NONE_MOVED: SpeechFrame['moved'] = []

/** A queue of speech for one call. */
export function createPlayout(options: { rateHz: number }): Playout {
  return new QueuedPlayout(options.rateHz)
}

class QueuedPlayout implements Playout {
  readonly #rateHz: number
  readonly #frameSize: number
  readonly #newFrame = createFrameFactory()
  readonly #ledger = createSentLedger<Utterance>()
  readonly #queue: SpeechQueue
  readonly #fader = createFader()
  #isPaused = false
  #characterMs = DEFAULT_CHARACTER_MS
  /** How many characters stand behind that figure; at first, how far the default is trusted. */
  #paceCharacters = DEFAULT_PACE_CHARACTERS

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#frameSize = frameSamples(rateHz)
    this.#queue = createSpeechQueue(this.#frameSize)
  }

  startUtterance(utteranceId: string, { generation, text }: { generation: number | null; text: string }): void {
    if (this.#queue.find(utteranceId) !== undefined) return
    this.#queue.add(newUtterance({ id: utteranceId, generation, text, rateHz: this.#rateHz }))
  }

  append(utteranceId: string, samples: Int16Array): void {
    const utterance = this.#queue.find(utteranceId)
    if (utterance !== undefined) appendAudio(utterance, samples)
  }

  addWords(utteranceId: string, words: readonly TimedWord[]): void {
    this.#queue.find(utteranceId)?.words.push(...words)
  }

  complete(utteranceId: string): { ended: readonly string[] } {
    const utterance = this.#queue.find(utteranceId)
    if (utterance === undefined || utterance.isComplete || utterance.audio === null) return { ended: [] }
    utterance.isComplete = true
    this.#measurePace(utterance)
    return { ended: this.#queue.takeEnded() }
  }

  /** Long utterances count more than short ones, and what was said lately more than what was long ago. */
  #measurePace(utterance: Utterance): void {
    const measuredMs = measuredCharacterMs(utterance)
    if (measuredMs === null) return
    const { length } = utterance.text
    this.#characterMs += ((measuredMs - this.#characterMs) * length) / (this.#paceCharacters + length)
    this.#paceCharacters = Math.min(MAX_PACE_CHARACTERS, this.#paceCharacters + length)
  }

  nextFrame(): SpeechFrame | null {
    const ready = this.#countReady()
    if (ready === 0) return null
    const frame = this.#newFrame(this.#frameSize)
    const startSample = this.#ledger.send(frame.length)
    let started = NONE_STARTED
    let moved = NONE_MOVED
    for (const { of, offset, samples, atSample } of this.#queue.fill(frame, ready)) {
      this.#ledger.note({ startSample: startSample + atSample, samples, of, offset })
      if (of.startSample === null) started = [...started, of.id]
      else if (of.isRepositioned) moved = [...moved, { utteranceId: of.id, offsetMs: (offset * 1000) / this.#rateHz }]
      of.startSample ??= startSample + atSample
      of.isRepositioned = false
    }
    this.#fader.apply(frame)
    return { frame, startSample, started, moved }
  }

  #countReady(): number {
    return this.#isPaused ? 0 : this.#queue.countReady()
  }

  recordSent(samples: number): number {
    return this.#ledger.send(samples)
  }

  played(totalPlayedSamples: number): { ended: readonly string[] } {
    this.#ledger.played(totalPlayedSamples, recordPlayed)
    return { ended: this.#queue.takeEnded() }
  }

  pause(): void {
    this.#isPaused = true
    this.#ledger.withdraw()
    for (const utterance of this.#queue.waiting) {
      utterance.nextSample = utterance.playedTo
      utterance.isRepositioned = true
    }
  }

  resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#ledger.settle()
    const { waiting } = this.#queue
    const interrupted = waiting.find(({ playedTo, totalSamples, isComplete }) => playedTo < totalSamples || !isComplete)
    if (interrupted === undefined || interrupted.playedTo === 0) return
    rewindToWord(interrupted, this.#characterMs)
    this.#fader.fadeIn()
  }

  clear(): void {
    this.#isPaused = false
    this.#ledger.withdraw()
    this.#ledger.settle()
    this.#queue.clear()
  }

  duck(gain: number): void {
    this.#fader.to(gain)
  }

  heard(of: string | number): HeardSpeech {
    const isMatch = ({ id, generation }: Utterance): boolean => (typeof of === 'string' ? id === of : generation === of)
    return heardSpeechOfAll(this.#queue.all().filter(isMatch), this.#characterMs)
  }

  get isReady(): boolean {
    return this.#countReady() > 0
  }

  get isEmpty(): boolean {
    return this.#queue.waiting.length === 0
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  get sentSamples(): number {
    return this.#ledger.sentSamples
  }

  get playedSamples(): number {
    return this.#ledger.playedSamples
  }

  get queuedSamples(): number {
    return this.#queue.waiting.reduce((sum, { totalSamples, nextSample }) => sum + totalSamples - nextSample, 0)
  }

  get underruns(): number {
    return this.#queue.underruns
  }
}

/** Loudness that changes within a frame, so that it does not click. */
interface Fader {
  /** Changes the samples of the next frame. */
  apply(frame: Frame): void
  /** Loudness at the end of the next frame, from 0 to 1. */
  to(gain: number): void
  /** The next frame comes out of silence. */
  fadeIn(): void
}

/** Begins at full loudness. */
function createFader(): Fader {
  let gain = 1
  let nextGain = 1
  return {
    apply(frame) {
      const from = gain
      gain = nextGain
      if (from === 1 && gain === 1) return
      const slope = (gain - from) / frame.length
      for (let index = 0; index < frame.length; index += 1) {
        frame[index] = Math.round((frame[index] as number) * (from + slope * index))
      }
    },
    to(wanted) {
      nextGain = Math.min(1, Math.max(0, wanted))
    },
    fadeIn() {
      gain = 0
    },
  }
}
