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

/** Whether a stream has told everything: otherwise it was cut, even where it ended quietly. */
export function isWhole(events: readonly CallEvent[]): boolean {
  return events.at(-1)?.type === 'call-ended'
}

export interface LiveEvents {
  readonly events: readonly CallEvent[]
  /** The stream was cut, and it is tried to come back. */
  readonly isInterrupted: boolean
}

/** The events of a call as they happen, while `isLive`. What was heard stays when the call is over. */
export function useLiveEvents(callId: string, isLive: boolean): LiveEvents {
  const client = useQueryClient()
  const [events, setEvents] = useState<readonly CallEvent[]>([])
  const [isInterrupted, setIsInterrupted] = useState(false)
  useEffect(() => {
    if (!isLive) return
    const ending = new AbortController()
    const { signal } = ending
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
          setIsInterrupted(!isWhole(known))
          // The call itself says that it is over, and ends this.
          cancelRetry = after(RETRY_MS, start)
        })
    }
    start()
    return () => {
      cancelRetry()
      ending.abort()
    }
  }, [callId, isLive, client])
  return { events, isInterrupted: isLive && isInterrupted }
}
