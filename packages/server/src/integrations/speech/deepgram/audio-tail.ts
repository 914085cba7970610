import { toLinear16 } from './deepgram-wire.ts'

/** Audio that is kept without confirmation. Longer audio is dropped from its start. */
const MAX_TAIL_SECONDS = 15

/** A part of the audio with the position of its first sample in the call. */
interface AudioPart {
  readonly startSample: number
  readonly bytes: Buffer
}

/** The audio that the vendor has not transcribed yet, kept in order to send it again over another connection. */
export class AudioTail {
  readonly #maxSamples: number
  readonly #rateHz: number
  #parts: AudioPart[] = []
  /** Index of the first part that is still needed. */
  #firstIndex = 0
  #endSample = 0
  #wasTruncated = false

  constructor(rateHz: number) {
    this.#rateHz = rateHz
    this.#maxSamples = MAX_TAIL_SECONDS * rateHz
  }

  /** Position of the first sample that is kept, in seconds since the start of the call. */
  get startSeconds(): number {
    return (this.#parts[this.#firstIndex]?.startSample ?? this.#endSample) / this.#rateHz
  }

  /** Whether audio was dropped that the vendor has not confirmed. */
  get wasTruncated(): boolean {
    return this.#wasTruncated
  }

  /** Copies and keeps samples. Returns the copy as bytes. */
  append(samples: Int16Array): Buffer {
    const bytes = toLinear16(samples)
    this.#parts.push({ startSample: this.#endSample, bytes })
    this.#endSample += samples.length
    const minSample = this.#endSample - this.#maxSamples
    if (minSample > 0 && this.#dropBefore(minSample)) this.#wasTruncated = true
    return bytes
  }

  /** Drops the audio before a time, in seconds since the start of the call. */
  confirmUntil(seconds: number): void {
    this.#dropBefore(seconds * this.#rateHz)
    this.#wasTruncated = false
  }

  /** Returns the kept audio in messages of up to `partCount` parts. */
  getMessages(partCount: number): readonly Buffer[] {
    const messages: Buffer[] = []
    for (let index = this.#firstIndex; index < this.#parts.length; index += partCount) {
      messages.push(Buffer.concat(this.#parts.slice(index, index + partCount).map(({ bytes }) => bytes)))
    }
    return messages
  }

  clear(): void {
    this.#parts = []
    this.#firstIndex = 0
  }

  /** Drops the parts that end at or before a sample. Returns whether any was dropped. */
  #dropBefore(sample: number): boolean {
    const previousIndex = this.#firstIndex
    for (;;) {
      const part = this.#parts[this.#firstIndex]
      if (part === undefined || part.startSample + part.bytes.length / 2 > sample) break
      this.#firstIndex += 1
    }
    const hasDropped = this.#firstIndex > previousIndex
    // Cut in batches, because moving the remaining parts for each dropped part would cost more.
    if (this.#firstIndex > this.#parts.length / 2) {
      this.#parts = this.#parts.slice(this.#firstIndex)
      this.#firstIndex = 0
    }
    return hasDropped
  }
}
