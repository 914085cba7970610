import type { Frame, LegRateHz } from '../../audio/frame.ts'
import type { OpenTurnDetector, TurnDetector } from '../ports.ts'
import type { VoiceEvent } from '../turn-machine/events.ts'

/** Maximum duration of audio for the detector. */
const MAX_AUDIO_MS = 8_000
/** Audio before the detected start of voice, so that no quiet syllable is missing. */
const PRE_ROLL_MS = 500

interface TurnDetectionOptions {
  readonly rateHz: LegRateHz
  /** Returns the caller's sample that was recorded at a time. */
  readonly getSampleAt: (timeMs: number) => number
  readonly openTurnDetector: OpenTurnDetector
  readonly post: (event: VoiceEvent) => void
}

/** Asks a turn detector about the caller's audio. Never waits for its answer. */
export class TurnDetection {
  readonly #options: TurnDetectionOptions
  readonly #audio: RecentAudio
  readonly #detector: TurnDetector

  constructor(options: TurnDetectionOptions) {
    this.#options = options
    this.#audio = new RecentAudio((options.rateHz * MAX_AUDIO_MS) / 1_000)
    this.#detector = options.openTurnDetector()
  }

  push(frame: Frame, startSample: number): void {
    this.#audio.push(frame, startSample)
  }

  /** Asks whether the caller has finished. An answer becomes an event, which is ignored if voice has started since. */
  estimate({ pauseId, sinceMs }: { readonly pauseId: number; readonly sinceMs: number }): void {
    const { getSampleAt, post } = this.#options
    const samples = this.#audio.copySince(getSampleAt(sinceMs - PRE_ROLL_MS))
    void this.#detector.estimate(samples).then((probability) => {
      if (probability !== null) post({ type: 'turn-end-estimated', pauseId, probability })
    })
  }

  close(): void {
    this.#detector.close()
  }
}

/** The caller's last samples. */
class RecentAudio {
  readonly #ring: Int16Array
  /** Number of samples ever pushed. */
  #pushedSamples = 0
  /** The caller's sample at the end of the last frame. */
  #endSample = 0

  constructor(maxSamples: number) {
    this.#ring = new Int16Array(maxSamples)
  }

  push(frame: Frame, startSample: number): void {
    const offset = this.#pushedSamples % this.#ring.length
    const fittingSamples = Math.min(frame.length, this.#ring.length - offset)
    this.#ring.set(frame.subarray(0, fittingSamples), offset)
    this.#ring.set(frame.subarray(fittingSamples), 0)
    this.#pushedSamples += frame.length
    this.#endSample = startSample + frame.length
  }

  /** Returns a copy of the audio since a sample of the caller. Lost audio is missing. */
  copySince(startSample: number): Int16Array {
    const availableSamples = Math.min(this.#pushedSamples, this.#ring.length)
    const count = Math.min(availableSamples, Math.max(0, this.#endSample - startSample))
    const samples = new Int16Array(count)
    const offset = (this.#pushedSamples - count) % this.#ring.length
    const firstPart = this.#ring.subarray(offset, offset + count)
    samples.set(firstPart)
    samples.set(this.#ring.subarray(0, count - firstPart.length), firstPart.length)
    return samples
  }
}
