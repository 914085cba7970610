import { countFrameSamples } from '@parley/engine/audio/frame'
import { toLinear16 } from '../linear16.ts'
import { SampleBuffer } from '../sample-buffer.ts'

/** Audio that is kept without confirmation. Longer audio is dropped from its start. */
const MAX_TAIL_SECONDS = 15
/** Old audio that collects before it is dropped, so that most frames move no memory. */
const SLACK_SECONDS = 1

/** The audio that the vendor has not transcribed yet, kept in order to send it again over another connection. */
export class AudioTail {
  readonly #rateHz: number
  readonly #maxSamples: number
  #buffer: SampleBuffer
  /** Positions in the call after the confirmed and after all audio. */
  #confirmedSample = 0
  #endSample = 0

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#maxSamples = MAX_TAIL_SECONDS * rateHz
    this.#buffer = new SampleBuffer(rateHz)
  }

  /** Position of the first sample that is kept, in seconds since the start of the call. */
  get startSeconds(): number {
    return (this.#endSample - this.#sampleCount) / this.#rateHz
  }

  /** Whether audio was dropped that the vendor has not confirmed. */
  get wasTruncated(): boolean {
    return this.#endSample - this.#confirmedSample > this.#maxSamples
  }

  /** Copies and keeps samples. Returns the copy as bytes. */
  append(samples: Int16Array): Buffer {
    const maxLength = this.#maxSamples + SLACK_SECONDS * this.#rateHz
    if (this.#buffer.length + samples.length > maxLength) this.#buffer.keepLast(this.#maxSamples)
    this.#buffer.append(samples)
    this.#endSample += samples.length
    return toLinear16(samples)
  }

  /** Drops the audio before a time, in seconds since the start of the call. */
  confirmUntil(seconds: number): void {
    const sample = Math.min(this.#endSample, Math.floor(seconds * this.#rateHz))
    if (sample <= this.#confirmedSample) return
    this.#confirmedSample = sample
    this.#buffer.keepLast(this.#sampleCount)
  }

  /** Returns the kept audio in messages of up to `frameCount` frames. */
  getMessages(frameCount: number): readonly Buffer[] {
    const samples = this.#buffer.getSamples().subarray(this.#buffer.length - this.#sampleCount)
    const messageLength = frameCount * countFrameSamples(this.#rateHz)
    const messages: Buffer[] = []
    for (let offset = 0; offset < samples.length; offset += messageLength) {
      messages.push(toLinear16(samples.subarray(offset, offset + messageLength)))
    }
    return messages
  }

  /** Drops all audio and releases its memory. */
  clear(): void {
    this.#confirmedSample = this.#endSample
    this.#buffer = new SampleBuffer(0)
  }

  get #sampleCount(): number {
    return Math.min(this.#maxSamples, this.#endSample - this.#confirmedSample)
  }
}
