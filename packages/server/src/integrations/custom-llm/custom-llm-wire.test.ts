import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { CustomLlmEvent } from '@parley/engine/ports'
import { manualClock, settle } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../testing/advance-until.ts'
import {
  createCompleteResponse,
  createConfigFrame,
  createPartialResponse,
  type LlmAction,
} from '../../../../../testing/custom-llm-server/llm-action.ts'
import { conversationAddress, createCustomLlmClient } from './custom-llm-client.ts'
import type { CustomLlmSocket } from './custom-llm-connection.ts'
import { readFrame } from './custom-llm-frames.ts'
import { createTestClient, openLlmScene, read, requestOf, textOf } from './custom-llm-test-kit.ts'

const frame = (fields: Readonly<Record<string, unknown>>): LlmAction => ({ kind: 'frame', frame: fields })

describe('the address', () => {
  test.each([
    ['wss://llm.example.com', 'wss://llm.example.com/chat_1'],
    ['wss://llm.example.com/', 'wss://llm.example.com/chat_1'],
    ['wss://llm.example.com/a/b//', 'wss://llm.example.com/a/b/chat_1'],
    ['ws://llm.example.com:8080/a?key=1&x=%20#part', 'ws://llm.example.com:8080/a/chat_1?key=1&x=%20'],
  ])('of a conversation at %s is %s', (url, address) => {
    expect(conversationAddress(url, 'chat_1')).toBe(address)
  })

  test('an id cannot leave its place in the path, and what is no address is refused', () => {
    expect(conversationAddress('wss://llm.example.com/a', '../b?c')).toBe('wss://llm.example.com/a/..%2Fb%3Fc')
    expect(conversationAddress('wss://', 'chat_1')).toBeNull()
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

  test('opens when the server says something of its own accord, and reminds when it is asked to', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.greeting = [...server.greeting, { kind: 'response', content: 'Good day!', complete: true, responseId: 0 }]
    server.script(createCompleteResponse('Still there?'), createCompleteResponse('Yes.'))
    expect(textOf(await scene.until(scene.ask({ ask: 'opening', transcript: [] }).all))).toBe('Good day!')
    expect(server.connections[0]?.frames).toEqual([])
    expect(textOf(await scene.until(scene.ask({ ask: 'reminder' }).all))).toBe('Still there?')
    expect(textOf(await scene.until(scene.ask().all))).toBe('Yes.')
    expect(server.connections[0]?.frames).toMatchObject([
      { interaction_type: 'reminder_required', response_id: 1 },
      { interaction_type: 'response_required', response_id: 2 },
    ])
  })

  test('comes over the same connection in the next turn, under the next number', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createCompleteResponse('one'), createCompleteResponse('two'))
    expect(textOf(await scene.until(scene.ask().all))).toBe('one')
    expect(textOf(await scene.until(scene.ask().all))).toBe('two')
    expect(scene.server.connections).toHaveLength(1)
    expect(scene.server.framesOf('response_required').map(({ response_id }) => response_id)).toEqual([1, 2])
  })

  test('takes nothing of other numbers: an opening, an old answer, one that nobody asked for', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    const of = (responseId: number): LlmAction => ({ kind: 'response', content: 'no', complete: true, responseId })
    server.greeting = [...server.greeting, of(0)]
    server.script(createCompleteResponse('one'), [of(0), of(1), of(3), ...createCompleteResponse('yes')])
    await scene.until(scene.ask().all)
    server.connections[0]?.play(of(1), of(9))
    expect(textOf(await scene.until(scene.ask().all))).toBe('yes')
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

  test('is not disturbed by what a chat cannot carry out or a later version may say', async () => {
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

  test('a server that does not say what it wants is asked after a moment', async () => {
    await using scene = await openLlmScene()
    const { server, time } = scene
    server.greeting = []
    server.script(createCompleteResponse('Hello'))
    const startedMs = time.clock.now()
    const asked = scene.ask()
    await scene.until(server.received(1), 1)
    expect(time.clock.now() - startedMs).toBeGreaterThanOrEqual(300)
    expect(textOf(await scene.until(asked.all))).toBe('Hello')
  })
})

describe('cancelling', () => {
  test('ends at once without an event; the server gets no message and late words are dropped', async () => {
    await using scene = await openLlmScene()
    const { server } = scene
    server.script(createPartialResponse('One', ' two'), createCompleteResponse('second'))
    const controller = new AbortController()
    const first = scene.ask({ signal: controller.signal })
    while (first.events.length < 2) await scene.until(new Promise(setImmediate))
    controller.abort()
    expect(textOf(await scene.until(first.all))).toBe('One two')
    server.connections[0]?.play(...createCompleteResponse(' three'))
    expect(await scene.until(scene.ask().all)).toMatchObject([{ text: 'second' }, { type: 'complete' }])
    expect(server.connections).toHaveLength(1)
    expect(server.connections[0]?.frames).toHaveLength(2)
  })

  test('before anything is sent, and while the server makes up its mind, leaves nothing behind', async () => {
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

  test('a reader that walks away is as good as a cancel', async () => {
    await using scene = await openLlmScene()
    scene.server.script(createPartialResponse('One'), createCompleteResponse('second'))
    const { events, all } = scene.ask()
    while (events.length === 0) await scene.until(new Promise(setImmediate))
    const next = scene.ask()
    expect(await scene.until(all)).toMatchObject([
      { text: 'One' },
      { type: 'failed', failure: { kind: 'unavailable' } },
    ])
    expect(textOf(await scene.until(next.all))).toBe('second')
  })
})

/** A socket without a network: what a test emits is what the server said. */
class FakeSocket extends EventEmitter implements CustomLlmSocket {
  readonly sent: string[] = []
  #closed = false

  send(text: string): void {
    this.sent.push(text)
  }

  resume(): void {}

  close(): void {
    this.terminate()
  }

  terminate(): void {
    if (this.#closed) return
    this.#closed = true
    this.emit('close')
  }
}

type Step =
  | { readonly type: 'message'; readonly text: string; readonly isBinary: boolean }
  | { readonly type: 'close' }
  | { readonly type: 'error'; readonly code: string }
  | { readonly type: 'wait'; readonly durationMs: number }

const response = fc.record(
  {
    response_type: fc.constant('response'),
    response_id: fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>(1, '1') }, fc.constantFrom(0, 2, null, 'x')),
    content: fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>('', 'word', ' ') }, fc.constantFrom(null, 7)),
    content_complete: fc.constantFrom<unknown>(false, false, false, true, 'true'),
    end_call: fc.boolean(),
  },
  { requiredKeys: ['response_type', 'response_id'] },
)
const tool = fc.record(
  {
    response_type: fc.constantFrom('tool_call_invocation', 'tool_call_result'),
    tool_call_id: fc.constantFrom('a', 'b', ''),
    name: fc.constantFrom('look', ''),
    arguments: fc.anything(),
    content: fc.jsonValue(),
  },
  { requiredKeys: ['response_type', 'tool_call_id'] },
)
const config = fc.record({
  response_type: fc.constant('config'),
  config: fc.oneof(fc.record({ auto_reconnect: fc.boolean(), call_details: fc.boolean() }), fc.jsonValue()),
})
const other = fc.record({
  response_type: fc.constantFrom('metadata', 'ping_pong', 'update_agent', 'agent_interrupt', 'next'),
})
const text = fc.oneof(
  { weight: 6, arbitrary: response.map(toJson) },
  { weight: 2, arbitrary: fc.oneof(config, other).map(toJson) },
  { weight: 2, arbitrary: tool.map(toJson) },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.json()) },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ type: fc.constant('message' as const), text, isBinary: fc.constant(false) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'message', text: '{}', isBinary: true } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'close' } as const) },
  { weight: 1, arbitrary: fc.constantFrom('WS_ERR_INVALID_UTF8', 'ECONNRESET').map((code) => errorStep(code)) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 0, max: 7_000 }).map((durationMs) => ({ type: 'wait', durationMs }) as const),
  },
)

function errorStep(code: string): Step {
  return { type: 'error', code }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one)) ?? ''
}

function emit(socket: FakeSocket, one: Exclude<Step, { type: 'wait' }>): void {
  if (one.type === 'message') socket.emit('message', one.text, one.isBinary)
  else if (one.type === 'close') socket.terminate()
  else socket.emit('error', Object.assign(new Error('127.0.0.1'), { code: one.code }))
}

test('any sequence of frames ends in exactly one complete or failed, and an abort without a further event', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), fc.nat({ max: 25 }), async (steps, abortAt) => {
      const time = manualClock()
      const sockets: FakeSocket[] = []
      const openSocket = async () => {
        const socket = new FakeSocket()
        sockets.push(socket)
        return { ok: true, socket } as const
      }
      const client = createCustomLlmClient({ openSocket, clock: time.clock })
      const controller = new AbortController()
      const { events, all } = read(client.respond(requestOf('ws://llm.test', { signal: controller.signal })))
      await settle()
      let seen = 0
      for (const [index, one] of steps.entries()) {
        if (index === abortAt) {
          controller.abort()
          await settle()
          seen = events.length
        }
        const socket = sockets.at(-1)
        if (one.type === 'wait') await time.advance(one.durationMs)
        else if (socket !== undefined) emit(socket, one)
        await settle()
      }
      await time.advance(120_000)
      const received = await all
      if (controller.signal.aborted) expect(received.length).toBe(seen)
      else expect(received.filter(isLast)).toEqual(received.slice(-1))
      expect(received.filter((event) => event.type === 'text-delta' && event.text === '')).toEqual([])
      if (!controller.signal.aborted) expect(received.length).toBeGreaterThan(0)
      expect(sockets.length).toBeLessThanOrEqual(2)
      await client.close()
      await settle()
      expect(time.pendingTimers()).toBe(0)
    }),
    { numRuns: 500 },
  )
})

const CONFIG = toJson({ response_type: 'config', config: { auto_reconnect: true } })

function responseOf(content: string, complete: boolean): string {
  return toJson({ response_type: 'response', response_id: 1, content, content_complete: complete })
}

test('an abort drops what has come but was not taken, its end included', async () => {
  const socket = new FakeSocket()
  const openSocket = async () => ({ ok: true, socket }) as const
  const { clock } = manualClock()
  const controller = new AbortController()
  const events: CustomLlmEvent[] = []
  const consume = async (): Promise<void> => {
    const client = createCustomLlmClient({ openSocket, clock })
    for await (const event of client.respond(requestOf('ws://llm.test', { signal: controller.signal }))) {
      events.push(event)
      controller.abort()
    }
  }
  const consumed = consume()
  await settle()
  for (const frame of [CONFIG, responseOf('One', false), responseOf(' two', true)]) socket.emit('message', frame, false)
  await consumed
  expect(events).toEqual([{ type: 'text-delta', text: 'One' }])
})

test('a process that stood still asks whether the server is there before it gives the connection up', async () => {
  const time = manualClock()
  let pausedMs = 0
  const clock = { ...time.clock, now: () => time.clock.now() + pausedMs }
  const socket = new FakeSocket()
  const openSocket = async () => ({ ok: true, socket }) as const
  const client = createCustomLlmClient({ openSocket, clock })
  const asked = read(client.respond(requestOf('ws://llm.test')))
  await settle()
  socket.emit('message', CONFIG, false)
  await settle()
  pausedMs = 15_000
  await time.advance(2_000)
  expect(socket.sent.filter((text) => text.includes('ping_pong'))).toHaveLength(1)
  socket.emit('message', responseOf('Hello', true), false)
  expect(await asked.all).toMatchObject([{ text: 'Hello' }, { type: 'complete' }])
  await client.close()
})

test('a connection that opens while all are being closed is closed as well', async () => {
  const socket = new FakeSocket()
  const opened = Promise.withResolvers<{ ok: true; socket: FakeSocket }>()
  const { clock, pendingTimers } = manualClock()
  const client = createCustomLlmClient({ openSocket: () => opened.promise, clock })
  const asked = read(client.respond(requestOf('ws://llm.test')))
  await settle()
  await client.close()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  opened.resolve({ ok: true, socket })
  await closed
  expect(await asked.all).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable' } }])
  await settle()
  expect(pendingTimers()).toBe(0)
})

test('no text makes the reader of frames throw', () => {
  fc.assert(fc.property(fc.oneof(text, fc.string()), (one) => void readFrame(one)))
})

function isLast({ type }: CustomLlmEvent): boolean {
  return type === 'complete' || type === 'failed'
}

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

test('the server of the guide answers, knows the conversation, and calls its tool', async () => {
  expect(textOf(await ask('Hi'))).toBe('Hello Ada. Which order is it?')
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
