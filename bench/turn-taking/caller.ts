import { WebSocket } from 'ws'
import { LIVE_PATH, LIVE_PROTOCOL, type ServerMessage } from '../../packages/contract/src/live.ts'
import { decodeMuLaw, encodeMuLaw } from '../../packages/engine/src/audio/g711.ts'
import { createResampler, type Resampler } from '../../packages/engine/src/audio/resampler.ts'
import { createSeededRandom } from '../../packages/engine/src/audio/seeded-random.ts'
import { decodeAudioMessage, encodeAudioMessage } from '../../testing/call-audio.ts'
import { CLIP_RATE_HZ } from '../harness/clip-audio.ts'
import type { BatchRecognizer } from './batch-recognizer.ts'
import { type HeardTrace, type Span, STEP_MS } from './judge.ts'
import { addSamples, toGain } from './levels.ts'
import { CallerPlayback } from './playback.ts'
import type { CallerEvent, Scenario } from './scenario.ts'
import { planRecognition } from './streaming-recognizer.ts'

const FRAME_MS = 20
const POSITION_EVERY_MS = 100
const PING_EVERY_MS = 100
const JOIN_TIMEOUT_MS = 15_000
const CLIP_FRAME_SAMPLES = (CLIP_RATE_HZ * FRAME_MS) / 1_000
/** Amplitude of the noise of a quiet room, about -72 dB. */
const FLOOR_AMPLITUDE = 14
const ECHO_HISTORY_MS = 500

/**
 * A caller with a browser's behavior: it sends 20 ms per frame, plays the agent's audio, reports its position and recognizes
 * speech. One tick is a step of 10 ms of the call's timeline, on which all times are measured.
 */
export class TurnCaller {
  /** Times at which the server reported that an utterance of the agent was interrupted. */
  readonly interruptedAtMs: number[] = []
  /** Longest time in milliseconds that the server took to answer a ping, or that this process did not run. */
  worstStallMs = 0
  readonly #scenario: Scenario
  /** Null if the caller recognizes its own speech. */
  readonly #recognizer: BatchRecognizer | null
  readonly #playback: CallerPlayback
  readonly #random: () => number
  readonly #toWireRate: Resampler
  readonly #heard: Float32Array
  #socket: WebSocket | null = null
  #step = 0
  #capturedSamples = 0
  #hasBackground = false
  #positionMs = 0
  #lastTickMs: number | null = null
  #pings: { readonly id: number; readonly sentAtMs: number }[] = []
  #wasPlaying = false
  #wireSamples: Int16Array = new Int16Array(0)
  /** Events with the positions of their first samples, which count at 16 kHz. */
  readonly #events: { readonly event: CallerEvent; readonly startSample: number }[] = []
  #texts: {
    readonly atMs: number
    readonly utteranceId: string
    readonly text: string
    readonly stage: 'interim' | 'final'
  }[] = []

  constructor(scenario: Scenario, recognizer: BatchRecognizer | null) {
    this.#scenario = scenario
    this.#recognizer = recognizer
    this.#playback = new CallerPlayback(scenario.rateHz)
    this.#random = createSeededRandom(scenario.seed)
    this.#toWireRate = createResampler(CLIP_RATE_HZ, scenario.rateHz)
    this.#heard = new Float32Array((scenario.rateHz * ECHO_HISTORY_MS) / 1_000)
  }

  startBackground(): void {
    this.#hasBackground = true
  }

  get nowMs(): number {
    return this.#step * STEP_MS
  }

  get trace(): HeardTrace {
    return this.#playback.trace
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  async join(url: string, accessToken: string, address: string): Promise<void> {
    const socket = new WebSocket(url.replace('http:', 'ws:') + LIVE_PATH, {
      perMessageDeflate: false,
      headers: { 'x-forwarded-for': address },
      handshakeTimeout: JOIN_TIMEOUT_MS,
    })
    this.#socket = socket
    const joined = Promise.withResolvers<void>()
    const timer = setTimeout(() => joined.reject(new Error('The call was not joined in time.')), JOIN_TIMEOUT_MS)
    socket.on('open', () =>
      this.#send({
        type: 'join',
        protocol: LIVE_PROTOCOL,
        accessToken,
        rateHz: this.#scenario.rateHz,
        recognition: this.#recognizer === null,
        echoCancellation: true,
      }),
    )
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#receiveAudio(data)
      else {
        const message = JSON.parse(data.toString()) as ServerMessage
        if (message.type === 'joined') joined.resolve()
        if (message.type === 'refused') joined.reject(new Error(`The call was refused: ${message.code}.`))
        this.#receive(message)
      }
    })
    socket.on('error', joined.reject)
    socket.on('close', (code) => joined.reject(new Error(`The call was closed (${code}).`)))
    try {
      await joined.promise
    } catch (error) {
      socket.terminate()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  leave(): void {
    this.#send({ type: 'leave' })
    this.#socket?.close(1_000)
  }

  /** Starts to play an event with the next frame. Returns the spans of its speech. */
  play(event: CallerEvent): Span[] {
    const startStep = this.#step + (this.#step % 2)
    const startMs = startStep * STEP_MS
    this.#events.push({ event, startSample: (startMs * CLIP_RATE_HZ) / 1_000 })
    if (this.#recognizer !== null) this.#recognizer.expectSpeech(event)
    else this.#planTexts(event, startMs)
    return event.spans.map(([from, until]) => ({ startMs: startMs + from, endMs: startMs + until }))
  }

  #planTexts(event: CallerEvent, startMs: number): void {
    const idPrefix = `u${this.#events.length}`
    for (const { atMs, utterance, text, stage } of planRecognition(event, this.#random)) {
      this.#texts.push({ atMs: startMs + atMs, utteranceId: `${idPrefix}.${utterance}`, text, stage })
    }
  }

  /** Processes 10 ms in both directions. */
  tick(): void {
    if (!this.isOpen) return
    this.#observeMachine()
    if (this.#step % 2 === 0) this.#sendFrame()
    this.#sendTexts()
    this.#playStep()
    this.#step += 1
    const isPlaying = this.#playback.isPlaying
    const isDue = isPlaying && this.nowMs - this.#positionMs >= POSITION_EVERY_MS
    if (isDue || (this.#wasPlaying && !isPlaying)) this.#sendPosition()
    this.#wasPlaying = isPlaying
  }

  /** Measures on the machine's clock, because the call's timeline catches up after a stall. */
  #observeMachine(): void {
    const nowMs = performance.now()
    const oldestPingMs = this.#pings[0]?.sentAtMs ?? nowMs
    this.worstStallMs = Math.max(this.worstStallMs, nowMs - (this.#lastTickMs ?? nowMs), nowMs - oldestPingMs)
    this.#lastTickMs = nowMs
    if (this.nowMs % PING_EVERY_MS !== 0) return
    this.#pings.push({ id: this.#step, sentAtMs: nowMs })
    this.#send({ type: 'ping', id: this.#step })
  }

  #playStep(): void {
    const output = this.#playback.play((this.#scenario.rateHz * STEP_MS) / 1_000)
    this.#heard.copyWithin(0, output.length)
    this.#heard.set(output, this.#heard.length - output.length)
  }

  #sendFrame(): void {
    const { rateHz, loss } = this.#scenario
    const samples = this.#toWireRate.push(this.#recordFrame())
    const frameSamples = (rateHz * FRAME_MS) / 1_000
    const pending = new Int16Array(this.#wireSamples.length + samples.length)
    pending.set(this.#wireSamples)
    pending.set(samples, this.#wireSamples.length)
    // The resampler holds back its first samples, so the first frame is short and starts with silence.
    const frame = new Int16Array(frameSamples)
    const available = pending.subarray(0, frameSamples)
    frame.set(available, frameSamples - available.length)
    this.#wireSamples = pending.slice(frameSamples)
    this.#addEcho(frame)
    if (rateHz === 8_000) decodeMuLaw(encodeMuLaw(frame), frame)
    if (loss === 0 || this.#random() >= loss) this.#socket?.send(encodeAudioMessage(this.#capturedSamples, frame))
    this.#capturedSamples += frameSamples
  }

  /** Mixes the room, the background and the events at 16 kHz. */
  #recordFrame(): Int16Array {
    const startSample = (this.nowMs * CLIP_RATE_HZ) / 1_000
    const frame = new Int16Array(CLIP_FRAME_SAMPLES)
    const background = this.#hasBackground ? this.#scenario.background : null
    for (let index = 0; index < frame.length; index += 1) {
      const floor = Math.round((this.#random() * 2 - 1) * FLOOR_AMPLITUDE)
      frame[index] = floor + (background?.[(startSample + index) % background.length] ?? 0)
    }
    for (const { event, startSample: eventStart } of this.#events) {
      const offset = startSample - eventStart
      if (offset >= 0) addSamples(frame, event.samples.subarray(offset, offset + frame.length), 0)
    }
    return frame
  }

  #addEcho(frame: Int16Array): void {
    const { echo, rateHz } = this.#scenario
    if (echo === null) return
    const from = this.#heard.length - (rateHz * echo.delayMs) / 1_000 - frame.length
    const gain = toGain(echo.db) * 32_768
    for (let index = 0; index < frame.length; index += 1) {
      frame[index] = (frame[index] ?? 0) + Math.round((this.#heard[from + index] ?? 0) * gain)
    }
  }

  #sendTexts(): void {
    if (this.#texts.length === 0) return
    const due = this.#texts.filter(({ atMs }) => atMs <= this.nowMs)
    if (due.length === 0) return
    this.#texts = this.#texts.filter(({ atMs }) => atMs > this.nowMs)
    for (const { utteranceId, text, stage } of due.toSorted((left, right) => left.atMs - right.atMs)) {
      this.#send({ type: 'recognised', utteranceId, text, stage })
    }
  }

  #receiveAudio(data: Buffer): void {
    const { startSample, samples } = decodeAudioMessage(data)
    this.#playback.push(startSample, samples)
  }

  #receive(message: ServerMessage): void {
    if (message.type === 'clear') {
      this.#playback.clear()
      this.#wasPlaying = false
      this.#sendPosition()
    } else if (message.type === 'gain') {
      this.#playback.setGain(message.db, message.rampMs)
    } else if (message.type === 'pong') {
      this.#pings = this.#pings.filter(({ id }) => id > message.id)
    } else if (message.type === 'caption' && message.role === 'agent' && message.interrupted) {
      this.interruptedAtMs.push(this.nowMs)
    }
  }

  #sendPosition(): void {
    this.#positionMs = this.nowMs
    const { played: playedSamples } = this.#playback
    this.#send({ type: 'position', playedSamples, capturedSamples: this.#capturedSamples })
  }

  #send(message: object): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message))
  }
}
