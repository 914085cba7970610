import { EventStream, type StreamFrame, type StreamSink } from '../../../kernel/api/implement.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Database } from '../../../kernel/storage/database.ts'
import type { Background } from '../../../kernel/work/background.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import { isLive } from '../../../tables/call-tables.ts'
import { findCall } from '../call-store.ts'
import { type CallSignals, FOLLOW_INTERVAL_MS } from './call-signals.ts'
import { readEvents } from './event-store.ts'

/** Between two looks when no hint comes. */
const POLL_MS = 1_000
/** Events that are sent at once. */
const BATCH_SIZE = 500
/** Of one call on one node: each looks into the database all the time. */
const MAX_STREAMS = 50
const RETRY_AFTER_MS = 5_000

export interface CallFollowerDependencies {
  readonly database: Pick<Database, 'read'>
  readonly clock: SharedClock
  readonly background: Pick<Background, 'run'>
  readonly signals: CallSignals
}

/** Streams what happens in calls, wherever they live. */
export interface CallFollowers {
  /**
   * The events of a call behind the given number, then the live ones, until the call is over. They are numbered from 1. Opening
   * the stream throws `rate_limited` when too many follow the call already.
   */
  follow(callId: string, lastEventId: number): EventStream
  /** Sends all listeners away: they go on at another node. */
  closeAll(): void
}

export function createCallFollowers({ database, clock, background, signals }: CallFollowerDependencies): CallFollowers {
  /** What ends each of them, by call. */
  const streams = new Map<string, Set<() => void>>()

  async function run(callId: string, reader: { sink: StreamSink; first: number; signal: AbortSignal }): Promise<void> {
    const { sink, signal } = reader
    let { first } = reader
    let nextFollowMs = clock.now()
    while (!signal.aborted) {
      if (clock.now() >= nextFollowMs) {
        nextFollowMs = clock.now() + FOLLOW_INTERVAL_MS
        signals.follow(callId)
      }
      const { frames, isEnded } = await readFrames(database, callId, first)
      if (signal.aborted) return
      if (isEnded) return sink.end(frames)
      if (frames.length > 0) sink.send(frames)
      first = frames.at(-1)?.id ?? first
      if (frames.length < BATCH_SIZE) await signals.wait(callId, { longestMs: POLL_MS, signal })
    }
  }

  return {
    follow(callId, lastEventId) {
      return new EventStream((sink) => {
        const streamsOfCall = streams.get(callId) ?? new Set()
        if (streamsOfCall.size >= MAX_STREAMS) {
          throw new AppError('rate_limited', 'Too many follow this call already.', { retryAfterMs: RETRY_AFTER_MS })
        }
        const abort = new AbortController()
        const close = (): void => {
          abort.abort()
          sink.end()
        }
        streams.set(callId, streamsOfCall.add(close))
        background.run('follow call', async () => {
          try {
            await run(callId, { sink, first: Math.min(lastEventId, 2_147_483_647), signal: abort.signal })
          } finally {
            // A database that is away: the listener comes again with what it has seen.
            close()
            streamsOfCall.delete(close)
            if (streamsOfCall.size === 0) streams.delete(callId)
          }
        })
        return () => abort.abort()
      })
    },

    closeAll() {
      for (const close of [...streams.values()].flatMap((ofCall) => [...ofCall])) close()
    },
  }
}

async function readFrames(
  { read }: Pick<Database, 'read'>,
  callId: string,
  first: number,
): Promise<{ readonly frames: StreamFrame[]; readonly isEnded: boolean }> {
  // The call before its events: what it ended with is on record when it is over.
  const call = await findCall(read, callId)
  const events = await readEvents(read, callId, { first, limit: BATCH_SIZE })
  const frames = events.map((event) => ({ id: event.position + 1, event: event.type, data: JSON.stringify(event) }))
  const isEnded = call === null || !isLive(call)
  return { frames, isEnded: isEnded && events.length < BATCH_SIZE }
}
