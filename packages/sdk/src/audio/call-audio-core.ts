import { FRAME_MS } from '../channel/audio-frame.ts'
import { JitterBuffer } from './jitter-buffer.ts'
import { Resampler } from './resampler.ts'
import type { FromProcessor, ToProcessor } from './worklet-messages.ts'

/** Levels of an empty and a full meter, relative to a full sine. */
const FLOOR_DB = -55
const TOP_DB = -8

const POSITION_EVERY_MS = 100
const LEVEL_EVERY_MS = 60

type StartMessage = Extract<ToProcessor, { type: 'start' }>

/**
 * Processes the audio of a call block by block in both directions, so that one clock counts captured and played samples. It
 * does not depend on the audio worklet.
 */
export class CallAudioCore {
  readonly #wireHz: number
  readonly #deviceHz: number
  readonly #post: (message: FromProcessor) => void
  readonly #down: Resampler
  readonly #up: Resampler
  readonly #buffer: JitterBuffer
  readonly #captured: Float32Array
  readonly #toPlay: Float32Array
  readonly #userLevel = new LevelMeter()
  readonly #agentLevel = new LevelMeter()
  readonly #silence: Float32Array
  #frame: Int16Array<ArrayBuffer>
  #inFrame = 0
  #frameStart: number
  #isRunning = true
  #sincePosition = 0
  #sinceLevel = 0
  #wasIdle = true

  constructor(
    { rateHz, captureFrom }: Omit<StartMessage, 'type'>,
    deviceHz: number,
    blockSamples: number,
    post: (message: FromProcessor) => void,
  ) {
    this.#wireHz = rateHz
    this.#frameStart = captureFrom
    this.#deviceHz = deviceHz
    this.#post = post
    this.#down = new Resampler(deviceHz, rateHz)
    this.#up = new Resampler(rateHz, deviceHz)
    this.#buffer = new JitterBuffer(rateHz)
    const maxWireSamples = Math.ceil((blockSamples * rateHz) / deviceHz) + 2
    this.#captured = new Float32Array(maxWireSamples)
    this.#toPlay = new Float32Array(maxWireSamples)
    this.#silence = new Float32Array(blockSamples)
    this.#frame = this.#newFrame()
  }

  handle(message: Exclude<ToProcessor, StartMessage>): void {
    if (message.type === 'play') this.#buffer.push(message.startSample, toFloats(message.samples))
    else if (message.type === 'clear') {
      this.#buffer.clear()
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
    const count = this.#down.run(input, input.length, this.#captured)
    for (let index = 0; index < count; index += 1) {
      this.#frame[this.#inFrame] = toInteger(this.#captured[index] ?? 0)
      this.#inFrame += 1
      if (this.#inFrame === this.#frame.length) this.#sendFrame()
    }
  }

  #sendFrame(): void {
    const { length } = this.#frame
    this.#post({ type: 'captured', startSample: this.#frameStart, samples: this.#frame })
    this.#frameStart += length
    this.#inFrame = 0
    this.#frame = this.#newFrame()
  }

  #play(output: Float32Array): void {
    const needed = Math.min(this.#toPlay.length, this.#up.inputFor(output.length))
    this.#buffer.pull(this.#toPlay, needed)
    this.#up.run(this.#toPlay, needed, output)
    this.#agentLevel.add(output)
  }

  #report(blockSamples: number): void {
    this.#sincePosition += blockSamples
    this.#sinceLevel += blockSamples
    const isCurrentlyIdle = !this.#buffer.isPlaying && this.#buffer.buffered === 0
    const isDue = this.#sincePosition >= (this.#deviceHz * POSITION_EVERY_MS) / 1_000
    if (isCurrentlyIdle !== this.#wasIdle || (!isCurrentlyIdle && isDue)) this.#postPosition()
    if (this.#sinceLevel >= (this.#deviceHz * LEVEL_EVERY_MS) / 1_000) {
      this.#sinceLevel = 0
      this.#post({ type: 'level', user: this.#userLevel.read(), agent: this.#agentLevel.read() })
    }
  }

  #postPosition(): void {
    const isIdle = !this.#buffer.isPlaying && this.#buffer.buffered === 0
    this.#wasIdle = isIdle
    this.#sincePosition = 0
    this.#post({
      type: 'position',
      playedSamples: this.#buffer.played,
      segmentStart: this.#buffer.segmentStart,
      capturedSamples: this.#frameStart + this.#inFrame,
      isIdle,
      underruns: this.#buffer.underruns,
    })
  }

  #newFrame(): Int16Array<ArrayBuffer> {
    return new Int16Array((this.#wireHz * FRAME_MS) / 1_000)
  }
}

function toFloats(samples: Int16Array): Float32Array {
  const floats = new Float32Array(samples.length)
  for (let index = 0; index < samples.length; index += 1) floats[index] = (samples[index] ?? 0) / 32_768
  return floats
}

function toInteger(sample: number): number {
  return Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_768)))
}

/** Measures loudness from 0 to 1 on a perceptual scale. */
class LevelMeter {
  #sum = 0
  #count = 0

  add(samples: Float32Array, count = samples.length): void {
    for (let index = 0; index < count; index += 1) this.#sum += (samples[index] ?? 0) ** 2
    this.#count += count
  }

  /** Returns the level since the previous reading. */
  read(): number {
    const power = this.#count === 0 ? 0 : this.#sum / this.#count
    this.#sum = 0
    this.#count = 0
    if (power === 0) return 0
    const decibels = 10 * Math.log10(power * 2)
    return Math.min(1, Math.max(0, (decibels - FLOOR_DB) / (TOP_DB - FLOOR_DB)))
  }
}
