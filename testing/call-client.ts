import { type ClientMessage, LIVE_PATH, LIVE_PROTOCOL, type ServerMessage } from '@parley/contract/live'
import { WebSocket } from 'ws'
import { decodeAudioMessage, encodeAudioMessage, Loudspeaker, Microphone } from './call-audio.ts'

type MessageOf<Type extends ServerMessage['type']> = Extract<ServerMessage, { readonly type: Type }>

/** Options of a simulated caller. */
export interface CallClientOptions {
  readonly rateHz?: 8_000 | 16_000
  /** Whether the caller recognizes speech; `recognise` reports the text. */
  readonly recognition?: boolean
  readonly echoCancellation?: boolean
  /** Whether received audio is stored. If false, only arrival times are stored, for tests with many calls. */
  readonly keepsAudio?: boolean
}

export interface ReceivedMessage {
  /** Time on the clock of `performance.now()`. */
  readonly atMs: number
  readonly message: ServerMessage
}

export interface ReceivedFrame {
  readonly atMs: number
  readonly startSample: number
  /** Audio samples. Empty if audio is not stored. */
  readonly samples: Int16Array
}

/** Error for a caller that the server rejected. */
export class CallRejectedError extends Error {
  readonly code: string
  readonly retry: boolean

  constructor({ code, message, retry }: Pick<MessageOf<'refused'>, 'code' | 'message' | 'retry'>) {
    super(`${code}: ${message}`)
    this.name = 'CallRejectedError'
    this.code = code
    this.retry = retry
  }
}

const FRAME_MS = 20
const POSITION_EVERY_MS = 100
/** Timeout of every wait. */
const TIMEOUT_MS = 15_000
const NO_SAMPLES = new Int16Array(0)

type EntryMessage = Extract<ClientMessage, { type: 'join' | 'resume' | 'listen' }>

/** Joins the call of a token at a server URL. Rejects with `CallRejectedError`. */
export async function joinCall(url: string, accessToken: string, options: CallClientOptions = {}): Promise<CallClient> {
  const client = new CallClient(options)
  const { rateHz, recognition = true, echoCancellation = true } = options
  await client.connect(url, {
    type: 'join',
    protocol: LIVE_PROTOCOL,
    accessToken,
    rateHz: rateHz ?? 8_000,
    recognition,
    echoCancellation,
  })
  return client
}

/** Listens to a call with a listening token. Rejects with `CallRejectedError`. */
export async function listenToCall(
  url: string,
  accessToken: string,
  options: Pick<CallClientOptions, 'rateHz' | 'keepsAudio'> = {},
): Promise<CallClient> {
  const client = new CallClient(options)
  await client.connect(url, { type: 'listen', protocol: LIVE_PROTOCOL, accessToken })
  return client
}

/**
 * A caller without a browser, in real time. It sends frames of speech or silence, plays received audio in real time, reports
 * its position, and stores everything that it hears.
 */
export class CallClient implements AsyncDisposable {
  readonly messages: ReceivedMessage[] = []
  /** Received audio of the agent, or of both sides for listeners. */
  readonly frames: ReceivedFrame[] = []
  readonly rateHz: number
  /** Resolves to the end reason when the server sends it. */
  readonly ended: Promise<string>
  readonly #keepsAudio: boolean
  readonly #microphone = new Microphone()
  readonly #loudspeaker = new Loudspeaker()
  readonly #end = Promise.withResolvers<string>()
  readonly #watchers = new Set<() => void>()
  #socket: WebSocket | null = null
  #url = ''
  #joined: MessageOf<'joined'> | null = null
  #lastSeq = 0
  #closeCode: number | null = null
  #timer: NodeJS.Timeout | null = null
  #startedMs = 0
  #capturedSamples = 0
  #playedMs = 0
  #positionMs = 0

  constructor({ rateHz = 8_000, keepsAudio = true }: CallClientOptions = {}) {
    this.rateHz = rateHz
    this.#keepsAudio = keepsAudio
    this.ended = this.#end.promise
  }

  /** Latest join message from the server. */
  get joined(): MessageOf<'joined'> {
    if (this.#joined === null) throw new Error('The call was not joined.')
    return this.#joined
  }

  get callId(): string {
    return this.joined.callId
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Close code of the last connection, or null while it is open. */
  get closeCode(): number | null {
    return this.#closeCode
  }

  /** Number of captured samples, including samples captured without a connection. */
  get capturedSamples(): number {
    return this.#capturedSamples
  }

  get playedSamples(): number {
    return this.#loudspeaker.played
  }

  /** Connects to a server and sends the entry message. The previous connection stays open. */
  async connect(url: string, entry: EntryMessage): Promise<void> {
    this.#url = url
    const socket = new WebSocket(url.replace(/^http/, 'ws') + LIVE_PATH, { perMessageDeflate: false })
    const joining = Promise.withResolvers<MessageOf<'joined'>>()
    joining.promise.catch(() => undefined)
    this.#socket = socket
    this.#closeCode = null
    socket.on('open', () => socket.send(JSON.stringify(entry)))
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      if (isBinary) this.#onAudio(data)
      else {
        const message = JSON.parse(data.toString()) as ServerMessage
        if (message.type === 'joined') joining.resolve(message)
        if (message.type === 'refused') joining.reject(new CallRejectedError(message))
        this.#onMessage(message)
      }
    })
    socket.on('error', (error) => joining.reject(error))
    socket.on('close', (code) => {
      joining.reject(new Error(`The connection was closed (${code}) before it was joined.`))
      if (this.#socket === socket) this.#closeCode = code
      this.#notifyWatchers()
    })
    try {
      this.#joined = await withTimeout(TIMEOUT_MS, 'to join the call', joining.promise)
    } catch (error) {
      socket.terminate()
      throw error
    }
    if (!this.#joined.listening) this.#start()
  }

  /** Breaks the connection like a network failure. Later speech is lost. */
  disconnect(): void {
    this.#socket?.terminate()
  }

  /** Resumes the call, optionally on another server. Rejects with `CallRejectedError`. */
  async resume(url: string = this.#url): Promise<void> {
    const { resumeToken } = this.joined
    await this.connect(url, { type: 'resume', protocol: LIVE_PROTOCOL, resumeToken, lastSeq: this.#lastSeq })
  }

  send(message: ClientMessage): void {
    if (this.isOpen) this.#socket?.send(JSON.stringify(message))
  }

  type(text: string): void {
    this.send({ type: 'typed', text })
  }

  /** Sends text that the caller's client recognized. */
  sendTranscript(text: string, utteranceId: string, stage: 'interim' | 'stable' | 'final' = 'final'): void {
    this.send({ type: 'recognised', utteranceId, text, stage })
  }

  press(digit: string): void {
    this.send({ type: 'dtmf', digit })
  }

  /** Speaks. Resolves after all samples were sent; silence or the background audio follows. */
  speak(samples: Int16Array): Promise<void> {
    return this.#microphone.speak(samples)
  }

  /** Sets microphone audio that repeats between speech; `null` is silence. */
  setBackgroundTone(samples: Int16Array | null): void {
    this.#microphone.setBackgroundTone(samples)
  }

  /** Hangs up and waits until the server has closed the connection. */
  async leave(): Promise<void> {
    this.send({ type: 'leave' })
    await this.waitUntil('the connection to be closed', () => this.#socket?.readyState === WebSocket.CLOSED)
  }

  /** Resolves to the first matching message of a type, starting at message number `from`. */
  async waitForMessage<Type extends ServerMessage['type']>(
    type: Type,
    matches: (message: MessageOf<Type>) => boolean = () => true,
    { from = 0, timeoutMs = TIMEOUT_MS }: { readonly from?: number; readonly timeoutMs?: number } = {},
  ): Promise<MessageOf<Type>> {
    const isMatch = (message: ServerMessage): message is MessageOf<Type> =>
      message.type === type && matches(message as MessageOf<Type>)
    const find = () => this.messages.slice(from).find(({ message }) => isMatch(message))?.message
    await this.waitUntil(`a message "${type}"`, () => find() !== undefined, timeoutMs)
    return find() as MessageOf<Type>
  }

  /** Resolves when the condition, checked on every message, is true. Rejects after a timeout. */
  async waitUntil(description: string, isMet: () => boolean, timeoutMs = TIMEOUT_MS): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const check = (): void => {
      if (isMet()) resolve()
    }
    this.#watchers.add(check)
    check()
    try {
      await withTimeout(timeoutMs, description, promise, () => this.#describe())
    } finally {
      this.#watchers.delete(check)
    }
  }

  /** Returns the spoken texts according to the captions, with the latest text of each caption. */
  getCaptions(role: 'agent' | 'user'): readonly string[] {
    const texts = new Map<string, string>()
    for (const { message } of this.messages) {
      if (message.type === 'caption' && message.role === role) texts.set(message.id, message.text)
    }
    return [...texts.values()]
  }

  /** Returns the longest time without a frame between two times, in milliseconds on the clock of `performance.now()`. */
  measureLongestGapMs(fromMs: number, untilMs = performance.now()): number {
    const arrivalTimes = this.frames.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs && atMs < untilMs)
    const times = [fromMs, ...arrivalTimes, untilMs]
    return Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? atMs)))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop()
    this.#end.resolve('')
    this.#socket?.terminate()
  }

  #onMessage(message: ServerMessage): void {
    this.messages.push({ atMs: performance.now(), message })
    if ('seq' in message) this.#lastSeq = Math.max(this.#lastSeq, message.seq)
    if (message.type === 'clear') {
      this.#loudspeaker.clear()
      this.#sendPosition()
    }
    if (message.type === 'ended') {
      this.#stop()
      this.#end.resolve(message.reason)
    }
    this.#notifyWatchers()
  }

  #onAudio(data: Buffer): void {
    const atMs = performance.now()
    const { startSample, samples } = decodeAudioMessage(data)
    if (!this.#loudspeaker.isPlaying) this.#playedMs = atMs
    this.#loudspeaker.push(startSample, samples.length)
    this.frames.push({ atMs, startSample, samples: this.#keepsAudio ? samples : NO_SAMPLES })
    this.#notifyWatchers()
  }

  #start(): void {
    if (this.#timer !== null) return
    this.#startedMs = performance.now()
    this.#timer = setInterval(() => this.#tick(), FRAME_MS)
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #tick(): void {
    const nowMs = performance.now()
    const frameSamples = (this.rateHz * FRAME_MS) / 1_000
    const dueSamples = Math.floor((nowMs - this.#startedMs) / FRAME_MS) * frameSamples
    while (this.#capturedSamples < dueSamples) {
      const samples = this.#microphone.take(frameSamples)
      if (this.isOpen) this.#socket?.send(encodeAudioMessage(this.#capturedSamples, samples))
      this.#capturedSamples += frameSamples
    }
    if (!this.#loudspeaker.isPlaying) return
    const elapsedSamples = Math.floor(((nowMs - this.#playedMs) * this.rateHz) / 1_000)
    this.#playedMs += (elapsedSamples * 1_000) / this.rateHz
    this.#loudspeaker.advance(elapsedSamples)
    if (!this.#loudspeaker.isPlaying || nowMs - this.#positionMs >= POSITION_EVERY_MS) this.#sendPosition()
  }

  #sendPosition(): void {
    this.#positionMs = performance.now()
    const playedSamples = this.#loudspeaker.played
    this.send({ type: 'position', playedSamples, capturedSamples: this.#capturedSamples })
  }

  #notifyWatchers(): void {
    for (const check of this.#watchers) check()
  }

  #describe(): string {
    const lastMessages = this.messages.slice(-8).map(({ message }) => JSON.stringify(message))
    return `Received ${this.frames.length} frames (close code: ${this.#closeCode}). Last messages:\n${lastMessages.join('\n')}`
  }
}

async function withTimeout<Result>(
  timeoutMs: number,
  description: string,
  promise: Promise<Result>,
  describe = (): string => '',
): Promise<Result> {
  const timeout = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => timeout.reject(new Error(`Waited ${timeoutMs} ms for ${description}. ${describe()}`)),
    timeoutMs,
  )
  try {
    return await Promise.race([promise, timeout.promise])
  } finally {
    clearTimeout(timer)
  }
}
