import { computeLevelDb, countFrameSamples, type Frame, type LegRateHz } from '@parley/engine/audio/frame'
import type { SpeechProbability, VoiceClassifier } from '@parley/engine/voice/ports'
import { type AudioWindow, CallerWindows } from './caller-windows.ts'
import type { FvadDetector, FvadMode } from './fvad.ts'
import type { SileroQueue } from './silero-queue.ts'

/** Mode of the gate, which must not miss speech, and mode while the model is unavailable. */
export const GATE_MODE: FvadMode = 1
const FALLBACK_MODE: FvadMode = 3

/** Level of inaudible frames, which need no model. */
const MIN_LEVEL_DB = -60

/** Number of windows without voice after which the gate closes: half a second. */
const HOLD_WINDOWS = 16

/** Classifies windows. */
export type WindowQueue = Pick<SileroQueue, 'isReady' | 'generation' | 'push' | 'forget'>

export interface CallerClassifierOptions {
  readonly callerId: number
  readonly rateHz: LegRateHz
  readonly detector: FvadDetector
  readonly queue: WindowQueue
  readonly onResult: (result: SpeechProbability) => void
  readonly onClose: () => void
}

interface PendingResult {
  readonly endSample: number
  probability: number | null
}

/** Classifies one caller's audio. The model runs only while the gate is open, which is while there is some sound. */
export class CallerClassifier implements VoiceClassifier {
  readonly #options: CallerClassifierOptions
  readonly #windows: CallerWindows
  readonly #frameSamples: number
  /** Results in order. The first one is not known yet. */
  readonly #pending: PendingResult[] = []
  #openWindows = 0
  /** Generation of the queue that knows the caller's recent windows, or null while the gate is closed. */
  #knownGeneration: number | null = null
  #isFallback = false
  #isClosed = false

  constructor(options: CallerClassifierOptions) {
    this.#options = options
    this.#windows = new CallerWindows(options.rateHz)
    this.#frameSamples = countFrameSamples(options.rateHz)
  }

  push(frame: Frame, startSample: number): void {
    if (this.#isClosed) return
    const { detector, queue } = this.#options
    if (this.#isFallback === queue.isReady) {
      this.#isFallback = !queue.isReady
      detector.setMode(this.#isFallback ? FALLBACK_MODE : GATE_MODE)
    }
    const isAccepted = detector.isVoice(this.#fitFrame(frame)) && computeLevelDb(frame) > MIN_LEVEL_DB
    this.#windows.push(frame, { startSample, isAccepted }, (window) => this.#classify(window))
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    const { detector, queue, callerId, onClose } = this.#options
    detector.close()
    queue.forget(callerId)
    onClose()
  }

  #classify({ samples, endSample, isAccepted }: AudioWindow): void {
    const { queue } = this.#options
    this.#openWindows = isAccepted ? HOLD_WINDOWS : Math.max(0, this.#openWindows - 1)
    const result: PendingResult = { endSample, probability: null }
    this.#pending.push(result)
    if (this.#openWindows === 0 || !queue.isReady) {
      this.#knownGeneration = null
      this.#settle(result, isAccepted ? 1 : 0)
      return
    }
    if (this.#knownGeneration !== queue.generation) this.#pushPreRoll()
    this.#pushWindow(samples, (probability) => this.#settle(result, probability ?? (isAccepted ? 1 : 0)))
  }

  /** Lets the model hear what preceded the window. */
  #pushPreRoll(): void {
    for (const samples of this.#windows.listPreRoll()) this.#pushWindow(samples, null)
  }

  /** Resets the model with the first window that it hears. */
  #pushWindow(samples: Int16Array, onResult: ((probability: number | null) => void) | null): void {
    const { queue, callerId, rateHz } = this.#options
    const isReset = this.#knownGeneration !== queue.generation
    this.#knownGeneration = queue.generation
    queue.push({ callerId, rateHz, samples: samples.slice(), isReset, onResult })
  }

  /** Emits all results up to the first one that is not known. */
  #settle(result: PendingResult, probability: number): void {
    result.probability = probability
    while (!this.#isClosed) {
      const first = this.#pending[0]
      if (first === undefined || first.probability === null) return
      this.#pending.shift()
      this.#options.onResult({ endSample: first.endSample, probability: first.probability })
    }
  }

  /** Fits a frame to the detector, which accepts only complete frames. */
  #fitFrame(frame: Frame): Frame {
    if (frame.length === this.#frameSamples) return frame
    const completeFrame = new Int16Array(this.#frameSamples)
    completeFrame.set(frame.subarray(0, this.#frameSamples))
    return completeFrame
  }
}
