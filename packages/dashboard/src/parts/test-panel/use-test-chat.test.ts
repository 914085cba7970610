import { describe, expect, test } from 'vitest'
import type { StreamEvent } from '../../lib/api/events.ts'
import { Problem } from '../../lib/api/problem.ts'
import { streamTurn } from './use-test-chat.ts'

const EVENTS: readonly StreamEvent[] = [
  { id: '1', name: 'turn.started', data: { turn_id: 'turn_1' } },
  { id: '2', name: 'message.delta', data: { text: 'Good ' } },
  { id: '3', name: 'message.delta', data: { text: 'morning' } },
  { id: '4', name: 'done', data: { turn_id: 'turn_1', status: 'completed' } },
]
const createOfflineProblem = (): Problem => new Problem('The connection was interrupted.', { code: 'offline' })

/** Creates a test server that closes connections after a number of events and resumes after the given event. */
function createInterruptingServer(
  eventCounts: readonly number[],
  createProblem: (() => Problem) | null = createOfflineProblem,
) {
  const requests: string[] = []
  const delays: number[] = []
  async function* emitEvents(start: number): AsyncGenerator<StreamEvent> {
    const count = eventCounts[requests.length - 1] ?? EVENTS.length
    yield* EVENTS.slice(start, start + count)
    if (createProblem !== null && start + count < EVENTS.length) throw createProblem()
  }
  const source = {
    start: () => {
      requests.push('start')
      return emitEvents(0)
    },
    resume: (turnId: string, lastEventId: string) => {
      requests.push(`${turnId} after ${lastEventId}`)
      return emitEvents(Number(lastEventId))
    },
    wait: async (delayMs: number) => void delays.push(delayMs),
  }
  return { source, requests, delays }
}

async function followTurn({ source }: ReturnType<typeof createInterruptingServer>) {
  const receivedIds: (string | undefined)[] = []
  let disconnectCount = 0
  await streamTurn(source, {
    onEvent: ({ id }) => void receivedIds.push(id),
    onDisconnect: () => {
      disconnectCount += 1
    },
  })
  return { receivedIds, disconnectCount }
}

describe('streaming a turn', () => {
  test('continues after the last event when the connection breaks', async () => {
    const server = createInterruptingServer([2, 1])
    expect(await followTurn(server)).toEqual({ receivedIds: ['1', '2', '3', '4'], disconnectCount: 2 })
    expect(server.requests).toEqual(['start', 'turn_1 after 2', 'turn_1 after 3'])
  })

  test('continues when a stream ends before the turn is done', async () => {
    const server = createInterruptingServer([3], null)
    expect((await followTurn(server)).receivedIds).toEqual(['1', '2', '3', '4'])
    expect(server.requests).toEqual(['start', 'turn_1 after 3'])
  })

  test('resends the message if the turn had not started', async () => {
    const server = createInterruptingServer([0, 0])
    expect((await followTurn(server)).receivedIds).toEqual(['1', '2', '3', '4'])
    expect(server.requests).toEqual(['start', 'start', 'start'])
  })

  test('gives up after increasing delays', async () => {
    const server = createInterruptingServer(Array(20).fill(0))
    await expect(followTurn(server)).rejects.toMatchObject({ code: 'offline' })
    expect(server.delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000])
  })

  test('does not repeat a rejected request', async () => {
    const server = createInterruptingServer(
      [0],
      () => new Problem('No model.', { code: 'model_not_configured', status: 422 }),
    )
    await expect(followTurn(server)).rejects.toMatchObject({ code: 'model_not_configured' })
    expect(server.requests).toEqual(['start'])
  })
})
