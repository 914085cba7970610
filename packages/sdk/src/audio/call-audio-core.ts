import { FRAME_MS } from '../channel/audio-frame.ts'
import { JitterBuffer } from './jitter-buffer.ts'
import { Resampler } from './resampler.ts'
import type { FromProcessor, ToProcessor } from './worklet-messages.ts'

/** Levels of an empty and a full meter, relative to a full sine. */
const MIN_LEVEL_DB = -55
const MAX_LEVEL_DB = -8

const POSITION_INTERVAL_MS = 100
const LEVEL_INTERVAL_MS = 60

type StartMessage = Extract<ToProcessor, { type: 'start' }>

/**
 * Processes the audio of a call block by block in both directions, so that one clock counts captured and played samples. It
 * does not depend on the audio worklet.
 */
export class CallAudioCore {
  readonly #wireHz: number
  readonly #deviceHz: number
  readonly #post: (message: FromProcessor) => void
  readonly #captureResampler: Resampler
  readonly #playbackResampler: Resampler
  readonly #jitterBuffer: JitterBuffer
  readonly #captureBuffer: Float32Array
  readonly #playbackBuffer: Float32Array
  readonly #userLevel = new LevelMeter()
  readonly #agentLevel = new LevelMeter()
  readonly #gain = new Gain()
  readonly #silence: Float32Array
  #frame: Int16Array<ArrayBuffer>
  #samplesInFrame = 0
  #frameStartSample: number
  #isRunning = true
  #samplesSincePosition = 0
  #samplesSinceLevel = 0
  #wasIdle = true

  constructor(
    { rateHz, captureFrom }: Omit<StartMessage, 'type'>,
    deviceHz: number,
    blockSamples: number,
    post: (message: FromProcessor) => void,
  ) {
    this.#wireHz = rateHz
    this.#frameStartSample = captureFrom
    this.#deviceHz = deviceHz
    this.#post = post
    this.#captureResampler = new Resampler(deviceHz, rateHz)
    this.#playbackResampler = new Resampler(rateHz, deviceHz)
    this.#jitterBuffer = new JitterBuffer(rateHz)
    const maxWireSamples = Math.ceil((blockSamples * rateHz) / deviceHz) + 2
    this.#captureBuffer = new Float32Array(maxWireSamples)
    this.#playbackBuffer = new Float32Array(maxWireSamples)
    this.#silence = new Float32Array(blockSamples)
    this.#frame = this.#createFrame()
  }

  handle(message: Exclude<ToProcessor, StartMessage>): void {
    if (message.type === 'play') this.#jitterBuffer.push(message.startSample, toFloatSamples(message.samples))
    else if (message.type === 'gain') this.#gain.set(message.db, (message.rampMs * this.#deviceHz) / 1_000)
    else if (message.type === 'clear') {
      this.#jitterBuffer.clear()
      this.#postPosition()
    } else this.#isRunning = false
  }

  /** Processes one device block. `input` is absent if there is no microphone. */
  process(input: Float32Array | undefined, output: Float32Array): void {
    if (!this.#isRunning) return
    this.#capture(input ?? this.#silence)
    this.#play(output)
    this.#report(output.length)
  }

  #capture(input: Float32Array): void {
    this.#userLevel.add(input)
    const count = this.#captureResampler.run(input, input.length, this.#captureBuffer)
    for (let index = 0; index < count; index += 1) {
      this.#frame[this.#samplesInFrame] = toInt16(this.#captureBuffer[index] ?? 0)
      this.#samplesInFrame += 1
      if (this.#samplesInFrame === this.#frame.length) this.#sendFrame()
    }
  }

  #sendFrame(): void {
    const { length } = this.#frame
    this.#post({ type: 'captured', startSample: this.#frameStartSample, samples: this.#frame })
    this.#frameStartSample += length
    this.#samplesInFrame = 0
    this.#frame = this.#createFrame()
  }

  #play(output: Float32Array): void {
    const inputCount = Math.min(this.#playbackBuffer.length, this.#playbackResampler.getInputCount(output.length))
    this.#jitterBuffer.pull(this.#playbackBuffer, inputCount)
    this.#playbackResampler.run(this.#playbackBuffer, inputCount, output)
    this.#gain.apply(output)
    this.#agentLevel.add(output)
  }

  #report(blockSamples: number): void {
    this.#samplesSincePosition += blockSamples
    this.#samplesSinceLevel += blockSamples
    const isIdle = !this.#jitterBuffer.isPlaying && this.#jitterBuffer.buffered === 0
    const isPositionDue = this.#samplesSincePosition >= (this.#deviceHz * POSITION_INTERVAL_MS) / 1_000
    if (isIdle !== this.#wasIdle || (!isIdle && isPositionDue)) this.#postPosition()
    if (this.#samplesSinceLevel >= (this.#deviceHz * LEVEL_INTERVAL_MS) / 1_000) {
      this.#samplesSinceLevel = 0
      this.#post({ type: 'level', user: this.#userLevel.read(), agent: this.#agentLevel.read() })
    }
  }

  #postPosition(): void {
    const isIdle = !this.#jitterBuffer.isPlaying && this.#jitterBuffer.buffered === 0
    this.#wasIdle = isIdle
    this.#samplesSincePosition = 0
    this.#post({
      type: 'position',
      playedSamples: this.#jitterBuffer.played,
      segmentStart: this.#jitterBuffer.segmentStart,
      capturedSamples: this.#frameStartSample + this.#samplesInFrame,
      isIdle,
      underruns: this.#jitterBuffer.underruns,
    })
  }

  #createFrame(): Int16Array<ArrayBuffer> {
    return new Int16Array((this.#wireHz * FRAME_MS) / 1_000)
  }
}

function toFloatSamples(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let index = 0; index < samples.length; index += 1) floats[index] = (samples[index] ?? 0) / 32_768
  return floats
}

function toInt16(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))
}

/** Limits of a requested gain. A call never gets louder than it was sent. */
const MIN_GAIN_DB = -60
const MAX_RAMP_SAMPLES = 96_000

/** A gain that changes linearly, so that changes do not click. */
class Gain {
  #current = 1
  #target = 1
  #step = 0

  set(db: number, rampSamples: number): void {
    if (!Number.isFinite(db) || !Number.isFinite(rampSamples)) return
    this.#target = 10 ** (Math.min(0, Math.max(MIN_GAIN_DB, db)) / 20)
    this.#step = (this.#target - this.#current) / Math.min(MAX_RAMP_SAMPLES, Math.max(1, rampSamples))
  }

  apply(samples: Float32Array): void {
    if (this.#current === 1 && this.#target === 1) return
    for (let index = 0; index < samples.length; index += 1) {
      const isReached = Math.abs(this.#target - this.#current) <= Math.abs(this.#step)
      this.#current = isReached ? this.#target : this.#current + this.#step
      samples[index] = (samples[index] ?? 0) * this.#current
    }
  }
}

/** Measures loudness from 0 to 1 on a perceptual scale. */
class LevelMeter {
  #squareSum = 0
  #count = 0

  add(samples: Float32Array, count = samples.length): void {
    for (let index = 0; index < count; index += 1) this.#squareSum += (samples[index] ?? 0) ** 2
    this.#count += count
  }

  /** Returns the level since the previous reading. */
  read(): number {
    const power = this.#count === 0 ? 0 : this.#squareSum / this.#count
    this.#squareSum = 0
    this.#count = 0
    if (power === 0) return 0
    const decibels = 10 * Math.log10(power * 2)
    return Math.min(1, Math.max(0, (decibels - MIN_LEVEL_DB) / (MAX_LEVEL_DB - MIN_LEVEL_DB)))
  }
}
