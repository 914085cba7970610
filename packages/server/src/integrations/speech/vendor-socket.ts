import type { Clock } from '@parley/engine/ports'
import type { SpeechFailure } from '@parley/engine/voice/ports'
import type { WebSocket } from 'ws'
import type { OpenGuardedSocket } from '../../platform/outbound/guarded-socket.ts'
import { toConnectFailure } from '../connect-failure.ts'
import { parseJson, toObject } from '../models/unknown-json.ts'
import { createProtocolFailure, sanitizeVendorText } from '../models/wire-failure.ts'

/** A vendor that speaks over WebSockets. `baseUrl` is its `wss://` URL, or the URL of a compatible server. */
export interface SpeechSocketTarget {
  readonly openSocket: OpenGuardedSocket
  readonly clock: Clock
  readonly baseUrl: string
  readonly apiKey: string
}

type JsonFields = Readonly<Record<string, unknown>>

export interface VendorSocketOptions extends Pick<SpeechSocketTarget, 'openSocket' | 'clock'> {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  /** Header with the vendor's ID of a refused request, for the failure message. */
  readonly requestIdHeader?: string
  /** Header with the vendor's reason for refusing a request. The failure message contains an excerpt without the key. */
  readonly reason?: { readonly header: string; readonly apiKey: string }
  /** Time for the socket to open, by default 5 seconds. */
  readonly connectTimeoutMs?: number
  /** Called for each JSON object. */
  readonly onMessage: (message: JsonFields) => void
  /** Called for each binary message. Vendors that send none omit it, and a binary message is a protocol failure. */
  readonly onBinary?: (bytes: Buffer) => void
  readonly onOpen?: () => void
  /**
   * Called once, unless the client closes the socket. `closeCode` is null if the socket did not open. No callback follows.
   */
  readonly onFailed: (failure: SpeechFailure, closeCode: number | null) => void
}

const CONNECT_TIMEOUT_MS = 5_000
/** One message holds at most a few seconds of audio in base64. */
const MAX_MESSAGE_BYTES = 4 * 1024 * 1024
/** Unsent audio beyond this size means that the vendor has stopped reading. */
const MAX_UNSENT_BYTES = 1024 * 1024
/** Time for the vendor to complete the closing handshake. */
const CLOSE_TIMEOUT_MS = 2_000

/** A client WebSocket to a speech vendor. Messages sent before it opens are sent in order once it opens. */
export class VendorSocket {
  readonly #options: VendorSocketOptions
  readonly #abortController = new AbortController()
  #socket: WebSocket | null = null
  #queue: (string | Uint8Array)[] = []
  #queuedBytes = 0
  #isClosed = false

  constructor(options: VendorSocketOptions) {
    this.#options = options
    void this.#open()
  }

  get isOpen(): boolean {
    return this.#socket !== null && !this.#isClosed
  }

  sendJson(message: JsonFields): void {
    this.send(JSON.stringify(message))
  }

  /** Sends a text or binary message. Ignored after the end. */
  send(message: string | Uint8Array): void {
    if (this.#isClosed) return
    const unsentBytes = this.#socket?.bufferedAmount ?? this.#queuedBytes
    if (unsentBytes + message.length > MAX_UNSENT_BYTES) {
      this.fail({ kind: 'unavailable', message: 'The provider stopped reading.', retryable: true })
    } else if (this.#socket === null) {
      // Copied, because the sender can reuse the buffer.
      this.#queue.push(typeof message === 'string' ? message : new Uint8Array(message))
      this.#queuedBytes += message.length
    } else this.#socket.send(message)
  }

  /** Closes the socket after sending the last message, without a callback. */
  close(lastMessage?: JsonFields): void {
    if (this.#isClosed) return
    // Sent directly, because a vendor that has stopped reading must not cause a failure here.
    if (lastMessage !== undefined) this.#socket?.send(JSON.stringify(lastMessage))
    this.#release()
  }

  /** Ends the socket with a failure that the owner detected. */
  fail(failure: SpeechFailure, closeCode: number | null = null): void {
    if (this.#isClosed) return
    this.#release()
    this.#options.onFailed(failure, closeCode)
  }

  async #open(): Promise<void> {
    const {
      openSocket,
      url,
      headers,
      requestIdHeader,
      reason,
      connectTimeoutMs = CONNECT_TIMEOUT_MS,
      onOpen,
    } = this.#options
    const outcome = await openSocket({
      url: url.href,
      headers,
      timeoutMs: connectTimeoutMs,
      maxPayloadBytes: MAX_MESSAGE_BYTES,
      requestIdHeader,
      reasonHeader: reason?.header,
      signal: this.#abortController.signal,
    })
    if (this.#isClosed) {
      if (outcome.ok) outcome.socket.terminate()
      return
    }
    if (!outcome.ok) {
      const failure = toConnectFailure(outcome)
      const excerpt = sanitizeVendorText(outcome.serverReason ?? '', reason?.apiKey)
      this.fail(excerpt === '' ? failure : { ...failure, message: `${failure.message} Reason: ${excerpt}` })
      return
    }
    const { socket } = outcome
    this.#socket = socket
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary))
    socket.once('close', (code, reason) => {
      const message = `The provider closed the connection (${formatCloseStatus(code, reason)}).`
      this.fail({ kind: 'unavailable', message, retryable: true }, code)
    })
    socket.resume()
    for (const message of this.#queue) socket.send(message)
    this.#queue = []
    onOpen?.()
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return
    const { onMessage, onBinary } = this.#options
    if (isBinary && onBinary !== undefined) {
      onBinary(data)
      return
    }
    const message = isBinary ? null : toObject(parseJson(data.toString('utf8')))
    if (message === null) this.fail(createProtocolFailure('The provider sent a message that is not a JSON object.'))
    else onMessage(message)
  }

  #release(): void {
    this.#isClosed = true
    this.#queue = []
    this.#abortController.abort()
    const socket = this.#socket
    if (socket === null || socket.readyState === socket.CLOSED) return
    const cancelTimeout = this.#options.clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate())
    socket.once('close', cancelTimeout)
    socket.close(1000)
  }
}

/** Formats a close code and the vendor's own code. Omits other reasons, because they can quote text. */
function formatCloseStatus(code: number, reason: Buffer): string {
  const vendorCode = /^[A-Z]{2,16}-\d{4}(?!\w)/.exec(reason.toString('utf8'))?.[0]
  return vendorCode === undefined ? String(code) : `${code}, ${vendorCode}`
}

/**
 * Builds the URL of a vendor's socket. Accepts `http` URLs for compatible servers. Omits undefined parameters. Encodes spaces
 * as `%20`, because some vendors read `+` literally.
 */
export function buildSocketUrl(
  baseUrl: string,
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>,
): URL {
  const url = new URL(baseUrl.replace(/^http/i, 'ws'))
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}${path}`
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue
    for (const item of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(item))
  }
  url.search = url.search.replaceAll('+', '%20')
  return url
}
