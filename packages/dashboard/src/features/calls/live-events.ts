import type { CallEvent } from '@parley/contract/call-event'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readEvents } from '../../lib/api/events.ts'
import { refresh } from '../../lib/api/hooks.ts'
import { after } from '../../lib/clock.ts'

/** A stream that broke is asked for again after this time. */
const RETRY_MS = 2_000

/** Adds an event where it is new: a stream that was cut tells everything again. Events come in the order of their positions. */
export function addEvent(events: readonly CallEvent[], event: CallEvent): readonly CallEvent[] {
  const last = events.at(-1)
  return last !== undefined && event.position <= last.position ? events : [...events, event]
}

/** The events of a call as they happen, while `isLive`. What was heard stays when the call is over. */
export function useLiveEvents(callId: string, isLive: boolean): readonly CallEvent[] {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly CallEvent[]>([])
  useEffect(() => {
    if (!isLive) return
    const ending = new AbortController()
    const { signal } = ending
    let cancelRetry = (): void => undefined
    async function follow(): Promise<void> {
      for await (const { data } of readEvents('getCallEvents', { path: { callId } }, { signal })) {
        const event = data as CallEvent
        setEvents((known) => addEvent(known, event))
        if (event.type === 'call-ended') await refresh(client, ['getCall', 'getCallTranscript', 'listCalls'])
      }
    }
    const start = (): void => {
      follow()
        .catch(() => undefined)
        .finally(() => {
          // Over or cut: the call itself says which, and ends this if it is over.
          if (!signal.aborted) cancelRetry = after(RETRY_MS, start)
        })
    }
    start()
    return () => {
      cancelRetry()
      ending.abort()
    }
  }, [callId, isLive, client])
  return events
}
