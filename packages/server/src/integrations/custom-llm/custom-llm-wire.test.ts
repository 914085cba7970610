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
import { createTestClient, joinTexts, openLlmScene, read, requestOf } from './custom-llm-test-kit.ts'

const frame = (fields: Readonly<Record<string, unknown>>): LlmAction => ({ kind: 'frame', frame: fields })

describe('the address', () => {
  test.each([
    ['wss://llm.example.com', 'wss://llm.example.com/chat_1'],
    ['wss://llm.example.com/', 'wss://llm.example.com/chat_1'],
    ['wss://llm.example.com/a/b//', 'wss://llm.example.com/a/b/chat_1'],
    ['ws://llm.example.com:8080/a?key=1&x=%20#part', 'ws://llm.example.com:8080/a/chat_1?key=1&x=%20'],
  ])('of a conversation at %s is %s', (url, address) => {
    expect(buildConversationUrl(url, 'chat_1')).toBe(address)
  })

  test('an id stays in its path segment, and an invalid URL is refused', () => {
    expect(buildConversationUrl('wss://llm.example.com/a', '../b?c')).toBe('wss://llm.example.com/a/..%2Fb%3Fc')
    expect(buildConversationUrl('wss://', 'chat_1')).toBeNull()
  })
})

describe('an answer', () => {
  test('is asked for with the transcript and streamed as it comes', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(createCompleteResponse('Hel', 'lo', ''))
    const transcript = [
      { role: 'user', content: 'Hi' },
      { role: 'agent', content: 'Yes?' },
      { role: 'user', content: 'Hello' },
    ] as const
    const events = await scene.until(scene.ask({ transcript, url: `${server.url}/llm/?key=7` }).all)
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

  test('starts with the opening of the server, and asks for a reminder', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.greeting = [...server.greeting, { kind: 'response', content: 'Good day!', complete: true, responseId: 0 }]
    server.script(createCompleteResponse('Still there?'), createCompleteResponse('Yes.'))
    expect(joinTexts(await scene.until(scene.ask({ ask: 'opening', transcript: [] }).all))).toBe('Good day!')
    expect(server.connections[0]?.frames).toEqual([])
    expect(joinTexts(await scene.until(scene.ask({ ask: 'reminder' }).all))).toBe('Still there?')
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('Yes.')
    expect(server.connections[0]?.frames).toMatchObject([
      { interaction_type: 'reminder_required', response_id: 1 },
      { interaction_type: 'response_required', response_id: 2 },
    ])
  })

  test('comes over the same connection in the next turn, under the next number', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('one')
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('two')
    expect(scene.server.connections).toHaveLength(1)
    expect(scene.server.framesOf('response_required').map(({ response_id }) => response_id)).toEqual([1, 2])
  })

  test('ignores other response ids: an opening, an old and an unrequested answer', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    const of = (responseId: number): LlmAction => ({ kind: 'response', content: 'no', complete: true, responseId })
    server.greeting = [...server.greeting, of(0)]
    server.script(createCompleteResponse('one'), [of(0), of(1), of(3), ...createCompleteResponse('yes')])
    await scene.until(scene.ask().all)
    server.connections[0]?.play(of(1), of(9))
    expect(joinTexts(await scene.until(scene.ask().all))).toBe('yes')
  })

  test('reports tools that the server called and ends the conversation on request', async () => {
    await using scene = await openLlmScene()
    scene.server.script([
      frame({ response_type: 'tool_call_invocation', tool_call_id: 'a', name: 'look_up', arguments: '{"id":1}' }),
      frame({ response_type: 'tool_call_invocation', tool_call_id: 'b', name: 'wait', arguments: { untyped: true } }),
      frame({ response_type: 'tool_call_invocation', tool_call_id: 'c', name: 'bare' }),
      frame({ response_type: 'tool_call_result', tool_call_id: 'a', content: 'found' }),
      frame({ response_type: 'tool_call_result', tool_call_id: 'b', content: { seconds: 2 } }),
      { kind: 'response', content: 'Bye', complete: false, endCall: true },
      ...createCompleteResponse(''),
    ])
    expect(await scene.until(scene.ask().all)).toEqual([
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
    await using scene = await openLlmScene()
    scene.server.script([
      frame({ response_type: 'agent_interrupt', interrupt_id: 1, content: 'Stop', content_complete: true }),
      frame({ response_type: 'update_agent', agent_config: { responsiveness: 1 } }),
      frame({ response_type: 'metadata', metadata: { a: 1 } }),
      frame({ response_type: 'from_the_future' }),
      frame({ response_type: 'ping_pong', timestamp: 1 }),
      frame({
        response_type: 'response',
        response_id: '1',
        content: 'Hello',
        content_complete: true,
        transfer_number: '+15550100',
        digit_to_press: '1',
        no_interruption_allowed: true,
      }),
    ])
    const events = await scene.until(scene.ask().all)
    expect(events).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'complete', endCall: false },
    ])
    // A ping of the server is not answered, or two sides that answer would never stop.
    expect(scene.server.framesOf('ping_pong')).toEqual([])
  })
})

describe('the details of the conversation', () => {
  test('are sent once, before the first request, when the server asks for them', async () => {
    await using scene = await openLlmScene()
    scene.server.greeting = [createConfigFrame({ call_details: true }), createConfigFrame({ call_details: true })]
    scene.server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    const conversation = { chat_id: 'chat_1', metadata: { customer: 'c-7' } }
    await scene.until(scene.ask({ conversation }).all)
    await scene.until(scene.ask({ conversation }).all)
    expect(scene.server.connections[0]?.frames).toMatchObject([
      { interaction_type: 'call_details', call: conversation },
      { interaction_type: 'response_required', response_id: 1 },
      { interaction_type: 'response_required', response_id: 2 },
    ])
  })

  test('a server without a config is asked after a moment', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = []
    server.script(createCompleteResponse('Hello'))
    const startedMs = time.clock.now()
    const asked = scene.ask()
    await scene.until(server.received(1), 1)
    expect(time.clock.now() - startedMs).toBeGreaterThanOrEqual(300)
    expect(joinTexts(await scene.until(asked.all))).toBe('Hello')
  })
})

describe('cancelling', () => {
  test('ends at once without an event, without a message to the server, and drops late text', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(createPartialResponse('One', ' two'), createCompleteResponse('second'))
    const controller = new AbortController()
    const first = scene.ask({ signal: controller.signal })
    while (first.events.length < 2) await scene.until(new Promise(setImmediate))
    controller.abort()
    expect(joinTexts(await scene.until(first.all))).toBe('One two')
    server.connections[0]?.play(...createCompleteResponse(' three'))
    expect(await scene.until(scene.ask().all)).toMatchObject([{ text: 'second' }, { type: 'complete' }])
    expect(server.connections).toHaveLength(1)
    expect(server.connections[0]?.frames).toHaveLength(2)
  })

  test('before a request and before its answer leaves nothing behind', async () => {
    await using scene = await openLlmScene()
    scene.server.greeting = []
    expect(await scene.ask({ signal: AbortSignal.abort() }).all).toEqual([])
    expect(scene.server.connections).toEqual([])
    const controller = new AbortController()
    const waiting = scene.ask({ signal: controller.signal })
    while (scene.server.connections.length === 0) await scene.until(new Promise(setImmediate))
    controller.abort()
    expect(await waiting.all).toEqual([])
    await scene.closeClient()
    expect(scene.server.framesOf('response_required')).toEqual([])
    expect(scene.time.pendingTimers()).toBe(0)
  })

  test('a consumer that stops reading cancels', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createPartialResponse('One'), createCompleteResponse('second'))
    const { events, all } = scene.ask()
    while (events.length === 0) await scene.until(new Promise(setImmediate))
    const next = scene.ask()
    expect(await scene.until(all)).toMatchObject([
      { text: 'One' },
      { type: 'failed', failure: { kind: 'unavailable' } },
    ])
    expect(joinTexts(await scene.until(next.all))).toBe('second')
  })
})

const root = fileURLToPath(new URL('../../../../..', import.meta.url))
const guide = readFileSync(`${root}docs/guides/custom-llm.md`, 'utf8')

let server: ChildProcess
let port: number

beforeAll(async () => {
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  server = spawn(process.execPath, ['--input-type=module', '--eval', example], {
    cwd: root,
    env: { ...process.env, PORT: '0', LLM_KEY: 'secret' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (server.stdout === null) throw new Error('no output')
  for await (const line of createInterface(server.stdout)) {
    port = Number(/\d+$/.exec(line)?.[0])
    break
  }
})
afterAll(async () => {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill()
  await ended
})

/** What the example of the guide answers to one message. */
async function ask(content: string, key = 'secret') {
  const { client, time } = createTestClient(port)
  const request = requestOf(`ws://127.0.0.1:${port}?key=${key}`, {
    transcript: [{ role: 'user', content }],
    conversation: { chat_id: 'chat_1', dynamic_variables: { name: 'Ada' } },
  })
  const events = await advanceUntil(time, read(client.respond(request)).all, 0)
  await advanceUntil(time, client.close(), 100)
  return events
}

test('the server of the guide answers with the conversation and calls its tool', async () => {
  expect(joinTexts(await ask('Hi'))).toBe('Hello Ada. Which order is it?')
  expect(await ask('Where is order 1042?')).toMatchObject([
    { type: 'text-delta', text: 'One moment. ' },
    { type: 'tool-call', call: { name: 'find_order', argumentsText: '{"number":1042}' } },
    { type: 'tool-result', toolCallId: '1042', content: 'out for delivery' },
    { type: 'text-delta', text: 'The order is out for delivery.' },
    { type: 'complete', endCall: false },
  ])
})

test("the guide's server ends a conversation and rejects clients without its key", async () => {
  expect((await ask('Bye')).at(-1)).toEqual({ type: 'complete', endCall: true })
  expect((await ask('Hi', 'guessed')).at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'unavailable' } })
})
