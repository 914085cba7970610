import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../testing/advance-until.ts'
import {
  createCompleteResponse,
  createConfigFrame,
  createPartialResponse,
  type LlmAction,
} from '../../../../../testing/custom-llm-server/llm-action.ts'
import { buildConversationUrl } from './custom-llm-client.ts'
import { buildRequest, collectEvents, createTestClient, joinTexts, setUpLlm } from './custom-llm-test-kit.ts'

const createFrame = (fields: Readonly<Record<string, unknown>>): LlmAction => ({ kind: 'frame', frame: fields })

describe('buildConversationUrl', () => {
  test.each([
    ['wss://llm.example.com', 'wss://llm.example.com/chat_1'],
    ['wss://llm.example.com/', 'wss://llm.example.com/chat_1'],
    ['wss://llm.example.com/a/b//', 'wss://llm.example.com/a/b/chat_1'],
    ['ws://llm.example.com:8080/a?key=1&x=%20#part', 'ws://llm.example.com:8080/a/chat_1?key=1&x=%20'],
  ])('converts %s to %s', (url, address) => {
    expect(buildConversationUrl(url, 'chat_1')).toBe(address)
  })

  test('escapes the conversation id and returns null for an invalid URL', () => {
    expect(buildConversationUrl('wss://llm.example.com/a', '../b?c')).toBe('wss://llm.example.com/a/..%2Fb%3Fc')
    expect(buildConversationUrl('wss://', 'chat_1')).toBeNull()
  })
})

describe('a response', () => {
  test('is requested with the transcript and streamed', async () => {
    await using setup = await setUpLlm()
    const { server } = setup
    server.script(createCompleteResponse('Hel', 'lo', ''))
    const transcript = [
      { role: 'user', content: 'Hi' },
      { role: 'agent', content: 'Yes?' },
      { role: 'user', content: 'Hello' },
    ] as const
    const events = await setup.wait(setup.request({ transcript, url: `${server.url}/llm/?key=7` }).done)
    expect(events).toEqual([
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
      { type: 'complete', endCall: false },
    ])
    expect(server.connections).toMatchObject([{ path: '/llm/chat_1?key=7' }])
    expect(server.connections[0]?.frames).toEqual([
      { interaction_type: 'response_required', response_id: 1, transcript },
    ])
  })

  test('can be an opening or a reminder', async () => {
    await using setup = await setUpLlm()
    const { server } = setup
    server.greeting = [...server.greeting, { kind: 'response', content: 'Good day!', complete: true, responseId: 0 }]
    server.script(createCompleteResponse('Still there?'), createCompleteResponse('Yes.'))
    expect(joinTexts(await setup.wait(setup.request({ requestType: 'opening', transcript: [] }).done))).toBe(
      'Good day!',
    )
    expect(server.connections[0]?.frames).toEqual([])
    expect(joinTexts(await setup.wait(setup.request({ requestType: 'reminder' }).done))).toBe('Still there?')
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('Yes.')
    expect(server.connections[0]?.frames).toMatchObject([
      { interaction_type: 'reminder_required', response_id: 1 },
      { interaction_type: 'response_required', response_id: 2 },
    ])
  })

  test('in the next turn uses the same connection and the next id', async () => {
    await using setup = await setUpLlm()
    setup.server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('one')
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('two')
    expect(setup.server.connections).toHaveLength(1)
    expect(setup.server.getFrames('response_required').map(({ response_id }) => response_id)).toEqual([1, 2])
  })

  test('ignores parts with other response ids', async () => {
    await using setup = await setUpLlm()
    const { server } = setup
    const createResponse = (responseId: number): LlmAction => ({
      kind: 'response',
      content: 'no',
      complete: true,
      responseId,
    })
    server.greeting = [...server.greeting, createResponse(0)]
    server.script(createCompleteResponse('one'), [
      createResponse(0),
      createResponse(1),
      createResponse(3),
      ...createCompleteResponse('yes'),
    ])
    await setup.wait(setup.request().done)
    server.connections[0]?.play(createResponse(1), createResponse(9))
    expect(joinTexts(await setup.wait(setup.request().done))).toBe('yes')
  })

  test('reports tools that the server called and ends the conversation on request', async () => {
    await using setup = await setUpLlm()
    setup.server.script([
      createFrame({
        response_type: 'tool_call_invocation',
        tool_call_id: 'a',
        name: 'look_up',
        arguments: '{"id":1}',
      }),
      createFrame({
        response_type: 'tool_call_invocation',
        tool_call_id: 'b',
        name: 'wait',
        arguments: { untyped: true },
      }),
      createFrame({ response_type: 'tool_call_invocation', tool_call_id: 'c', name: 'bare' }),
      createFrame({ response_type: 'tool_call_result', tool_call_id: 'a', content: 'found' }),
      createFrame({ response_type: 'tool_call_result', tool_call_id: 'b', content: { seconds: 2 } }),
      { kind: 'response', content: 'Bye', complete: false, endCall: true },
      ...createCompleteResponse(''),
    ])
    expect(await setup.wait(setup.request().done)).toEqual([
      { type: 'tool-call', call: { id: 'a', name: 'look_up', argumentsText: '{"id":1}' } },
      { type: 'tool-call', call: { id: 'b', name: 'wait', argumentsText: '{"untyped":true}' } },
      { type: 'tool-call', call: { id: 'c', name: 'bare', argumentsText: '{}' } },
      { type: 'tool-result', toolCallId: 'a', content: 'found' },
      { type: 'tool-result', toolCallId: 'b', content: '{"seconds":2}' },
      { type: 'text-delta', text: 'Bye' },
      { type: 'complete', endCall: true },
    ])
  })

  test('ignores frames that a chat does not support or that are unknown', async () => {
    await using setup = await setUpLlm()
    setup.server.script([
      createFrame({ response_type: 'agent_interrupt', interrupt_id: 1, content: 'Stop', content_complete: true }),
      createFrame({ response_type: 'update_agent', agent_config: { responsiveness: 1 } }),
      createFrame({ response_type: 'metadata', metadata: { a: 1 } }),
      createFrame({ response_type: 'from_the_future' }),
      createFrame({ response_type: 'ping_pong', timestamp: 1 }),
      createFrame({
        response_type: 'response',
        response_id: '1',
        content: 'Hello',
        content_complete: true,
        transfer_number: '+15550100',
        digit_to_press: '1',
        no_interruption_allowed: true,
      }),
    ])
    const events = await setup.wait(setup.request().done)
    expect(events).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'complete', endCall: false },
    ])
    // Responding to the server's pings could cause an endless exchange.
    expect(setup.server.getFrames('ping_pong')).toEqual([])
  })
})

describe('the conversation details', () => {
  test('are sent once before the first request if the server requests them', async () => {
    await using setup = await setUpLlm()
    setup.server.greeting = [createConfigFrame({ call_details: true }), createConfigFrame({ call_details: true })]
    setup.server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    const conversation = { chat_id: 'chat_1', metadata: { customer: 'c-7' } }
    await setup.wait(setup.request({ conversation }).done)
    await setup.wait(setup.request({ conversation }).done)
    expect(setup.server.connections[0]?.frames).toMatchObject([
      { interaction_type: 'call_details', call: conversation },
      { interaction_type: 'response_required', response_id: 1 },
      { interaction_type: 'response_required', response_id: 2 },
    ])
  })

  test('the first request does not wait long for a config', async () => {
    await using setup = await setUpLlm()
    const { server, time } = setup
    server.greeting = []
    server.script(createCompleteResponse('Hello'))
    const startMs = time.clock.now()
    const answer = setup.request()
    await setup.wait(server.received(1), 1)
    expect(time.clock.now() - startMs).toBeGreaterThanOrEqual(300)
    expect(joinTexts(await setup.wait(answer.done))).toBe('Hello')
  })
})

describe('cancellation', () => {
  test('ends immediately without an event or message and drops late text', async () => {
    await using setup = await setUpLlm()
    const { server } = setup
    server.script(createPartialResponse('One', ' two'), createCompleteResponse('second'))
    const controller = new AbortController()
    const firstAnswer = setup.request({ signal: controller.signal })
    while (firstAnswer.events.length < 2) await setup.wait(new Promise(setImmediate))
    controller.abort()
    expect(joinTexts(await setup.wait(firstAnswer.done))).toBe('One two')
    server.connections[0]?.play(...createCompleteResponse(' three'))
    expect(await setup.wait(setup.request().done)).toMatchObject([{ text: 'second' }, { type: 'complete' }])
    expect(server.connections).toHaveLength(1)
    expect(server.connections[0]?.frames).toHaveLength(2)
  })

  test('before the request or its response leaves no timers', async () => {
    await using setup = await setUpLlm()
    setup.server.greeting = []
    expect(await setup.request({ signal: AbortSignal.abort() }).done).toEqual([])
    expect(setup.server.connections).toEqual([])
    const controller = new AbortController()
    const answer = setup.request({ signal: controller.signal })
    while (setup.server.connections.length === 0) await setup.wait(new Promise(setImmediate))
    controller.abort()
    expect(await answer.done).toEqual([])
    await setup.closeClient()
    expect(setup.server.getFrames('response_required')).toEqual([])
    expect(setup.time.countPendingTimers()).toBe(0)
  })

  test('a newer request fails the running response', async () => {
    await using setup = await setUpLlm()
    setup.server.script(createPartialResponse('One'), createCompleteResponse('second'))
    const { events, done } = setup.request()
    while (events.length === 0) await setup.wait(new Promise(setImmediate))
    const nextAnswer = setup.request()
    expect(await setup.wait(done)).toMatchObject([
      { text: 'One' },
      { type: 'failed', failure: { kind: 'unavailable' } },
    ])
    expect(joinTexts(await setup.wait(nextAnswer.done))).toBe('second')
  })
})

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const guide = readFileSync(`${root}docs/guides/custom-llm.md`, 'utf8')

let exampleServer: ChildProcess
let examplePort: number

beforeAll(async () => {
  const [, exampleSource = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  exampleServer = spawn(process.execPath, ['--input-type=module', '--eval', exampleSource], {
    cwd: root,
    env: { ...process.env, PORT: '0', LLM_KEY: 'secret' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (exampleServer.stdout === null) throw new Error('no output')
  for await (const line of createInterface(exampleServer.stdout)) {
    examplePort = Number(/\d+$/.exec(line)?.[0])
    break
  }
})
afterAll(async () => {
  if (exampleServer.exitCode !== null) return
  const exited = once(exampleServer, 'exit')
  exampleServer.kill()
  await exited
})

/** Returns the events of the guide's example server for one message. */
async function askExampleServer(content: string, key = 'secret') {
  const { client, time } = createTestClient(examplePort)
  const request = buildRequest(`ws://127.0.0.1:${examplePort}?key=${key}`, {
    transcript: [{ role: 'user', content }],
    conversation: { chat_id: 'chat_1', dynamic_variables: { name: 'Ada' } },
  })
  const events = await advanceUntil(time, collectEvents(client.respond(request)).done, 0)
  await advanceUntil(time, client.close(), 100)
  return events
}

test("the guide's server responds with conversation data and calls its tool", async () => {
  expect(joinTexts(await askExampleServer('Hi'))).toBe('Hello Ada. Which order is it?')
  expect(await askExampleServer('Where is order 1042?')).toMatchObject([
    { type: 'text-delta', text: 'One moment. ' },
    { type: 'tool-call', call: { name: 'find_order', argumentsText: '{"number":1042}' } },
    { type: 'tool-result', toolCallId: '1042', content: 'out for delivery' },
    { type: 'text-delta', text: 'The order is out for delivery.' },
    { type: 'complete', endCall: false },
  ])
})

test("the guide's server ends a conversation and rejects clients without its key", async () => {
  expect((await askExampleServer('Bye')).at(-1)).toEqual({ type: 'complete', endCall: true })
  expect((await askExampleServer('Hi', 'guessed')).at(-1)).toMatchObject({
    type: 'failed',
    failure: { kind: 'unavailable' },
  })
})
