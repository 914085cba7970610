import type { Frame } from '@parley/engine/audio/frame'
import type { Clock } from '@parley/engine/ports'
import type { MediaLeg } from '@parley/engine/voice/ports'
import type { CallRejection, LiveCallHost, StartedCall } from '../../features/calls/public.ts'
import { buildJoinedMessage, MessageFeed, type MessageOf } from '../channel/message-feed.ts'
import type { WebConnection } from '../channel/web-connection.ts'

/** A call to start. `feed` receives the messages of the call. */
interface CallStart {
  readonly callId: string
  readonly leg: MediaLeg
  readonly feed?: MessageFeed
}

/** Starts calls over any leg and lets people listen to the calls. No method rejects. */
export interface ListenableCalls {
  start(start: CallStart): Promise<StartedCall | CallRejection>
  /**
   * Adds a listener and returns a function that removes the listener. Otherwise, returns the reason why the listener was not
   * added.
   */
  listen(callId: string, connection: WebConnection): (() => void) | 'elsewhere' | 'full' | 'over'
}

interface ListenableCall {
  readonly startedCall: StartedCall
  readonly listeners: CallListeners
  readonly rateHz: MediaLeg['rateHz']
}

/** Maximum number of ended calls to remember, so that late listeners learn that the call has ended. */
const MAX_ENDED_CALLS = 1_000

export function createListenableCalls(host: Pick<LiveCallHost, 'start'>, clock: Omit<Clock, 'after'>): ListenableCalls {
  const calls = new Map<string, ListenableCall>()
  const endedCallIds = new Set<string>()

  function rememberEndedCall(callId: string): void {
    if (!calls.delete(callId)) return
    endedCallIds.add(callId)
    for (const oldestCallId of endedCallIds) {
      if (endedCallIds.size <= MAX_ENDED_CALLS) break
      endedCallIds.delete(oldestCallId)
    }
  }

  return {
    async start({ callId, leg, feed = new MessageFeed() }) {
      const listeners = new CallListeners(feed, () => rememberEndedCall(callId))
      const startResult = await host.start({ callId, leg: tapLeg(leg, listeners), observer: feed })
      if (startResult.ok) calls.set(callId, { startedCall: startResult, listeners, rateHz: leg.rateHz })
      if (listeners.isClosed) rememberEndedCall(callId)
      return startResult
    },

    listen(callId, connection) {
      const call = calls.get(callId)
      if (call === undefined) return endedCallIds.has(callId) ? 'over' : 'elsewhere'
      const session = { rateHz: call.rateHz, nowMs: clock.now(), resumeToken: '' }
      const joinedMessage = buildJoinedMessage(call.startedCall, session, { listening: true, received: 0 })
      return call.listeners.add(connection, joinedMessage) ? () => call.listeners.remove(connection) : 'full'
    },
  }
}

/** Handles the messages of a listener's connection. Calls `onEnded` when the listener leaves or the connection closes. */
export function handleListenerMessages(connection: WebConnection, onEnded: () => void): void {
  connection.listen({
    message(message) {
      if (message.type === 'ping') connection.send({ type: 'pong', id: message.id, received: 0 })
      if (message.type !== 'leave') return
      onEnded()
      connection.close(1000, 'left')
    },
    invalid: () => undefined,
    audio: () => undefined,
    closed: onEnded,
  })
}

const MAX_LISTENERS = 5
/** Maximum number of agent frames that wait to be mixed. Beyond it, the oldest frame is dropped. */
const MAX_PENDING_FRAMES = 100
/** Frames are not sent to listeners with more pending bytes. */
const MAX_PENDING_BYTES = 64 * 1024

interface PendingFrame {
  readonly frame: Frame
  readonly endSample: number
}

/** Sends the mixed audio and all messages of a call to its listeners. */
class CallListeners implements MediaTap {
  readonly #feed: MessageFeed
  readonly #onClosed: () => void
  readonly #listeners = new Map<WebConnection, { sentSamples: number }>()
  #pendingFrames: PendingFrame[] = []
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
  add(connection: WebConnection, joinedMessage: MessageOf<'joined'>): boolean {
    if (this.#listeners.size >= MAX_LISTENERS) return false
    this.#listeners.set(connection, { sentSamples: 0 })
    handleListenerMessages(connection, () => this.remove(connection))
    connection.send(joinedMessage)
    for (const text of this.#feed.getMessagesAfter(0)) connection.sendText(text)
    return true
  }

  remove(connection: WebConnection): void {
    this.#listeners.delete(connection)
    if (this.#listeners.size === 0) this.#pendingFrames = []
  }

  handleCallerFrame(frame: Frame): void {
    if (this.#listeners.size === 0) return
    const [nextFrame] = this.#pendingFrames
    const isPlayed = nextFrame !== undefined && nextFrame.endSample <= this.#playedSamples
    if (isPlayed) this.#pendingFrames.shift()
    const mixedFrame = isPlayed ? mixFrames(frame, nextFrame.frame) : frame
    for (const [connection, listener] of this.#listeners) {
      if (connection.pendingBytes <= MAX_PENDING_BYTES) connection.sendAudio(mixedFrame, listener.sentSamples)
      listener.sentSamples += mixedFrame.length
    }
  }

  handleSentFrame(frame: Frame, startSample: number): void {
    if (this.#listeners.size === 0) return
    // Copied, because the sender can reuse its frame.
    this.#pendingFrames.push({ frame: frame.slice(), endSample: startSample + frame.length })
    if (this.#pendingFrames.length > MAX_PENDING_FRAMES) this.#pendingFrames.shift()
  }

  handlePlayed(playedSamples: number): void {
    this.#playedSamples = playedSamples
  }

  handleCleared(): void {
    this.#pendingFrames = this.#pendingFrames.filter(({ endSample }) => endSample <= this.#playedSamples)
  }

  handleClosed(): void {
    this.#isClosed = true
    const connections = [...this.#listeners.keys()]
    this.#listeners.clear()
    this.#pendingFrames = []
    for (const connection of connections) {
      connection.send(this.#feed.endedMessage)
      connection.close(1000, 'ended')
    }
    this.#feed.close()
    this.#onClosed()
  }
}

/** Adds two frames and clips the result. */
function mixFrames(callerFrame: Frame, agentFrame: Frame): Frame {
  const mixedFrame = new Int16Array(callerFrame.length)
  for (let index = 0; index < mixedFrame.length; index += 1) {
    const sum = (callerFrame[index] ?? 0) + (agentFrame[index] ?? 0)
    mixedFrame[index] = Math.max(-32_768, Math.min(32_767, sum))
  }
  return mixedFrame
}

/** Observes a leg. Methods return immediately, never throw and do not retain frames. */
interface MediaTap {
  /** Receives a frame from the caller. Caller frames set the pace of the mix. */
  handleCallerFrame(frame: Frame): void
  /** Receives a frame sent to the caller. */
  handleSentFrame(frame: Frame, startSample: number): void
  /** Reports the playback position. Audio after the position can still be dropped. */
  handlePlayed(playedSamples: number): void
  /** Reports that unplayed audio was dropped. */
  handleCleared(): void
  /** Reports that the leg has ended. */
  handleClosed(): void
}

function tapLeg(leg: MediaLeg, tap: MediaTap): MediaLeg {
  const { kind, rateHz, leadMs, framesPerMessage, capabilities } = leg
  return {
    ...{ kind, rateHz, leadMs, framesPerMessage, capabilities },
    listen: (events) =>
      leg.listen({
        ...events,
        frame(frame, startSample) {
          events.frame(frame, startSample)
          tap.handleCallerFrame(frame)
        },
        played(playedSamples, capturedSamples) {
          tap.handlePlayed(playedSamples)
          events.played(playedSamples, capturedSamples)
        },
        closed() {
          events.closed()
          tap.handleClosed()
        },
      }),
    send(frame, startSample) {
      tap.handleSentFrame(frame, startSample)
      leg.send(frame, startSample)
      // Without playback reports, sent audio counts as played.
      if (!capabilities.reportsPlayed) tap.handlePlayed(startSample + frame.length)
    },
    clear() {
      tap.handleCleared()
      leg.clear()
    },
    ...(leg.sendDtmf !== undefined && { sendDtmf: (digits: string) => leg.sendDtmf?.(digits) }),
    ...(leg.attenuate !== undefined && { attenuate: (db: number, rampMs: number) => leg.attenuate?.(db, rampMs) }),
    close: (drainMs) => leg.close(drainMs),
  }
}
