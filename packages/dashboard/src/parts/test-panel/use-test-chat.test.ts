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
  return { source, asked: requests, waits: delays }
}

async function followTurn({ source }: ReturnType<typeof createInterruptingServer>) {
  const receivedIds: (string | undefined)[] = []
  let cutCount = 0
  await streamTurn(source, {
    onEvent: ({ id }) => void receivedIds.push(id),
    onDisconnect: () => {
      cutCount += 1
    },
  })
  return { heard: receivedIds, cuts: cutCount }
}

describe('streaming a turn', () => {
  test('continues after the last event when the connection breaks', async () => {
    const server = createInterruptingServer([2, 1])
    expect(await followTurn(server)).toEqual({ heard: ['1', '2', '3', '4'], cuts: 2 })
    expect(server.asked).toEqual(['start', 'turn_1 after 2', 'turn_1 after 3'])
  })

  test('continues when a stream ends before the turn is done', async () => {
    const server = createInterruptingServer([3], null)
    expect((await followTurn(server)).heard).toEqual(['1', '2', '3', '4'])
    expect(server.asked).toEqual(['start', 'turn_1 after 3'])
  })

  test('resends the message if the turn had not started', async () => {
    const server = createInterruptingServer([0, 0])
    expect((await followTurn(server)).heard).toEqual(['1', '2', '3', '4'])
    expect(server.asked).toEqual(['start', 'start', 'start'])
  })

  test('gives up after increasing delays', async () => {
    const server = createInterruptingServer(Array(20).fill(0))
    await expect(followTurn(server)).rejects.toMatchObject({ code: 'offline' })
    expect(server.waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000])
  })

  test('does not repeat a rejected request', async () => {
    const server = createInterruptingServer(
      [0],
      () => new Problem('No model.', { code: 'model_not_configured', status: 422 }),
    )
    await expect(followTurn(server)).rejects.toMatchObject({ code: 'model_not_configured' })
    expect(server.asked).toEqual(['start'])
  })
})
