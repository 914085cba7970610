import { EventStream, type StreamFrame, type StreamSink } from '../../../kernel/api/implement.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { isLive } from '../../../tables/call-tables.ts'
import { findCall } from '../call-store.ts'
import { ANNOUNCE_INTERVAL_MS, type CallSignals } from './call-signals.ts'
import { readEvents } from './event-store.ts'

/** Poll interval if no hint arrives. */
const POLL_MS = 1_000
/** Maximum number of events in one batch. */
const BATCH_SIZE = 500
/** Maximum number of streams for each call on one node. Each stream polls the database. */
const MAX_STREAMS = 50
const RETRY_AFTER_MS = 5_000

interface CallFollowerDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: SharedClock
  readonly background: Pick<Background, 'run'>
  readonly signals: CallSignals
}

/** Streams call events from any node. */
export interface CallFollowers {
  /**
   * Streams the events after the given number, then live events until the call ends. Events are numbered from 1. Opening the
   * stream throws `rate_limited` if the call has too many followers.
   */
  follow(callId: string, lastEventId: number): EventStream
  /** Closes all streams. Clients reconnect to another node. */
  closeAll(): void
}

export function createCallFollowers({ database, clock, background, signals }: CallFollowerDependencies): CallFollowers {
  /** Functions that close the open streams, by call. */
  const streams = new Map<string, Set<() => void>>()

  async function streamEvents(
    callId: string,
    options: { sink: StreamSink; fromPosition: number; signal: AbortSignal },
  ): Promise<void> {
    const { sink, signal } = options
    let { fromPosition } = options
    let nextAnnouncementMs = clock.now()
    while (!signal.aborted) {
      if (clock.now() >= nextAnnouncementMs) {
        nextAnnouncementMs = clock.now() + ANNOUNCE_INTERVAL_MS
        signals.announceFollower(callId)
      }
      const { frames, isEnded } = await readFrames(database, callId, fromPosition)
      if (signal.aborted) return
      if (isEnded) return sink.end(frames)
      if (frames.length > 0) sink.send(frames)
      fromPosition = frames.at(-1)?.id ?? fromPosition
      if (frames.length < BATCH_SIZE) await signals.wait(callId, { maxWaitMs: POLL_MS, signal })
    }
  }

  return {
    follow(callId, lastEventId) {
      return new EventStream((sink) => {
        const callStreams = streams.get(callId) ?? new Set()
        if (callStreams.size >= MAX_STREAMS) {
          throw new AppError('rate_limited', 'Too many clients follow this call already. Close another stream first.', {
            retryAfterMs: RETRY_AFTER_MS,
          })
        }
        const abort = new AbortController()
        const close = (): void => {
          abort.abort()
          sink.end()
        }
        streams.set(callId, callStreams.add(close))
        background.run('follow call', async () => {
          try {
            await streamEvents(callId, {
              sink,
              fromPosition: Math.min(lastEventId, 2_147_483_647),
              signal: abort.signal,
            })
          } finally {
            // After a database failure, the client reconnects with its last event id.
            close()
            callStreams.delete(close)
            if (callStreams.size === 0) streams.delete(callId)
          }
        })
        return () => abort.abort()
      })
    },

    closeAll() {
      for (const close of [...streams.values()].flatMap((closeFunctions) => [...closeFunctions])) close()
    },
  }
}

async function readFrames(
  { read }: Pick<Database, 'read'>,
  callId: string,
  fromPosition: number,
): Promise<{ readonly frames: StreamFrame[]; readonly isEnded: boolean }> {
  // Reads the call first because an ended call has no pending events.
  const call = await findCall(read, callId)
  const events = await readEvents(read, callId, { fromPosition, limit: BATCH_SIZE })
  const frames = events.map((event) => ({ id: event.position + 1, event: event.type, data: JSON.stringify(event) }))
  const isEnded = call === null || !isLive(call)
  return { frames, isEnded: isEnded && events.length < BATCH_SIZE }
}
