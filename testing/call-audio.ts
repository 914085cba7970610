/** The audio format of the live channel, implemented from its description so that tests do not depend on the tested code. */

const HEADER_BYTES = 4
const SAMPLE_BYTES = 2
const SAMPLE_COUNTER_WRAP = 2 ** 32

/** Encodes a binary message: the number of the first sample, followed by the samples. */
export function encodeAudioMessage(startSample: number, samples: Int16Array): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + samples.length * SAMPLE_BYTES)
  bytes.writeUInt32LE(startSample % SAMPLE_COUNTER_WRAP, 0)
  for (let index = 0; index < samples.length; index += 1) {
    bytes.writeInt16LE(samples[index] ?? 0, HEADER_BYTES + index * SAMPLE_BYTES)
  }
  return bytes
}

export function decodeAudioMessage(bytes: Buffer): { readonly startSample: number; readonly samples: Int16Array } {
  const samples = new Int16Array((bytes.length - HEADER_BYTES) / SAMPLE_BYTES)
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = bytes.readInt16LE(HEADER_BYTES + index * SAMPLE_BYTES)
  }
  return { startSample: bytes.readUInt32LE(0), samples }
}

/** The audio of a caller: scheduled speech, and background audio in between. */
export class Microphone {
  readonly #queue: { readonly samples: Int16Array; consumed: number; readonly done: () => void }[] = []
  #backgroundTone: Int16Array | null = null
  #backgroundPosition = 0

  /** Schedules speech. Resolves after all samples have been taken. */
  speak(samples: Int16Array): Promise<void> {
    return new Promise((done) => this.#queue.push({ samples, consumed: 0, done }))
  }

  /** Sets audio that repeats between speech; `null` is silence. */
  setBackgroundTone(samples: Int16Array | null): void {
    this.#backgroundTone = samples
    this.#backgroundPosition = 0
  }

  /** Returns the next samples. */
  take(count: number): Int16Array {
    const output = new Int16Array(count)
    let filled = 0
    while (filled < count) {
      const [speech] = this.#queue
      if (speech === undefined) break
      const chunk = speech.samples.subarray(speech.consumed, speech.consumed + count - filled)
      output.set(chunk, filled)
      filled += chunk.length
      speech.consumed += chunk.length
      if (speech.consumed < speech.samples.length) continue
      this.#queue.shift()
      speech.done()
    }
    const backgroundTone = this.#backgroundTone
    if (backgroundTone === null || backgroundTone.length === 0) return output
    for (; filled < count; filled += 1) {
      output[filled] = backgroundTone[this.#backgroundPosition] ?? 0
      this.#backgroundPosition = (this.#backgroundPosition + 1) % backgroundTone.length
    }
    return output
  }
}

/** Plays received audio in real time and tracks its position. */
export class Loudspeaker {
  #unplayed: { position: number; readonly end: number }[] = []
  #played = 0

  /** Position after the last played sample. */
  get played(): number {
    return this.#played
  }

  get isPlaying(): boolean {
    return this.#unplayed.length > 0
  }

  push(startSample: number, count: number): void {
    this.#unplayed.push({ position: startSample, end: startSample + count })
  }

  /** Advances time by a number of samples. */
  advance(count: number): void {
    let remaining = count
    while (remaining > 0) {
      const [chunk] = this.#unplayed
      if (chunk === undefined) return
      const step = Math.min(remaining, chunk.end - chunk.position)
      chunk.position += step
      remaining -= step
      this.#played = Math.max(this.#played, chunk.position)
      if (chunk.position === chunk.end) this.#unplayed.shift()
    }
  }

  clear(): void {
    this.#unplayed = []
  }
}
