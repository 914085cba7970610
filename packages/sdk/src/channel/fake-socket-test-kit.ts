import type { LiveSocket } from './live-channel.ts'
import type { ClientMessage, JoinedMessage, ServerMessage } from './live-protocol.ts'

/** A connection to a server simulated by the test. */
export class FakeSocket implements LiveSocket {
  binaryType = 'blob'
  bufferedAmount = 0
  onopen: (() => void) | null = null
  onmessage: ((event: { readonly data: unknown }) => void) | null = null
  onclose: (() => void) | null = null
  onerror: (() => void) | null = null
  isClosed = false
  readonly address: string
  readonly sent: ClientMessage[] = []
  readonly audioFrames: ArrayBuffer[] = []

  constructor(address: string) {
    this.address = address
  }

  send(data: string | ArrayBuffer): void {
    if (typeof data === 'string') this.sent.push(JSON.parse(data))
    else this.audioFrames.push(data)
  }

  close(): void {
    this.isClosed = true
  }

  open(): void {
    this.onopen?.()
  }

  /** Breaks the connection. */
  break(): void {
    this.isClosed = true
    this.onclose?.()
  }

  receive(message: ServerMessage): void {
    this.onmessage?.({ data: JSON.stringify(message) })
  }

  receiveRaw(data: unknown): void {
    this.onmessage?.({ data })
  }
}

export const JOINED: JoinedMessage = {
  type: 'joined',
  protocol: 1,
  callId: 'call_1',
  agentName: 'Ada',
  language: 'en-US',
  rateHz: 16_000,
  resumeToken: 'resume_1',
  recognition: 'server',
  standIns: [],
  listening: false,
  elapsedMs: 0,
  received: 0,
}
