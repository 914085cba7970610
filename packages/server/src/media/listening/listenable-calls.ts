import type { Clock } from '@parley/engine/ports'
import type { MediaLeg } from '@parley/engine/voice/ports'
import type { CallRefusal, LiveCallHost, StartedCall } from '../../features/calls/public.ts'
import { MessageFeed } from '../channel/message-feed.ts'
import { joinedMessage } from '../channel/server-message.ts'
import type { WebConnection } from '../channel/web-connection.ts'
import { CallListeners } from './call-listeners.ts'
import { tapLeg } from './tapped-leg.ts'

/** A call to start; `feed` receives its messages. */
export interface MediaStart {
  readonly callId: string
  readonly leg: MediaLeg
  readonly feed?: MessageFeed
}

/** Starts calls over any leg so that they can be listened to. Nothing rejects. */
export interface ListenableCalls {
  start(start: MediaStart): Promise<StartedCall | CallRefusal>
  /** Adds a listener and returns a function that removes it, or a reason why it was not added. */
  listen(callId: string, connection: WebConnection): (() => void) | 'elsewhere' | 'full' | 'over'
}

interface ListenableCall {
  readonly started: StartedCall
  readonly listeners: CallListeners
  readonly rateHz: MediaLeg['rateHz']
}

/** Recently ended calls, to tell late listeners. */
const MAX_ENDED = 1_000

export function createListenableCalls(host: Pick<LiveCallHost, 'start'>, clock: Omit<Clock, 'after'>): ListenableCalls {
  const calls = new Map<string, ListenableCall>()
  const ended = new Set<string>()

  function noteEnded(callId: string): void {
    if (!calls.delete(callId)) return
    ended.add(callId)
    for (const oldest of ended) {
      if (ended.size <= MAX_ENDED) break
      ended.delete(oldest)
    }
  }

  return {
    async start({ callId, leg, feed = new MessageFeed() }) {
      const listeners = new CallListeners(feed, () => noteEnded(callId))
      const started = await host.start({ callId, leg: tapLeg(leg, listeners), observer: feed })
      if (started.ok) calls.set(callId, { started, listeners, rateHz: leg.rateHz })
      if (listeners.isClosed) noteEnded(callId)
      return started
    },

    listen(callId, connection) {
      const call = calls.get(callId)
      if (call === undefined) return ended.has(callId) ? 'over' : 'elsewhere'
      const about = { rateHz: call.rateHz, nowMs: clock.now(), resumeToken: '' }
      const joined = joinedMessage(call.started, about, { listening: true, received: 0 })
      return call.listeners.add(connection, joined) ? () => call.listeners.remove(connection) : 'full'
    },
  }
}
