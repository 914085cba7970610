import { type AddressInfo, createServer, type Socket } from 'node:net'
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
  collectEvents,
  createTestClient,
  getFailure,
  joinTexts,
  type LlmSetup,
  setUpLlm,
  TEST_DEADLINES,
} from './custom-llm-test-kit.ts'

const createRaw = (data: string | Buffer): LlmAction => ({ kind: 'raw', data })
const createFrame = (frame: unknown): LlmAction => ({ kind: 'frame', frame })
const DROP: LlmAction = { kind: 'drop' }
const CONFIG_WITH_RECONNECT = createConfigFrame({ auto_reconnect: true, call_details: false })

describe('connecting', () => {
  test('fails when no server is listening', async () => {
    const setup = await setUpLlm()
    await setup[Symbol.asyncDispose]()
    const { client, time } = createTestClient(setup.server.port)
    const events = await collectEvents(client.respond(buildRequest(setup.server.url))).done
    expect(getFailure(events)).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(time.countPendingTimers()).toBe(0)
  })

  test.each([401, 429, 404, 503])('fails when the server responds with status %i', async (status) => {
    await using setup = await setUpLlm()
    setup.server.refuseStatus = status
    const events = await setup.wait(setup.request().done)
    expect(events).toHaveLength(1)
    expect(getFailure(events).message).toContain(String(status))
  })

  const blockedUrls = ['ws://10.0.0.1/llm', 'ws://[::1]:9/llm', 'wss://metadata.internal', 'http://127.0.0.1', 'no URL']
  test.each(blockedUrls)('rejects the URL %s', async (url) => {
    await using setup = await setUpLlm()
    const events = await setup.wait(setup.request({ url }).done)
    expect(getFailure(events)).toMatchObject({ kind: 'rejected', retryable: false })
    expect(setup.server.connections).toEqual([])
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
  ])('converts the failure %s (status %j) to %s', async (reason, status, kind, retryable) => {
    const openSocket = async () => ({ ok: false, reason, message: 'It failed.', status }) as const
    const client = createCustomLlmClient({ openSocket, clock: createManualClock().clock })
    const events = await collectEvents(client.respond(buildRequest('wss://llm.example.com'))).done
    expect(events).toEqual([{ type: 'failed', failure: { kind, message: 'It failed.', retryable } }])
  })

  test('fails when the handshake takes longer than ten seconds', async () => {
    const silentServer = createServer()
    const connected = new Promise<Socket>((resolve) => silentServer.once('connection', resolve))
    await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
    const { port } = silentServer.address() as AddressInfo
    const { client, time } = createTestClient(port)
    const answer = collectEvents(client.respond(buildRequest(`ws://127.0.0.1:${port}`)))
    const socket = await connected
    await time.advance(9_999)
    expect(answer.events).toEqual([])
    await time.advance(1)
    expect(getFailure(await answer.done)).toMatchObject({ kind: 'timeout', retryable: true })
    expect(time.countPendingTimers()).toBe(0)
    socket.destroy()
    await new Promise((resolve) => silentServer.close(resolve))
  })
})

describe('protocol violations', () => {
  const response = { response_type: 'response', response_id: 1, content: 'x', content_complete: true }
  test.each<[string, LlmAction]>([
    ['text that is not JSON', createRaw('hello')],
    ['a binary message', createRaw(Buffer.from(JSON.stringify(response)))],
    ['a list', createFrame([])],
    ['a frame without a type', createFrame({ content: 'x' })],
    ['a response without an id', createFrame({ ...response, response_id: undefined })],
    ['content that is not text', createFrame({ ...response, content: { text: 'x' } })],
    ['an invalid config', createFrame({ response_type: 'config', config: 7 })],
    ['a tool call without an id', createFrame({ response_type: 'tool_call_invocation', name: 'x', arguments: '{}' })],
    ['a tool call without a name', createFrame({ response_type: 'tool_call_invocation', tool_call_id: 'x' })],
    ['a tool result without a call id', createFrame({ response_type: 'tool_call_result', content: 'x' })],
    ['a message that is too large', createRaw(JSON.stringify({ ...response, content: 'x'.repeat(1_100_000) }))],
    ['an endless response', { kind: 'flood', data: JSON.stringify({ ...response, content_complete: false }) }],
    ['an endless stream of ignored messages', { kind: 'flood', data: JSON.stringify({ response_type: 'metadata' }) }],
  ])('%s fails the response and closes the connection', async (_name, action) => {
    await using setup = await setUpLlm()
    setup.server.greeting = [CONFIG_WITH_RECONNECT]
    setup.server.script([action])
    const events = await setup.wait(setup.request().done)
    expect(getFailure(events)).toMatchObject({ kind: 'protocol' })
    expect(setup.server.connections).toHaveLength(1)
    const [connection] = setup.server.connections
    if (connection !== undefined) await setup.wait(connection.closed, 100)
  })

  test('keeps the text that arrived before the violation', async () => {
    await using setup = await setUpLlm()
    setup.server.script([...createPartialResponse('One', ' two'), createRaw('{')])
    const events = await setup.wait(setup.request().done)
    expect(joinTexts(events)).toBe('One two')
    expect(getFailure(events).kind).toBe('protocol')
  })

  test('a response of more than a million characters fails', async () => {
    await using setup = await setUpLlm()
    setup.server.script(createPartialResponse(...Array.from({ length: 11 }, () => 'x'.repeat(100_000))))
    expect(getFailure(await setup.wait(setup.request().done))).toMatchObject({ kind: 'protocol', retryable: false })
  })
})

test('a response with more than 100 tool calls fails', async () => {
  await using setup = await setUpLlm()
  const call = createFrame({
    response_type: 'tool_call_invocation',
    tool_call_id: 'a',
    name: 'again',
    arguments: '{}',
  })
  setup.server.script(Array.from({ length: 101 }, () => call))
  const events = await setup.wait(setup.request().done)
  expect(events).toHaveLength(101)
  expect(getFailure(events)).toMatchObject({ kind: 'protocol', retryable: false })
})

describe('deadlines', () => {
  const { firstTokenMs, idleMs, totalMs } = TEST_DEADLINES

  async function requestUntilTimeout(actions: readonly LlmAction[], repeatEveryMs: number | null) {
    const setup = await setUpLlm()
    setup.server.script(actions)
    const startMs = setup.time.clock.now()
    const answer = setup.request()
    await setup.wait(setup.server.received(1))
    while (answer.events.length < actions.length) await setup.wait(new Promise(setImmediate))
    let isDone = false
    const completion = answer.done.then(() => {
      isDone = true
    })
    while (!isDone) {
      await setup.time.advance(repeatEveryMs ?? 500)
      if (repeatEveryMs === null || isDone) continue
      const eventCount = answer.events.length
      setup.server.connections[0]?.play(...actions)
      while (answer.events.length === eventCount) await setup.wait(new Promise(setImmediate))
    }
    await completion
    const durationMs = setup.time.clock.now() - startMs
    await setup[Symbol.asyncDispose]()
    expect(setup.time.countPendingTimers()).toBe(0)
    return { events: await answer.done, durationMs }
  }

  test.each<[string, readonly LlmAction[], number | null, number]>([
    ['the first token', [], null, firstTokenMs],
    ['idle time', createPartialResponse('One'), null, idleMs],
    ['the whole response', createPartialResponse('One'), 4_000, totalMs],
  ])('%s', async (_name, actions, repeatEveryMs, expectedMs) => {
    const { events, durationMs } = await requestUntilTimeout(actions, repeatEveryMs)
    expect(getFailure(events)).toMatchObject({ kind: 'timeout', retryable: true })
    expect(durationMs).toBe(expectedMs)
  })

  test('the request after a timeout uses a new connection', async () => {
    await using setup = await setUpLlm()
    setup.server.script([], createCompleteResponse('Hello'))
    const lateAnswer = setup.request()
    await setup.wait(setup.server.received(1))
    await setup.time.advance(firstTokenMs)
    expect(getFailure(await lateAnswer.done).kind).toBe('timeout')
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('Hello')
    expect(setup.server.connections).toHaveLength(2)
  })
})

describe('a lost connection', () => {
  test.each<[string, readonly LlmAction[]]>([
    ['cut', [DROP]],
    ['closed', [{ kind: 'close', code: 1011 }]],
  ])('before the first token (%s) is retried once if the server allows reconnecting', async (_name, actions) => {
    await using setup = await setUpLlm()
    setup.server.greeting = [CONFIG_WITH_RECONNECT]
    setup.server.script(actions, createCompleteResponse('Hello'), actions, actions)
    expect(await setup.wait(setup.request().done)).toMatchObject([{ text: 'Hello' }, { type: 'complete' }])
    expect(getFailure(await setup.wait(setup.request().done))).toMatchObject({ kind: 'unavailable', retryable: true })
    expect(setup.server.getFrames('response_required')).toHaveLength(4)
  })

  test('before the first token fails if the server does not allow reconnecting', async () => {
    await using setup = await setUpLlm()
    setup.server.script([DROP], createCompleteResponse('Hello'))
    expect(getFailure(await setup.wait(setup.request().done)).kind).toBe('unavailable')
    expect(setup.server.getFrames('response_required')).toHaveLength(1)
  })

  test.each(['before the first token', 'between turns', 'after the opening'])(
    'that was reused is replaced (%s)',
    async (moment) => {
      await using setup = await setUpLlm()
      const { server } = setup
      const opening: LlmAction = { kind: 'response', content: 'one', complete: true, responseId: 0 }
      const isOpening = moment === 'after the opening'
      if (isOpening) server.greeting = [...server.greeting, opening]
      else server.script(createCompleteResponse('one'))
      server.script(...(moment === 'between turns' ? [] : [[DROP]]), createCompleteResponse('two'))
      const firstAnswer = isOpening ? setup.request({ requestType: 'opening', transcript: [] }) : setup.request()
      expect(joinTexts(await setup.wait(firstAnswer.done))).toBe('one')
      if (moment === 'between turns') {
        server.connections[0]?.play({ kind: 'close', code: 1000 })
        await waitForClose(setup, 0)
      }
      expect(joinTexts(await setup.wait(setup.request().done))).toBe('two')
      expect(server.connections).toHaveLength(2)
    },
  )

  test.each<[string, readonly LlmAction[]]>([
    ['the first token', createPartialResponse('One')],
    ['the first tool call', [createFrame({ response_type: 'tool_call_invocation', tool_call_id: 'a', name: 'pay' })]],
  ])('after %s is not retried', async (_name, actions) => {
    await using setup = await setUpLlm()
    setup.server.greeting = [CONFIG_WITH_RECONNECT]
    setup.server.script([...actions, DROP], createCompleteResponse('again'))
    const events = await setup.wait(setup.request().done)
    expect(events).toHaveLength(2)
    expect(getFailure(events).kind).toBe('unavailable')
    expect(setup.server.getFrames('response_required')).toHaveLength(1)
  })
})

const IDLE_MS = 300_000

async function waitForClose(setup: LlmSetup, index: number): Promise<number> {
  const connection = setup.server.connections[index]
  if (connection === undefined) throw new Error('no such connection')
  return await setup.wait(connection.closed)
}

describe('pings', () => {
  test('are sent every two seconds if the server enables them, also between turns', async () => {
    await using setup = await setUpLlm()
    const { server, time } = setup
    server.greeting = [createConfigFrame({ auto_reconnect: true })]
    server.script(createCompleteResponse('Hello'))
    await setup.wait(setup.request().done)
    for (let count = 1; count <= 10; count += 1) {
      await time.advance(2_000)
      await setup.wait(server.received(count, 'ping_pong'))
      // The response must arrive before time advances.
      await setup.wait(new Promise(setImmediate))
      await setup.wait(new Promise(setImmediate))
    }
    expect(server.getFrames('ping_pong')).toHaveLength(10)
    expect(server.connections).toHaveLength(1)
    server.script(createCompleteResponse('still here'))
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('still here')
    expect(server.connections).toHaveLength(1)
  })

  test('are not sent to a server that does not enable them', async () => {
    await using setup = await setUpLlm()
    setup.server.script(createCompleteResponse('Hello'))
    await setup.wait(setup.request().done)
    await setup.time.advance(60_000)
    expect(setup.server.getFrames('ping_pong')).toEqual([])
  })

  test('close the connection after five seconds without a response, and the next turn opens a new one', async () => {
    await using setup = await setUpLlm()
    const { server, time } = setup
    server.greeting = [createConfigFrame({ auto_reconnect: true })]
    server.answersPings = false
    server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    await setup.wait(setup.request().done)
    await time.advance(4_999)
    await setup.wait(server.received(2, 'ping_pong'))
    await time.advance(1)
    expect(await waitForClose(setup, 0)).toBe(1006)
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('two')
  })

  test('retry a pending request over a new connection after five seconds without a response', async () => {
    await using setup = await setUpLlm()
    const { server, time } = setup
    server.greeting = [createConfigFrame({ auto_reconnect: true })]
    server.answersPings = false
    server.script([], createCompleteResponse('Hello'))
    const answer = setup.request()
    await setup.wait(server.received(1))
    await time.advance(5_000)
    expect(joinTexts(await setup.wait(answer.done))).toBe('Hello')
    expect(server.getFrames('response_required')).toMatchObject([{ response_id: 1 }, { response_id: 1 }])
    expect(server.connections).toHaveLength(2)
  })
})

describe('connections', () => {
  test('are closed five minutes after the last turn of a conversation', async () => {
    await using setup = await setUpLlm()
    setup.server.script(createCompleteResponse('one'), createCompleteResponse('two'), createCompleteResponse('three'))
    await setup.wait(setup.request().done)
    await setup.time.advance(IDLE_MS - 1)
    await setup.wait(setup.request().done)
    await setup.time.advance(IDLE_MS - 1)
    expect(setup.server.connections).toHaveLength(1)
    await setup.time.advance(1)
    expect(await waitForClose(setup, 0)).toBe(1001)
    await setup.time.advance(1_000)
    expect(setup.time.countPendingTimers()).toBe(0)
    await setup.wait(setup.request().done)
    expect(setup.server.connections).toHaveLength(2)
  })

  test('are not shared by conversations, and the longest idle one is closed at the limit', async () => {
    await using setup = await setUpLlm({ maxConnections: 2 })
    const { server } = setup
    const requestText = async (conversationId: string): Promise<string> => {
      server.script(createCompleteResponse(conversationId))
      return joinTexts(await setup.wait(setup.request({ conversationId }).done))
    }
    for (const id of ['a', 'b', 'a', 'c']) expect(await requestText(id)).toBe(id)
    expect(server.connections.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
    expect(await waitForClose(setup, 1)).toBe(1001)
    expect(await requestText('a')).toBe('a')
    expect(server.connections).toHaveLength(3)
  })

  test('are refused while the maximum number is in use', async () => {
    await using setup = await setUpLlm({ maxConnections: 1 })
    setup.server.script(createPartialResponse('One'))
    const runningAnswer = setup.request({ conversationId: 'a' })
    while (runningAnswer.events.length === 0) await setup.wait(new Promise(setImmediate))
    const rejectedEvents = await setup.wait(setup.request({ conversationId: 'b' }).done)
    expect(rejectedEvents).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable', retryable: true } }])
    setup.server.connections[0]?.play(...createCompleteResponse(' two'))
    expect(joinTexts(await setup.wait(runningAnswer.done))).toBe('One two')
  })

  test('are replaced when the agent uses another URL', async () => {
    await using setup = await setUpLlm()
    const { server } = setup
    server.script(createCompleteResponse('old'), createCompleteResponse('new'))
    await setup.wait(setup.request().done)
    expect(joinTexts(await setup.wait(setup.request({ url: `${server.url}/v2` }).done))).toBe('new')
    expect(server.connections.map(({ path }) => path)).toEqual(['/chat_1', '/v2/chat_1'])
    expect(await waitForClose(setup, 0)).toBe(1001)
  })

  test('are shared by two concurrent turns, and the newer turn cancels the older one', async () => {
    await using setup = await setUpLlm()
    const { server } = setup
    server.script(createPartialResponse('One'), createCompleteResponse('second'))
    const first = setup.request()
    while (first.events.length === 0) await setup.wait(new Promise(setImmediate))
    const second = setup.request()
    expect(await setup.wait(first.done)).toMatchObject([{ text: 'One' }, { failure: { kind: 'unavailable' } }])
    expect(joinTexts(await setup.wait(second.done))).toBe('second')
    expect(server.connections).toHaveLength(1)
  })

  test('are closed with the client, running responses fail, and new requests fail', async () => {
    await using setup = await setUpLlm()
    setup.server.greeting = [createConfigFrame({ auto_reconnect: true })]
    setup.server.script(createPartialResponse('One'))
    const answer = setup.request()
    while (answer.events.length === 0) await setup.wait(new Promise(setImmediate))
    await setup.closeClient()
    expect((await answer.done).at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'unavailable' } })
    expect(await waitForClose(setup, 0)).toBe(1001)
    expect((await setup.wait(setup.request().done)).at(-1)).toMatchObject({ type: 'failed' })
    expect(setup.server.connections).toHaveLength(1)
    expect(setup.time.countPendingTimers()).toBe(0)
  })
})
