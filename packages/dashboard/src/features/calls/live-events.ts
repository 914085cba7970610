import type { CallEvent } from '@parley/contract/call-event'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readEvents } from '../../lib/api/events.ts'
import { refresh } from '../../lib/api/hooks.ts'
import { setTimer } from '../../lib/clock.ts'

const RETRY_MS = 2_000

/** Adds an event unless it is known, because a reconnected stream starts over. Keeps events in the order of their positions. */
export function addEvent(events: readonly CallEvent[], event: CallEvent): readonly CallEvent[] {
  const last = events.at(-1)
  return last !== undefined && event.position <= last.position ? events : [...events, event]
}

/** Whether the stream is complete. A stream without a call-ended event was interrupted, even without an error. */
export const isComplete = (events: readonly CallEvent[]): boolean => events.at(-1)?.type === 'call-ended'

export interface LiveEvents {
  readonly events: readonly CallEvent[]
  readonly isInterrupted: boolean
}

/** Streams the events of a live call. The events remain available after the call ends. */
export function useLiveEvents(callId: string, isLive: boolean): LiveEvents {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly CallEvent[]>([])
  const [isInterrupted, setIsInterrupted] = useState(false)
  useEffect(() => {
    if (!isLive) return
    const controller = new AbortController()
    const { signal } = controller
    let known: readonly CallEvent[] = []
    let cancelRetry = (): void => undefined
    async function follow(): Promise<void> {
      for await (const { data } of readEvents('getCallEvents', { path: { callId } }, { signal })) {
        const event = data as CallEvent
        known = addEvent(known, event)
        setEvents(known)
        setIsInterrupted(false)
        if (event.type === 'call-ended') await refresh(client, ['getCall', 'getCallTranscript', 'listCalls'])
      }
    }
    const start = (): void => {
      follow()
        .catch(() => undefined)
        .finally(() => {
          if (signal.aborted) return
          setIsInterrupted(!isComplete(known))
          // Stops after the call's status is ended.
          cancelRetry = setTimer(RETRY_MS, start)
        })
    }
    start()
    return () => {
      cancelRetry()
      controller.abort()
    }
  }, [callId, isLive, client])
  return { events, isInterrupted: isLive && isInterrupted }
}
