import type { Frame } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { MediaLeg } from '@parley/engine/voice/ports'
import type { CallRefusal, LiveCallHost, StartedCall } from '../../features/calls/public.ts'
import { buildJoinedMessage, MessageFeed, type MessageOf } from '../channel/message-feed.ts'
import type { WebConnection } from '../channel/web-connection.ts'

/** A call to start. `feed` receives the messages of the call. */
interface MediaStart {
  readonly callId: string
  readonly leg: MediaLeg
  readonly feed?: MessageFeed
}

/** Starts calls over any leg and lets people listen to the calls. No method rejects. */
export interface ListenableCalls {
  start(start: MediaStart): Promise<StartedCall | CallRefusal>
  /**
   * Adds a listener and returns a function that removes the listener. Otherwise, returns the reason why the listener was not
   * added.
   */
  listen(callId: string, connection: WebConnection): (() => void) | 'elsewhere' | 'full' | 'over'
}

interface ListenableCall {
  readonly started: StartedCall
  readonly listeners: CallListeners
  readonly rateHz: MediaLeg['rateHz']
}

/** Recently ended calls, remembered to inform late listeners. */
const MAX_ENDED = 1_000

export function createListenableCalls(host: Pick<LiveCallHost, 'start'>, clock: Omit<Clock, 'after'>): ListenableCalls {
  const calls = new Map<string, ListenableCall>()
  const ended = new Set<string>()

  function rememberEndedCall(callId: string): void {
    if (!calls.delete(callId)) return
    ended.add(callId)
    for (const oldest of ended) {
      if (ended.size <= MAX_ENDED) break
      ended.delete(oldest)
    }
  }

  return {
    async start({ callId, leg, feed = new MessageFeed() }) {
      const listeners = new CallListeners(feed, () => rememberEndedCall(callId))
      const started = await host.start({ callId, leg: tapLeg(leg, listeners), observer: feed })
      if (started.ok) calls.set(callId, { started, listeners, rateHz: leg.rateHz })
      if (listeners.isClosed) rememberEndedCall(callId)
      return started
    },

    listen(callId, connection) {
      const call = calls.get(callId)
      if (call === undefined) return ended.has(callId) ? 'over' : 'elsewhere'
      const about = { rateHz: call.rateHz, nowMs: clock.now(), resumeToken: '' }
      const joined = buildJoinedMessage(call.started, about, { listening: true, received: 0 })
      return call.listeners.add(connection, joined) ? () => call.listeners.remove(connection) : 'full'
    },
  }
}

/** Handles the messages of a listener's connection. Calls `onGone` once when the connection ends. */
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
/** Maximum agent audio queued for the caller's next frames; older audio is dropped. */
const MAX_PENDING_FRAMES = 100
/** Listeners with more pending bytes miss frames. */
const MAX_PENDING_BYTES = 64 * 1024

interface PendingFrame {
  readonly frame: Frame
  readonly endSample: number
}

/** The listeners of a call, who receive both voices mixed and all messages of the call. */
class CallListeners implements MediaTap {
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

  /** Adds a listener. Returns false if the call already has the maximum number of listeners. */
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
    const mixed = isPlayed ? mixFrames(frame, next.frame) : frame
    for (const [connection, state] of this.#listeners) {
      if (connection.pendingBytes <= MAX_PENDING_BYTES) connection.sendAudio(mixed, state.sentSamples)
      state.sentSamples += mixed.length
    }
  }

  sentFrame(frame: Frame, startSample: number): void {
    if (this.#listeners.size === 0) return
    // Copied, because the sender can reuse its frame.
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

/** Adds two frames and clips the result. */
function mixFrames(first: Frame, second: Frame): Frame {
  const mixed = new Int16Array(first.length)
  for (let index = 0; index < mixed.length; index += 1) {
    const sum = (first[index] ?? 0) + (second[index] ?? 0)
    mixed[index] = Math.max(-32_768, Math.min(32_767, sum))
  }
  return mixed
}

/** Observes a leg. Methods return immediately, never throw and do not retain frames. */
interface MediaTap {
  /** Receives a frame from the caller. Caller frames set the pace of the mix. */
  callerFrame(frame: Frame): void
  /** Receives a frame sent to the caller. */
  sentFrame(frame: Frame, startSample: number): void
  /** Reports the playback position. Audio after the position can still be dropped. */
  played(playedSamples: number): void
  /** Reports that unplayed audio was dropped. */
  cleared(): void
  /** Reports that the leg has ended. */
  closed(): void
}

/** Wraps a leg with an observer. */
function tapLeg(leg: MediaLeg, tap: MediaTap): MediaLeg {
  const { kind, rateHz, leadMs, framesTogether, capabilities } = leg
  return {
    ...{ kind, rateHz, leadMs, framesTogether, capabilities },
    listen: (events) =>
      leg.listen({
        ...events,
        frame(frame, startSample) {
          events.frame(frame, startSample)
          tap.callerFrame(frame)
        },
        played(playedSamples, capturedSamples) {
          tap.played(playedSamples)
          events.played(playedSamples, capturedSamples)
        },
        closed() {
          events.closed()
          tap.closed()
        },
      }),
    send(frame, startSample) {
      tap.sentFrame(frame, startSample)
      leg.send(frame, startSample)
      // Without playback reports, sent audio counts as played.
      if (!capabilities.reportsPlayed) tap.played(startSample + frame.length)
    },
    clear() {
      tap.cleared()
      leg.clear()
    },
    ...(leg.sendDtmf !== undefined && { sendDtmf: (digits: string) => leg.sendDtmf?.(digits) }),
    close: (drainMs) => leg.close(drainMs),
  }
}
