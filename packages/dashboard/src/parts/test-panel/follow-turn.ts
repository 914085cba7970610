import type { StreamEvent } from '../../lib/api/events.ts'
import { isPassing, Problem } from '../../lib/api/problem.ts'

/** Where the events of a turn come from. */
export interface TurnSource {
  /** Sends the message, or joins the turn that it began before. */
  begin(): AsyncIterable<StreamEvent>
  /** The events of a turn that has begun, after one of them. */
  resume(turnId: string, lastEventId: string): AsyncIterable<StreamEvent>
  wait(delayMs: number): Promise<void>
}

export interface TurnListener {
  onEvent(event: StreamEvent): void
  /** The connection is gone, and it is tried to come back. */
  onCut(): void
}

/** Before each new try; one that brought something begins the row anew. */
const PAUSES_MS = [250, 500, 1_000, 2_000, 4_000, 8_000] as const

/** Tells every event of a turn until it is done, over as many connections as that takes. Throws the `Problem` that ends it. */
export async function followTurn(source: TurnSource, { onEvent, onCut }: TurnListener): Promise<void> {
  let turnId: string | null = null
  let lastEventId = '0'
  let failures = 0
  for (;;) {
    try {
      const events: AsyncIterable<StreamEvent> = turnId === null ? source.begin() : source.resume(turnId, lastEventId)
      for await (const event of events) {
        failures = 0
        if (event.name === 'turn.started') turnId = (event.data as { turn_id: string }).turn_id
        if (event.id !== undefined) lastEventId = event.id
        onEvent(event)
        if (event.name === 'done') return
      }
    } catch (error) {
      if (!isPassing(error) || failures >= PAUSES_MS.length) throw error
    }
    const pauseMs = PAUSES_MS[failures]
    if (pauseMs === undefined) throw new Problem('The connection was cut.', { code: 'offline' })
    failures += 1
    onCut()
    await source.wait(pauseMs)
  }
}
