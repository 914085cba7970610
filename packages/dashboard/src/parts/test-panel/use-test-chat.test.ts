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
const offline = (): Problem => new Problem('The connection was interrupted.', { code: 'offline' })

/** Creates a test server that closes connections after a number of events and resumes after the given event. */
function createInterruptingServer(lengths: readonly number[], fault: (() => Problem) | null = offline) {
  const asked: string[] = []
  const waits: number[] = []
  async function* notify(from: number): AsyncGenerator<StreamEvent> {
    const length = lengths[asked.length - 1] ?? EVENTS.length
    yield* EVENTS.slice(from, from + length)
    if (fault !== null && from + length < EVENTS.length) throw fault()
  }
  const source = {
    start: () => {
      asked.push('begin')
      return notify(0)
    },
    resume: (turnId: string, lastEventId: string) => {
      asked.push(`${turnId} after ${lastEventId}`)
      return notify(Number(lastEventId))
    },
    wait: async (delayMs: number) => void waits.push(delayMs),
  }
  return { source, asked, waits }
}

async function follow({ source }: ReturnType<typeof createInterruptingServer>) {
  const heard: (string | undefined)[] = []
  let cuts = 0
  await streamTurn(source, {
    onEvent: ({ id }) => void heard.push(id),
    onCut: () => {
      cuts += 1
    },
  })
  return { heard, cuts }
}

describe('following a turn', () => {
  test('continues after the last event when the connection breaks', async () => {
    const server = createInterruptingServer([2, 1])
    expect(await follow(server)).toEqual({ heard: ['1', '2', '3', '4'], cuts: 2 })
    expect(server.asked).toEqual(['begin', 'turn_1 after 2', 'turn_1 after 3'])
  })

  test('continues when a stream ends before the turn is done', async () => {
    const server = createInterruptingServer([3], null)
    expect((await follow(server)).heard).toEqual(['1', '2', '3', '4'])
    expect(server.asked).toEqual(['begin', 'turn_1 after 3'])
  })

  test('sends the message again when the turn had not started', async () => {
    const server = createInterruptingServer([0, 0])
    expect((await follow(server)).heard).toEqual(['1', '2', '3', '4'])
    expect(server.asked).toEqual(['begin', 'begin', 'begin'])
  })

  test('gives up after increasing delays', async () => {
    const server = createInterruptingServer(Array(20).fill(0))
    await expect(follow(server)).rejects.toMatchObject({ code: 'offline' })
    expect(server.waits).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000])
  })

  test('does not repeat a rejected request', async () => {
    const server = createInterruptingServer(
      [0],
      () => new Problem('No model.', { code: 'model_not_configured', status: 422 }),
    )
    await expect(follow(server)).rejects.toMatchObject({ code: 'model_not_configured' })
    expect(server.asked).toEqual(['begin'])
  })
})
