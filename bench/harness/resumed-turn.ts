import { setTimeout as delay } from 'node:timers/promises'
import { type ApiClient, createApiClient, type StreamedEvent, type StreamedResponse } from '../../testing/api-client.ts'
import type { ParleyServer } from './parley-server.ts'
import { createChats, TURN_CONTENT } from './parley-turn.ts'

export interface ResumeStats {
  /** Time from killing the node to the first new event from the other node. */
  readonly firstNewEventMs: number
  /** Time from killing the node to the end of the turn. */
  readonly totalMs: number
}

/** Number of words that a client receives before the node is killed. */
const WORDS_BEFORE_KILL = 8
const POLL_MS = 20
const RESUME_TIMEOUT_MS = 30_000

/** Kills `target` in the middle of a turn and continues listening at `otherNode`, as a client does after losing its stream. */
export async function measureResume(target: ParleyServer, otherNode: ParleyServer): Promise<ResumeStats> {
  const [chat] = await createChats(target, 1)
  if (chat === undefined) throw new Error('No chat was created.')
  const { chatId, workspaceId } = chat
  const body = { workspaceId, content: TURN_CONTENT }
  const received: StreamedEvent[] = []
  let killedAt = Number.NaN
  await readEvents(createClient(target).stream('POST', `/api/chats/${chatId}/completions`, { body }), (event) => {
    received.push(event)
    if (countWords(received) !== WORDS_BEFORE_KILL || !Number.isNaN(killedAt)) return
    killedAt = performance.now()
    process.kill(target.pid, 'SIGKILL')
  })
  const countBeforeResume = received.length
  if (Number.isNaN(killedAt) || isDone(received)) throw new Error('The turn ended before the node was killed.')
  let firstNewEventMs = Number.NaN
  const path = `/api/chats/${chatId}/turns/${received[0]?.data.turn_id}/events`
  while (!isDone(received)) {
    if (performance.now() - killedAt > RESUME_TIMEOUT_MS) throw new Error('The turn did not resume on the other node.')
    const headers = { 'last-event-id': String(received.at(-1)?.id ?? 0) }
    await readEvents(createClient(otherNode).stream('GET', path, { query: { workspaceId }, headers }), (event) => {
      if (received.length === countBeforeResume) firstNewEventMs = performance.now() - killedAt
      received.push(event)
    })
    if (!isDone(received)) await delay(POLL_MS)
  }
  return { firstNewEventMs: Math.round(firstNewEventMs), totalMs: Math.round(performance.now() - killedAt) }
}

/** Reads events until the stream ends or breaks because the node was killed. */
async function readEvents(response: Promise<StreamedResponse>, onEvent: (event: StreamedEvent) => void): Promise<void> {
  try {
    for await (const event of (await response).events) onEvent(event)
  } catch {
    // The missing events reveal a broken stream.
  }
}

function isDone(events: readonly StreamedEvent[]): boolean {
  return events.at(-1)?.event === 'done'
}

function countWords(events: readonly StreamedEvent[]): number {
  return events.filter(({ event }) => event === 'message.delta').length
}

function createClient({ url, authorization }: ParleyServer): ApiClient {
  return createApiClient(url, { token: authorization.replace('Bearer ', '') })
}
