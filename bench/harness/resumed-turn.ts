import { setTimeout as delay } from 'node:timers/promises'
import { type ApiClient, createApiClient, type StreamedAnswer, type StreamedEvent } from '../../testing/api-client.ts'
import type { ParleyServer } from './parley-server.ts'
import { createChats, TURN_CONTENT } from './parley-turn.ts'

export interface ResumeFigures {
  /** From the kill of the node that ran the turn to the first event that the other one adds. */
  readonly firstNewEventMs: number
  /** From the kill to the end of the turn there. */
  readonly wholeMs: number
}

/** The node is killed when a client has heard this many words. */
const WORDS_BEFORE = 8
const LOOK_AGAIN_MS = 20
const RESUME_WITHIN_MS = 30_000

/** Kills `victim` in the middle of a turn and goes on listening to it at `other`, as a client does that has lost its stream. */
export async function measureResume(victim: ParleyServer, other: ParleyServer): Promise<ResumeFigures> {
  const [chat] = await createChats(victim, 1)
  if (chat === undefined) throw new Error('No chat was made.')
  const { chatId, workspaceId } = chat
  const body = { workspaceId, content: TURN_CONTENT }
  const heard: StreamedEvent[] = []
  let killedAt = Number.NaN
  await hear(clientOf(victim).stream('POST', `/api/chats/${chatId}/completions`, { body }), (event) => {
    heard.push(event)
    if (countWords(heard) !== WORDS_BEFORE || !Number.isNaN(killedAt)) return
    killedAt = performance.now()
    process.kill(victim.pid, 'SIGKILL')
  })
  const before = heard.length
  if (Number.isNaN(killedAt) || isDone(heard)) throw new Error('The turn was over before the kill.')
  let firstNewEventMs = Number.NaN
  const path = `/api/chats/${chatId}/turns/${heard[0]?.data.turn_id}/events`
  while (!isDone(heard)) {
    if (performance.now() - killedAt > RESUME_WITHIN_MS) throw new Error('The turn did not go on at the other node.')
    const headers = { 'last-event-id': String(heard.at(-1)?.id ?? 0) }
    await hear(clientOf(other).stream('GET', path, { query: { workspaceId }, headers }), (event) => {
      if (heard.length === before) firstNewEventMs = performance.now() - killedAt
      heard.push(event)
    })
    if (!isDone(heard)) await delay(LOOK_AGAIN_MS)
  }
  return { firstNewEventMs: Math.round(firstNewEventMs), wholeMs: Math.round(performance.now() - killedAt) }
}

/** Takes what comes until the stream ends, or breaks with its node. */
async function hear(opening: Promise<StreamedAnswer>, take: (event: StreamedEvent) => void): Promise<void> {
  try {
    for await (const event of (await opening).events) take(event)
  } catch {
    // Whoever listens finds out by what is missing.
  }
}

function isDone(events: readonly StreamedEvent[]): boolean {
  return events.at(-1)?.event === 'done'
}

function countWords(events: readonly StreamedEvent[]): number {
  return events.filter(({ event }) => event === 'message.delta').length
}

function clientOf({ url, authorization }: ParleyServer): ApiClient {
  return createApiClient(url, { token: authorization.replace('Bearer ', '') })
}
