import { WebSocket } from 'ws'
import { LIVE_PATH, LIVE_PROTOCOL, type ServerMessage } from '../../packages/contract/src/live.ts'
import { countFrameSamples, FRAME_MS, type LegRateHz } from '../../packages/engine/src/audio/frame.ts'
import {
  createBabble,
  createWhiteNoise,
  splitIntoFrames,
} from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { encodeAudio } from '../../packages/server/src/media/channel/audio-messages.ts'
import { type ArrivalLateness, LatenessHistogram, SegmentClock } from './call-lateness.ts'

/** Simulated browser callers in one process. They take turns speaking with an agent and report their playback positions. */

const TICK_MS = 5
const SPEECH_MS = 2_000
/** Silence between the end of the agent's answer and the caller's next words. */
const PAUSE_MS = 600
/** Time after which a caller without an answer repeats the question. */
const REPEAT_QUESTION_AFTER_MS = 8_000
const POSITION_EVERY_FRAMES = 5
const SPEECH_FRAMES = SPEECH_MS / FRAME_MS
const VOICE_AMPLITUDE = 9_000
const NOISE_AMPLITUDE = 8
const OPEN_TIMEOUT_MS = 20_000
/** Number of frames that the server sends in advance. */
const LEAD_FRAMES = 300 / FRAME_MS

export interface CallersOptions {
  /** `http://host:port`. */
  readonly url: string
  readonly rateHz: LegRateHz
}

export interface CallerStats {
  readonly arrival: ArrivalLateness
  /** Lateness of the callers' outgoing frames, which is the delay that the current process adds. */
  readonly outgoing: ArrivalLateness
  readonly answers: number
  readonly unanswered: number
  /** Number of calls that lost their connection. */
  readonly lost: number
}

/** All callers of a benchmark. */
export class Callers {
  readonly #url: string
  readonly #rateHz: LegRateHz
  readonly #arrivals = new LatenessHistogram()
  readonly #outgoing = new LatenessHistogram()
  readonly #callers = new Set<Caller>()
  readonly #speech: readonly Int16Array[]
  readonly #silence: Int16Array
  readonly #timer: NodeJS.Timeout
  readonly #counts = { answers: 0, unanswered: 0, lost: 0 }
  #opened = 0
  #dueMs = performance.now()

  constructor({ url, rateHz }: CallersOptions) {
    this.#url = url.replace('http:', 'ws:')
    this.#rateHz = rateHz
    this.#speech = [
      ...splitIntoFrames(createBabble({ rateHz, durationMs: SPEECH_MS, amplitude: VOICE_AMPLITUDE }), rateHz),
    ]
    this.#silence = createWhiteNoise({ rateHz, durationMs: FRAME_MS, amplitude: NOISE_AMPLITUDE })
    this.#timer = setInterval(() => this.#tick(), TICK_MS)
  }

  get count(): number {
    return this.#callers.size
  }

  /** Joins a call, or without a token only echoes frames. Resolves after the call is connected. */
  async open(accessToken: string | null): Promise<void> {
    this.#opened += 1
    const path = accessToken === null ? '/' : LIVE_PATH
    const socket = new WebSocket(this.#url + path, {
      perMessageDeflate: false,
      // Each caller has its own address, so that rate limits do not apply.
      headers: { 'x-forwarded-for': `10.${this.#opened >> 16}.${(this.#opened >> 8) & 255}.${this.#opened & 255}` },
      handshakeTimeout: OPEN_TIMEOUT_MS,
    })
    const caller = new Caller(socket, {
      phaseMs: (this.#opened * TICK_MS) % FRAME_MS,
      rateHz: this.#rateHz,
      speech: this.#speech,
      silence: this.#silence,
      clock: new SegmentClock(this.#arrivals, accessToken === null ? 0 : LEAD_FRAMES),
      counts: this.#counts,
    })
    await caller.join(accessToken)
    this.#callers.add(caller)
  }

  /** Hangs up the oldest calls and waits until their connections are closed. */
  async close(count: number = this.#callers.size): Promise<void> {
    const oldestCallers = [...this.#callers].slice(0, count)
    for (const caller of oldestCallers) this.#callers.delete(caller)
    await Promise.all(oldestCallers.map((caller) => caller.leave()))
  }

  /** Returns the statistics since the previous call and resets them. */
  collectStats(): CallerStats {
    const stats = { arrival: this.#arrivals.read(), outgoing: this.#outgoing.read(), ...this.#counts }
    this.#arrivals.reset()
    this.#outgoing.reset()
    this.#counts.answers = 0
    this.#counts.unanswered = 0
    this.#counts.lost = 0
    return stats
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #tick(): void {
    const nowMs = performance.now()
    for (; this.#dueMs <= nowMs; this.#dueMs += TICK_MS) {
      const phaseMs = Math.round(this.#dueMs / TICK_MS) * TICK_MS
      for (const caller of this.#callers) {
        if ((phaseMs + caller.phaseMs) % FRAME_MS !== 0) continue
        this.#outgoing.record(nowMs - this.#dueMs)
        caller.step(nowMs)
      }
    }
  }
}

interface CallerOptions {
  readonly phaseMs: number
  readonly rateHz: LegRateHz
  readonly speech: readonly Int16Array[]
  readonly silence: Int16Array
  readonly clock: SegmentClock
  readonly counts: { answers: number; unanswered: number; lost: number }
}

class Caller {
  readonly phaseMs: number
  readonly #socket: WebSocket
  readonly #options: CallerOptions
  readonly #frameSamples: number
  /** End times of the frames that have not been played yet. */
  #unplayed: number[] = []
  #capturedSamples = 0
  #playedSamples = 0
  #frames = 0
  #spokenFrames = SPEECH_FRAMES
  #lastPlayedAtMs = 0
  #askedAtMs = 0
  #isAnswered = true
  #isLeaving = false

  constructor(socket: WebSocket, options: CallerOptions) {
    this.#socket = socket
    this.#options = options
    this.phaseMs = options.phaseMs
    this.#frameSamples = countFrameSamples(options.rateHz)
  }

  async join(accessToken: string | null): Promise<void> {
    const socket = this.#socket
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    socket.on('error', reject)
    socket.on('close', (code, reason) => {
      if (!this.#isLeaving) this.#options.counts.lost += 1
      reject(new Error(`The call was closed (${code} ${reason}).`))
    })
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#receiveAudio(data)
      else this.#handleMessage(JSON.parse(data.toString()) as ServerMessage, resolve)
    })
    socket.on('open', () => {
      if (accessToken === null) resolve()
      const audioOptions = {
        rateHz: this.#options.rateHz,
        recognition: false,
        echoCancellation: true,
        microphone: true,
      }
      if (accessToken !== null) this.#send({ type: 'join', protocol: LIVE_PROTOCOL, accessToken, ...audioOptions })
    })
    await promise
    const nowMs = performance.now()
    // A random start, so that callers do not speak simultaneously.
    this.#lastPlayedAtMs = nowMs + Math.random() * REPEAT_QUESTION_AFTER_MS
    this.#askedAtMs = nowMs
  }

  async leave(): Promise<void> {
    this.#isLeaving = true
    if (this.#socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise((resolve) => this.#socket.once('close', resolve))
    this.#send({ type: 'leave' })
    this.#socket.close(1000)
    await closed
  }

  /** Processes 20 ms of audio in both directions. */
  step(nowMs: number): void {
    if (this.#socket.readyState !== WebSocket.OPEN) return
    const frame = this.#takeFrame(nowMs)
    this.#socket.send(encodeAudio(frame, this.#capturedSamples))
    this.#capturedSamples += this.#frameSamples
    this.#frames += 1
    const playedSamples = this.#unplayed.shift()
    if (playedSamples === undefined) return
    this.#playedSamples = playedSamples
    this.#lastPlayedAtMs = nowMs
    if (this.#frames % POSITION_EVERY_FRAMES === 0 || this.#unplayed.length === 0) this.#sendPosition()
  }

  #takeFrame(nowMs: number): Int16Array {
    const { speech, silence, counts } = this.#options
    if (this.#spokenFrames < SPEECH_FRAMES) {
      this.#spokenFrames += 1
      if (this.#spokenFrames === SPEECH_FRAMES) this.#askedAtMs = nowMs
      return speech[this.#spokenFrames - 1] ?? silence
    }
    const canSpeak = this.#isAnswered
      ? nowMs - this.#lastPlayedAtMs > PAUSE_MS
      : nowMs - this.#askedAtMs > REPEAT_QUESTION_AFTER_MS
    if (!canSpeak || this.#unplayed.length > 0) return silence
    if (!this.#isAnswered) counts.unanswered += 1
    this.#spokenFrames = 0
    this.#isAnswered = false
    return silence
  }

  #receiveAudio(data: Buffer): void {
    const nowMs = performance.now()
    const start = data.readUInt32LE(0)
    const end = start + (data.length - 4) / 2
    for (let frameEnd = start + this.#frameSamples; frameEnd <= end; frameEnd += this.#frameSamples) {
      this.#options.clock.recordArrival(nowMs)
      this.#unplayed.push(frameEnd)
    }
    if (this.#isAnswered || this.#spokenFrames < SPEECH_FRAMES) return
    this.#isAnswered = true
    this.#options.counts.answers += 1
  }

  #handleMessage(message: ServerMessage, onJoined: () => void): void {
    if (message.type === 'joined') onJoined()
    if (message.type === 'refused') console.error(`A call was refused: ${message.message}`)
    if (message.type !== 'clear') return
    this.#unplayed = []
    this.#options.clock.restart()
    this.#sendPosition()
  }

  #sendPosition(): void {
    this.#send({ type: 'position', playedSamples: this.#playedSamples, capturedSamples: this.#capturedSamples })
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }
}
