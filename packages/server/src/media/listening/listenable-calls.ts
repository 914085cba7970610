import type { Clock } from '@parley/engine/ports'
import type { MediaLeg } from '@parley/engine/voice/ports'
import type { CallRefusal, LiveCallHost, StartedCall } from '../../features/calls/public.ts'
import { MessageFeed } from '../channel/message-feed.ts'
import { joinedMessage } from '../channel/server-message.ts'
import type { WebConnection } from '../channel/web-connection.ts'
import { CallListeners } from './call-listeners.ts'
import { tapLeg } from './tapped-leg.ts'

/** A call that is to start; `feed`: where its caller sees what it shows. */
export interface MediaStart {
  readonly callId: string
  readonly leg: MediaLeg
  readonly feed?: MessageFeed
}

/** Starts calls so that they can be listened to, whatever brings their callers. Nothing rejects. */
export interface ListenableCalls {
  start(start: MediaStart): Promise<StartedCall | CallRefusal>
  /** Lets somebody listen; the returned function ends that. A text where it does not, and the connection is as it was. */
  listen(callId: string, connection: WebConnection): (() => void) | 'elsewhere' | 'full' | 'over'
}

interface ListenableCall {
  readonly started: StartedCall
  readonly listeners: CallListeners
  readonly rateHz: MediaLeg['rateHz']
}

/** Ids of calls that ended lately: who comes too late is told so. */
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
