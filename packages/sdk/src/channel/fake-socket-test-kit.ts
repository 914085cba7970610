import { createManualClock } from '@parley/engine/testing/manual-clock'
import { type ChannelEvent, type Entry, LiveChannel, type LiveSocket } from './live-channel.ts'
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

export const JOIN = {
  type: 'join',
  protocol: 1,
  accessToken: 'token',
  rateHz: 16_000,
  recognition: false,
  echoCancellation: true,
} as const

/** Opens a channel on fake sockets in virtual time. */
export function openTestChannel(entry: Entry = JOIN, onEvent: (event: ChannelEvent) => void = () => undefined) {
  const manual = createManualClock()
  const sockets: FakeSocket[] = []
  const events: ChannelEvent[] = []
  const channel = new LiveChannel({
    address: 'ws://127.0.0.1/live',
    entry,
    clock: manual.clock,
    openSocket: (address) => {
      const socket = new FakeSocket(address)
      sockets.push(socket)
      return socket
    },
    onEvent(event) {
      events.push(event)
      onEvent(event)
    },
  })
  return {
    manual,
    sockets,
    events,
    channel,
    getEventTypes: () => events.map(({ type }) => type),
    getSocket: () => sockets.at(-1) as FakeSocket,
    join(joined: Partial<JoinedMessage> = {}) {
      const socket = sockets.at(-1) as FakeSocket
      socket.open()
      socket.receive({ ...JOINED, ...joined })
      return socket
    },
    /** Returns the texts sent over the latest connection that must not be lost. */
    getSentTexts: () =>
      (sockets.at(-1) as FakeSocket).sent.flatMap((message) => ('text' in message ? [message.text] : [])),
  }
}
