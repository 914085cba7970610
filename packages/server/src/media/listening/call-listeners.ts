import type { Frame } from '@parley/engine/audio/frame'
import type { MessageFeed } from '../channel/message-feed.ts'
import type { MessageOf } from '../channel/server-message.ts'
import type { WebConnection } from '../channel/web-connection.ts'
import type { MediaTap } from './tapped-leg.ts'

/** From its first message on, the connection of a listener is of no use for anything else; `gone` is called once, when it ends. */
export function receiveFromListener(connection: WebConnection, onGone: () => void): void {
  connection.listen({
    message(message) {
      if (message.type === 'ping') connection.send({ type: 'pong', id: message.id, received: 0 })
      if (message.type !== 'leave') return
      onGone()
      connection.close(1000, 'left')
    },
    invalid: () => undefined,
    audio: () => undefined,
    closed: onGone,
  })
}

const MAX_LISTENERS = 5
/** Audio of the agent that waits for the caller's next frame: what is older is not worth hearing any more. */
const MAX_PENDING_FRAMES = 100
/** A listener whose connection takes no more than this misses frames. */
const MAX_PENDING_BYTES = 64 * 1024

interface PendingFrame {
  readonly frame: Frame
  readonly endSample: number
}

/** Those who listen to a call: they get both voices in one, as the caller hears and says them, and what the call shows. */
export class CallListeners implements MediaTap {
  readonly #feed: MessageFeed
  readonly #onClosed: () => void
  readonly #listeners = new Map<WebConnection, { sentSamples: number }>()
  #pending: PendingFrame[] = []
  #playedSamples = 0
  #isClosed = false

  constructor(feed: MessageFeed, onClosed: () => void) {
    this.#feed = feed
    this.#onClosed = onClosed
    feed.subscribe((text) => {
      for (const connection of this.#listeners.keys()) connection.sendText(text)
    })
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** `false`: there are as many as there may be. */
  add(connection: WebConnection, joined: MessageOf<'joined'>): boolean {
    if (this.#listeners.size >= MAX_LISTENERS) return false
    this.#listeners.set(connection, { sentSamples: 0 })
    receiveFromListener(connection, () => this.remove(connection))
    connection.send(joined)
    for (const text of this.#feed.after(0)) connection.sendText(text)
    return true
  }

  remove(connection: WebConnection): void {
    this.#listeners.delete(connection)
    if (this.#listeners.size === 0) this.#pending = []
  }

  callerFrame(frame: Frame): void {
    if (this.#listeners.size === 0) return
    const [next] = this.#pending
    const isPlayed = next !== undefined && next.endSample <= this.#playedSamples
    if (isPlayed) this.#pending.shift()
    const mixed = isPlayed ? mix(frame, next.frame) : frame
    for (const [connection, state] of this.#listeners) {
      if (connection.pendingBytes <= MAX_PENDING_BYTES) connection.sendAudio(mixed, state.sentSamples)
      state.sentSamples += mixed.length
    }
  }

  sentFrame(frame: Frame, startSample: number): void {
    if (this.#listeners.size === 0) return
    // The sender may use its frame again.
    this.#pending.push({ frame: frame.slice(), endSample: startSample + frame.length })
    if (this.#pending.length > MAX_PENDING_FRAMES) this.#pending.shift()
  }

  played(playedSamples: number): void {
    this.#playedSamples = playedSamples
  }

  cleared(): void {
    this.#pending = this.#pending.filter(({ endSample }) => endSample <= this.#playedSamples)
  }

  closed(): void {
    this.#isClosed = true
    const open = [...this.#listeners.keys()]
    this.#listeners.clear()
    this.#pending = []
    for (const connection of open) {
      connection.send(this.#feed.endedMessage)
      connection.close(1000, 'ended')
    }
    this.#feed.close()
    this.#onClosed()
  }
}

/** The sum of two frames; what is too loud is cut off. */
function mix(one: Frame, other: Frame): Frame {
  const mixed = new Int16Array(one.length)
  for (let index = 0; index < mixed.length; index += 1) {
    const sum = (one[index] ?? 0) + (other[index] ?? 0)
    mixed[index] = Math.max(-32_768, Math.min(32_767, sum))
  }
  return mixed
}
