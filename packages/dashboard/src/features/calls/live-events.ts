import type { CallEvent } from '@parley/contract/call-event'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { readEvents } from '../../lib/api/events.ts'
import { refresh } from '../../lib/api/hooks.ts'
import { setTimer } from '../../lib/clock.ts'

const RETRY_DELAY_MS = 2_000

/** Appends an event. Ignores events that a reconnected stream repeats. */
export function addEvent(events: readonly CallEvent[], event: CallEvent): readonly CallEvent[] {
  const lastEvent = events.at(-1)
  return lastEvent !== undefined && event.position <= lastEvent.position ? events : [...events, event]
}

/** Whether the stream is complete. A stream without a call-ended event was interrupted, even without an error. */
export const isStreamComplete = (events: readonly CallEvent[]): boolean => events.at(-1)?.type === 'call-ended'

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
    let receivedEvents: readonly CallEvent[] = []
    let cancelRetry = (): void => undefined
    async function readStream(): Promise<void> {
      for await (const { data } of readEvents('getCallEvents', { path: { callId } }, { signal })) {
        const event = data as CallEvent
        receivedEvents = addEvent(receivedEvents, event)
        setEvents(receivedEvents)
        setIsInterrupted(false)
        if (event.type === 'call-ended') await refresh(client, ['getCall', 'getCallTranscript', 'listCalls'])
      }
    }
    const startStream = (): void => {
      readStream()
        .catch(() => undefined)
        .finally(() => {
          if (signal.aborted) return
          setIsInterrupted(!isStreamComplete(receivedEvents))
          // The effect stops the retries when the call ends.
          cancelRetry = setTimer(RETRY_DELAY_MS, startStream)
        })
    }
    startStream()
    return () => {
      cancelRetry()
      controller.abort()
    }
  }, [callId, isLive, client])
  return { events, isInterrupted: isLive && isInterrupted }
}
