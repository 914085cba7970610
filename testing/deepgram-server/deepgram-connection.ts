import type { IncomingMessage } from 'node:http'
import type { WebSocket } from 'ws'

export type JsonFields = Readonly<Record<string, unknown>>

/** One connection of a client, with everything that it sent. */
export class DeepgramConnection {
  readonly path: string
  readonly parameters: URLSearchParams
  /** Text messages in order. */
  readonly commands: JsonFields[] = []
  /** Sizes of the binary messages in order. */
  readonly messageSizes: number[] = []
  /** Whether a transcription answers `Configure`. Otherwise, tests send the answers themselves. */
  answersConfigure = true
  /** Resolves to the close code. */
  readonly closed: Promise<number>
  readonly #socket: WebSocket
  #isMuted = false
  readonly #audio: Buffer[] = []

  constructor(socket: WebSocket, request: IncomingMessage) {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    this.path = url.pathname
    this.parameters = url.searchParams
    this.#socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {})
  }

  /** Types of the text messages in order. */
  get commandTypes(): readonly unknown[] {
    return this.commands.map(({ type }) => type)
  }

  /** Number of received samples. */
  get sampleCount(): number {
    return this.messageSizes.reduce((sum, size) => sum + size, 0) / 2
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Returns the received samples. */
  getSamples(): Int16Array {
    const bytes = Buffer.concat(this.#audio)
    const samples = new Int16Array(bytes.length >> 1)
    for (let index = 0; index < samples.length; index += 1) samples[index] = bytes.readInt16LE(index * 2)
    return samples
  }

  /** Records a received message. */
  record(data: Buffer, isBinary: boolean): void {
    if (!isBinary) {
      this.commands.push(JSON.parse(data.toString('utf8')) as JsonFields)
      return
    }
    this.messageSizes.push(data.length)
    this.#audio.push(data)
  }

  /** Sends nothing from now on, like a vendor whose network has failed. */
  mute(): void {
    this.#isMuted = true
  }

  send(message: JsonFields): void {
    if (!this.#isMuted) this.#socket.send(JSON.stringify(message))
  }

  /** Sends a text or binary message unchanged. */
  sendRaw(data: string | Buffer): void {
    this.#socket.send(data)
  }

  close(code: number, reason = ''): void {
    this.#socket.close(code, reason)
  }

  /** Breaks the connection without a close frame. */
  drop(): void {
    this.#socket.terminate()
  }
}
