import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { CustomLlmEvent } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import {
  createCompleteResponse,
  createConfigFrame,
  createPartialResponse,
  type LlmAction,
} from '../../../../../testing/custom-llm-server/llm-action.ts'
import type { OutboundFailure } from '../../platform/outbound/outbound-request.ts'
import { createCustomLlmClient } from './custom-llm-client.ts'
import {
  buildRequest,
  createTestClient,
  joinTexts,
  type LlmScene,
  openLlmScene,
  read,
  TEST_DEADLINES,
} from './custom-llm-test-kit.ts'

const RAW = (data: string | Buffer): LlmAction => ({ kind: 'raw', data })
const FRAME = (frame: unknown): LlmAction => ({ kind: 'frame', frame })
const DROP: LlmAction = { kind: 'drop' }
const CONFIG_WITH_RECONNECT = createConfigFrame({ auto_reconnect: true, call_details: false })

function findFailure(events: readonly CustomLlmEvent[]) {
  const last = events.at(-1)
  if (last?.type !== 'failed') throw new Error(`ends with ${last?.type}`)
  expect(last.failure.message).toMatch(/^[A-Z].*\.$/)
  expect(last.failure.message).not.toMatch(/127\.0\.0\.1|localhost|chat_1|:\d{4,5}/)
  return last.failure
}

describe('a server that cannot be connected to', () => {
  test('is unavailable when no server listens', async () => {
    const scene = await openLlmScene()
    await scene[Symbol.asyncDispose]()
    const { client, time } = createTestClient(scene.server.port)
    const events = await read(client.respond(buildRequest(scene.server.url))).all
    expect(findFailure(events)).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(time.pendingTimers()).toBe(0)
  })

  test.each([401, 429, 404, 503])('fails when it refuses with status %i', async (status) => {
    await using scene = await openLlmScene()
    scene.server.refuseStatus = status
    const events = await scene.until(scene.ask().all)
    expect(events).toHaveLength(1)
    expect(findFailure(events).message).toContain(String(status))
  })

  const refusedUrls = ['ws://10.0.0.1/llm', 'ws://[::1]:9/llm', 'wss://metadata.internal', 'http://127.0.0.1', 'no URL']
  test.each(refusedUrls)('is refused at %s', async (url) => {
    await using scene = await openLlmScene()
    const events = await scene.until(scene.ask({ url }).all)
    expect(findFailure(events)).toMatchObject({ kind: 'rejected', retryable: false })
    expect(scene.server.connections).toEqual([])
  })

  test.each<[OutboundFailure['reason'], number | null, string, boolean]>([
    ['network', null, 'unavailable', true],
    ['network', 401, 'unauthorized', false],
    ['network', 404, 'rejected', false],
    ['network', 408, 'unavailable', true],
    ['network', 429, 'rate-limited', true],
    ['network', 503, 'unavailable', true],
    ['timeout', null, 'timeout', true],
    ['too-large', null, 'protocol', true],
    ['too-many-redirects', 302, 'rejected', false],
    ['blocked-target', null, 'rejected', false],
    ['invalid-request', null, 'rejected', false],
  ])('because of %s (status %j) is %s', async (reason, status, kind, retryable) => {
    const openSocket = async () => ({ ok: false, reason, message: 'It failed.', status }) as const
    const client = createCustomLlmClient({ openSocket, clock: createManualClock().clock })
    const events = await read(client.respond(buildRequest('wss://llm.example.com'))).all
    expect(events).toEqual([{ type: 'failed', failure: { kind, message: 'It failed.', retryable } }])
  })

  test('that never answers the handshake is given up after ten seconds', async () => {
    const silent = createServer()
    const connected = new Promise<Socket>((resolve) => silent.once('connection', resolve))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const { client, time } = createTestClient(port)
    const asked = read(client.respond(buildRequest(`ws://127.0.0.1:${port}`)))
    const socket = await connected
    await time.advance(9_999)
    expect(asked.events).toEqual([])
    await time.advance(1)
    expect(findFailure(await asked.all)).toMatchObject({ kind: 'timeout', retryable: true })
    expect(time.pendingTimers()).toBe(0)
    socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
  })
})

describe('a server that does not speak the wire', () => {
  const response = { response_type: 'response', response_id: 1, content: 'x', content_complete: true }
  test.each<[string, LlmAction]>([
    ['text that is not JSON', RAW('hello')],
    ['a binary message', RAW(Buffer.from(JSON.stringify(response)))],
    ['a list', FRAME([])],
    ['a frame without a type', FRAME({ content: 'x' })],
    ['an answer without a number', FRAME({ ...response, response_id: undefined })],
    ['content that is no text', FRAME({ ...response, content: { text: 'x' } })],
    ['a config that is none', FRAME({ response_type: 'config', config: 7 })],
    ['a tool call without an id', FRAME({ response_type: 'tool_call_invocation', name: 'x', arguments: '{}' })],
    ['a tool call without a name', FRAME({ response_type: 'tool_call_invocation', tool_call_id: 'x' })],
    ['a result of no call', FRAME({ response_type: 'tool_call_result', content: 'x' })],
    ['a message that is too large', RAW(JSON.stringify({ ...response, content: 'x'.repeat(1_100_000) }))],
    ['an answer without end', { kind: 'flood', data: JSON.stringify({ ...response, content_complete: false }) }],
    ['words about nothing without end', { kind: 'flood', data: JSON.stringify({ response_type: 'metadata' }) }],
  ])('fails with %s, and its connection is closed', async (_name, move) => {
    await using scene = await openLlmScene()
    scene.server.greeting = [CONFIG_WITH_RECONNECT]
    scene.server.script([move])
    const events = await scene.until(scene.ask().all)
    expect(findFailure(events)).toMatchObject({ kind: 'protocol' })
    expect(scene.server.connections).toHaveLength(1)
    const [connection] = scene.server.connections
    if (connection !== undefined) await scene.until(connection.closed, 100)
  })

  test('keeps what was said before', async () => {
    await using scene = await openLlmScene()
    scene.server.script([...createPartialResponse('One', ' two'), RAW('{')])
    const events = await scene.until(scene.ask().all)
    expect(joinTexts(events)).toBe('One two')
    expect(findFailure(events).kind).toBe('protocol')
  })

  test('fails with an answer of more than a million characters', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createPartialResponse(...Array.from({ length: 11 }, () => 'x'.repeat(100_000))))
    expect(findFailure(await scene.until(scene.ask().all))).toMatchObject({ kind: 'protocol', retryable: false })
  })
})

test('a server that calls tools without end fails', async () => {
  await using scene = await openLlmScene()
  const call = FRAME({ response_type: 'tool_call_invocation', tool_call_id: 'a', name: 'again', arguments: '{}' })
  scene.server.script(Array.from({ length: 101 }, () => call))
  const events = await scene.until(scene.ask().all)
  expect(events).toHaveLength(101)
  expect(findFailure(events)).toMatchObject({ kind: 'protocol', retryable: false })
})

describe('deadlines', () => {
  const { firstTokenMs, idleMs, totalMs } = TEST_DEADLINES

  async function askAndWait(moves: readonly LlmAction[], repeatEveryMs: number | null) {
    const scene = await openLlmScene()
    scene.server.script(moves)
    const startedMs = scene.time.clock.now()
    const asked = scene.ask()
    await scene.until(scene.server.received(1))
    while (asked.events.length < moves.length) await scene.until(new Promise(setImmediate))
    let isDone = false
    const done = asked.all.then(() => {
      isDone = true
    })
    while (!isDone) {
      await scene.time.advance(repeatEveryMs ?? 500)
      if (repeatEveryMs === null || isDone) continue
      const seen = asked.events.length
      scene.server.connections[0]?.play(...moves)
      while (asked.events.length === seen) await scene.until(new Promise(setImmediate))
    }
    await done
    const durationMs = scene.time.clock.now() - startedMs
    await scene[Symbol.asyncDispose]()
    expect(scene.time.pendingTimers()).toBe(0)
    return { events: await asked.all, durationMs }
  }

  test.each<[string, readonly LlmAction[], number | null, number]>([
    ['the first word', [], null, firstTokenMs],
    ['the next word', createPartialResponse('One'), null, idleMs],
    ['the whole', createPartialResponse('One'), 4_000, totalMs],
  ])('%s', async (_name, moves, repeatEveryMs, expectedMs) => {
    const { events, durationMs } = await askAndWait(moves, repeatEveryMs)
    expect(findFailure(events)).toMatchObject({ kind: 'timeout', retryable: true })
    expect(durationMs).toBe(expectedMs)
  })

  test('a server that let one pass is asked over a new connection', async () => {
    await using scene = await openLlmScene()
    scene.server.script([], createCompleteResponse('Hello'))
    const late = scene.ask()
    await scene.until(scene.server.received(1))
    await scene.time.advance(firstTokenMs)
    expect(findFailure(await late.all).kind).toBe('timeout')
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('Hello')
    expect(scene.server.connections).toHaveLength(2)
  })
})

describe('a connection that is lost', () => {
  test.each<[string, readonly LlmAction[]]>([
    ['cut', [DROP]],
    ['closed', [{ kind: 'close', code: 1011 }]],
  ])('before the first word, %s: the server is asked once more when it wants that', async (_name, moves) => {
    await using scene = await openLlmScene()
    scene.server.greeting = [CONFIG_WITH_RECONNECT]
    scene.server.script(moves, createCompleteResponse('Hello'), moves, moves)
    expect(await scene.until(scene.ask().all)).toMatchObject([{ text: 'Hello' }, { type: 'complete' }])
    expect(findFailure(await scene.until(scene.ask().all))).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(scene.server.framesOf('response_required')).toHaveLength(4)
  })

  test('before the first word: a new connection without that wish fails', async () => {
    await using scene = await openLlmScene()
    scene.server.script([DROP], createCompleteResponse('Hello'))
    expect(findFailure(await scene.until(scene.ask().all)).kind).toBe('unavailable')
    expect(scene.server.framesOf('response_required')).toHaveLength(1)
  })

  test.each(['before the first word', 'between turns', 'after the opening'])(
    'that was used before, %s, is replaced by a new one',
    async (moment) => {
      await using scene = await openLlmScene()
      const { server } = scene
      const opening: LlmAction = { kind: 'response', content: 'one', complete: true, responseId: 0 }
      const isOpening = moment === 'after the opening'
      if (isOpening) server.greeting = [...server.greeting, opening]
      else server.script(createCompleteResponse('one'))
      server.script(...(moment === 'between turns' ? [] : [[DROP]]), createCompleteResponse('two'))
      const first = isOpening ? scene.ask({ ask: 'opening', transcript: [] }) : scene.ask()
      expect(joinTexts(await scene.until(first.all))).toBe('one')
      if (moment === 'between turns') {
        server.connections[0]?.play({ kind: 'close', code: 1000 })
        await closeOf(scene, 0)
      }
      expect(joinTexts(await scene.until(scene.ask().all))).toBe('two')
      expect(server.connections).toHaveLength(2)
    },
  )

  test.each<[string, readonly LlmAction[]]>([
    ['the first word', createPartialResponse('One')],
    ['the first tool call', [FRAME({ response_type: 'tool_call_invocation', tool_call_id: 'a', name: 'pay' })]],
  ])('after %s it is not asked again', async (_name, moves) => {
    await using scene = await openLlmScene()
    scene.server.greeting = [CONFIG_WITH_RECONNECT]
    scene.server.script([...moves, DROP], createCompleteResponse('again'))
    const events = await scene.until(scene.ask().all)
    expect(events).toHaveLength(2)
    expect(findFailure(events).kind).toBe('unavailable')
    expect(scene.server.framesOf('response_required')).toHaveLength(1)
  })
})

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
    server.greeting = [createConfigFrame({ auto_reconnect: true })]
    server.script(createCompleteResponse('Hello'))
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
    server.script(createCompleteResponse('still here'))
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('still here')
    expect(server.connections).toHaveLength(1)
  })

  test('are not sent to a server that does not ask for them', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createCompleteResponse('Hello'))
    await scene.until(scene.ask().all)
    await scene.time.advance(60_000)
    expect(scene.server.framesOf('ping_pong')).toEqual([])
  })

  test('without an answer for five seconds the connection is given up, and the next turn opens another', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = [createConfigFrame({ auto_reconnect: true })]
    server.answersPings = false
    server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    await scene.until(scene.ask().all)
    await time.advance(4_999)
    await scene.until(server.received(2, 'ping_pong'))
    await time.advance(1)
    expect(await closeOf(scene, 0)).toBe(1006)
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('two')
  })

  test('without an answer while a response is under way, it is asked for over another connection', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = [createConfigFrame({ auto_reconnect: true })]
    server.answersPings = false
    server.script([], createCompleteResponse('Hello'))
    const asked = scene.ask()
    await scene.until(server.received(1))
    await time.advance(5_000)
    expect(joinTexts(await scene.until(asked.all))).toBe('Hello')
    expect(server.framesOf('response_required')).toMatchObject([{ response_id: 1 }, { response_id: 1 }])
    expect(server.connections).toHaveLength(2)
  })
})

describe('connections', () => {
  test('of conversations at rest are closed after five minutes, counted from their last turn', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createCompleteResponse('one'), createCompleteResponse('two'), createCompleteResponse('three'))
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
      server.script(createCompleteResponse(conversationId))
      return joinTexts(await scene.until(scene.ask({ conversationId }).all))
    }
    for (const id of ['a', 'b', 'a', 'c']) expect(await say(id)).toBe(id)
    expect(server.connections.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
    expect(await closeOf(scene, 1)).toBe(1001)
    expect(await say('a')).toBe('a')
    expect(server.connections).toHaveLength(3)
  })

  test('that are all in use leave no room for more', async () => {
    await using scene = await openLlmScene({ maxConnections: 1 })
    scene.server.script(createPartialResponse('One'))
    const busy = scene.ask({ conversationId: 'a' })
    while (busy.events.length === 0) await scene.until(new Promise(setImmediate))
    const refused = await scene.until(scene.ask({ conversationId: 'b' }).all)
    expect(refused).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable', retryable: true } }])
    scene.server.connections[0]?.play(...createCompleteResponse(' two'))
    expect(joinTexts(await scene.until(busy.all))).toBe('One two')
  })

  test('follow the agent to another address', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(createCompleteResponse('old'), createCompleteResponse('new'))
    await scene.until(scene.ask().all)
    expect(joinTexts(await scene.until(scene.ask({ url: `${server.url}/v2` }).all))).toBe('new')
    expect(server.connections.map(({ path }) => path)).toEqual(['/chat_1', '/v2/chat_1'])
    expect(await closeOf(scene, 0)).toBe(1001)
  })

  test('two turns of one conversation at once share one: the newer cancels the older', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(createPartialResponse('One'), createCompleteResponse('second'))
    const first = scene.ask()
    while (first.events.length === 0) await scene.until(new Promise(setImmediate))
    const second = scene.ask()
    expect(await scene.until(first.all)).toMatchObject([{ text: 'One' }, { failure: { kind: 'unavailable' } }])
    expect(joinTexts(await scene.until(second.all))).toBe('second')
    expect(server.connections).toHaveLength(1)
  })

  test('are all closed at the end; answers under way fail and none begins any more', async () => {
    await using scene = await openLlmScene()
    scene.server.greeting = [createConfigFrame({ auto_reconnect: true })]
    scene.server.script(createPartialResponse('One'))
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
