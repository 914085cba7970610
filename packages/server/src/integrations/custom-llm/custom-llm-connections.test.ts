import { describe, expect, test } from 'vitest'
import { completeResponse, configFrame, partialResponse } from '../../../../../testing/custom-llm-server/llm-action.ts'
import { type LlmScene, openLlmScene, textOf } from './custom-llm-test-kit.ts'

const IDLE_MS = 300_000

async function closeOf(scene: LlmScene, index: number): Promise<number> {
  const connection = scene.server.connections[index]
  if (connection === undefined) throw new Error('no such connection')
  return await scene.until(connection.closed)
}

describe('pings', () => {
  test('go out every two seconds when the server wants them, also between turns', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = [configFrame({ auto_reconnect: true })]
    server.script(completeResponse('Hello'))
    await scene.until(scene.ask().all)
    for (let count = 1; count <= 10; count += 1) {
      await time.advance(2_000)
      await scene.until(server.received(count, 'ping_pong'))
      // The answer has to arrive before the time goes on.
      await scene.until(new Promise(setImmediate))
      await scene.until(new Promise(setImmediate))
    }
    expect(server.framesOf('ping_pong')).toHaveLength(10)
    expect(server.connections).toHaveLength(1)
    server.script(completeResponse('still here'))
    expect(textOf(await scene.until(scene.ask().all))).toBe('still here')
    expect(server.connections).toHaveLength(1)
  })

  test('are not sent to a server that does not ask for them', async () => {
    await using scene = await openLlmScene()
    scene.server.script(completeResponse('Hello'))
    await scene.until(scene.ask().all)
    await scene.time.advance(60_000)
    expect(scene.server.framesOf('ping_pong')).toEqual([])
  })

  test('without an answer for five seconds the connection is given up, and the next turn opens another', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = [configFrame({ auto_reconnect: true })]
    server.answersPings = false
    server.script(completeResponse('one'), completeResponse('two'))
    await scene.until(scene.ask().all)
    await time.advance(4_999)
    await scene.until(server.received(2, 'ping_pong'))
    await time.advance(1)
    expect(await closeOf(scene, 0)).toBe(1006)
    expect(textOf(await scene.until(scene.ask().all))).toBe('two')
  })

  test('without an answer while a response is under way, it is asked for over another connection', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = [configFrame({ auto_reconnect: true })]
    server.answersPings = false
    server.script([], completeResponse('Hello'))
    const asked = scene.ask()
    await scene.until(server.received(1))
    await time.advance(5_000)
    expect(textOf(await scene.until(asked.all))).toBe('Hello')
    expect(server.framesOf('response_required')).toMatchObject([{ response_id: 1 }, { response_id: 1 }])
    expect(server.connections).toHaveLength(2)
  })
})

describe('connections', () => {
  test('of conversations at rest are closed after five minutes, counted from their last turn', async () => {
    await using scene = await openLlmScene()
    scene.server.script(completeResponse('one'), completeResponse('two'), completeResponse('three'))
    await scene.until(scene.ask().all)
    await scene.time.advance(IDLE_MS - 1)
    await scene.until(scene.ask().all)
    await scene.time.advance(IDLE_MS - 1)
    expect(scene.server.connections).toHaveLength(1)
    await scene.time.advance(1)
    expect(await closeOf(scene, 0)).toBe(1001)
    await scene.time.advance(1_000)
    expect(scene.time.pendingTimers()).toBe(0)
    await scene.until(scene.ask().all)
    expect(scene.server.connections).toHaveLength(2)
  })

  test('belong to one conversation each; beyond their number the one that rests longest is closed', async () => {
    await using scene = await openLlmScene({ maxConnections: 2 })
    const { server } = scene
    const say = async (conversationId: string): Promise<string> => {
      server.script(completeResponse(conversationId))
      return textOf(await scene.until(scene.ask({ conversationId }).all))
    }
    for (const id of ['a', 'b', 'a', 'c']) expect(await say(id)).toBe(id)
    expect(server.connections.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
    expect(await closeOf(scene, 1)).toBe(1001)
    expect(await say('a')).toBe('a')
    expect(server.connections).toHaveLength(3)
  })

  test('that are all in use leave no room for more', async () => {
    await using scene = await openLlmScene({ maxConnections: 1 })
    scene.server.script(partialResponse('One'))
    const busy = scene.ask({ conversationId: 'a' })
    while (busy.events.length === 0) await scene.until(new Promise(setImmediate))
    const refused = await scene.until(scene.ask({ conversationId: 'b' }).all)
    expect(refused).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable', retryable: true } }])
    scene.server.connections[0]?.play(...completeResponse(' two'))
    expect(textOf(await scene.until(busy.all))).toBe('One two')
  })

  test('follow the agent to another address', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(completeResponse('old'), completeResponse('new'))
    await scene.until(scene.ask().all)
    expect(textOf(await scene.until(scene.ask({ url: `${server.url}/v2` }).all))).toBe('new')
    expect(server.connections.map(({ path }) => path)).toEqual(['/chat_1', '/v2/chat_1'])
    expect(await closeOf(scene, 0)).toBe(1001)
  })

  test('two turns of one conversation at once share one: the newer cancels the older', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(partialResponse('One'), completeResponse('second'))
    const first = scene.ask()
    while (first.events.length === 0) await scene.until(new Promise(setImmediate))
    const second = scene.ask()
    expect(await scene.until(first.all)).toMatchObject([{ text: 'One' }, { failure: { kind: 'unavailable' } }])
    expect(textOf(await scene.until(second.all))).toBe('second')
    expect(server.connections).toHaveLength(1)
  })

  test('are all closed at the end; answers under way fail and none begins any more', async () => {
    await using scene = await openLlmScene()
    scene.server.greeting = [configFrame({ auto_reconnect: true })]
    scene.server.script(partialResponse('One'))
    const asked = scene.ask()
    while (asked.events.length === 0) await scene.until(new Promise(setImmediate))
    await scene.closeClient()
    expect((await asked.all).at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'unavailable' } })
    expect(await closeOf(scene, 0)).toBe(1001)
    expect((await scene.until(scene.ask().all)).at(-1)).toMatchObject({ type: 'failed' })
    expect(scene.server.connections).toHaveLength(1)
    expect(scene.time.pendingTimers()).toBe(0)
  })
})
