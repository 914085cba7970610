import { EventEmitter } from 'node:events'
import type { CustomLlmEvent } from '@parley/engine/ports'
import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCustomLlmClient } from './custom-llm-client.ts'
import type { CustomLlmSocket } from './custom-llm-connection.ts'
import { readFrame } from './custom-llm-frames.ts'
import { buildRequest, read } from './custom-llm-test-kit.ts'

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
      const time = createManualClock()
      const sockets: FakeSocket[] = []
      const openSocket = async () => {
        const socket = new FakeSocket()
        sockets.push(socket)
        return { ok: true, socket } as const
      }
      const client = createCustomLlmClient({ openSocket, clock: time.clock })
      const controller = new AbortController()
      const { events, all } = read(client.respond(buildRequest('ws://llm.test', { signal: controller.signal })))
      await flushPromises()
      let seen = 0
      for (const [index, one] of steps.entries()) {
        if (index === abortAt) {
          controller.abort()
          await flushPromises()
          seen = events.length
        }
        const socket = sockets.at(-1)
        if (one.type === 'wait') await time.advance(one.durationMs)
        else if (socket !== undefined) emit(socket, one)
        await flushPromises()
      }
      await time.advance(120_000)
      const received = await all
      if (controller.signal.aborted) expect(received.length).toBe(seen)
      else expect(received.filter(isLast)).toEqual(received.slice(-1))
      expect(received.filter((event) => event.type === 'text-delta' && event.text === '')).toEqual([])
      if (!controller.signal.aborted) expect(received.length).toBeGreaterThan(0)
      expect(sockets.length).toBeLessThanOrEqual(2)
      await client.close()
      await flushPromises()
      expect(time.pendingTimers()).toBe(0)
    }),
    { numRuns: 500 },
  )
})

const CONFIG = toJson({ response_type: 'config', config: { auto_reconnect: true } })

function responseOf(content: string, complete: boolean): string {
  return toJson({ response_type: 'response', response_id: 1, content, content_complete: complete })
}

test('an abort drops unread events, including the last one', async () => {
  const socket = new FakeSocket()
  const openSocket = async () => ({ ok: true, socket }) as const
  const { clock } = createManualClock()
  const controller = new AbortController()
  const events: CustomLlmEvent[] = []
  const consume = async (): Promise<void> => {
    const client = createCustomLlmClient({ openSocket, clock })
    for await (const event of client.respond(buildRequest('ws://llm.test', { signal: controller.signal }))) {
      events.push(event)
      controller.abort()
    }
  }
  const consumed = consume()
  await flushPromises()
  for (const frame of [CONFIG, responseOf('One', false), responseOf(' two', true)]) socket.emit('message', frame, false)
  await consumed
  expect(events).toEqual([{ type: 'text-delta', text: 'One' }])
})

test('a paused process pings the server before it gives up the connection', async () => {
  const time = createManualClock()
  let pausedMs = 0
  const clock = { ...time.clock, now: () => time.clock.now() + pausedMs }
  const socket = new FakeSocket()
  const openSocket = async () => ({ ok: true, socket }) as const
  const client = createCustomLlmClient({ openSocket, clock })
  const asked = read(client.respond(buildRequest('ws://llm.test')))
  await flushPromises()
  socket.emit('message', CONFIG, false)
  await flushPromises()
  pausedMs = 15_000
  await time.advance(2_000)
  expect(socket.sent.filter((text) => text.includes('ping_pong'))).toHaveLength(1)
  socket.emit('message', responseOf('Hello', true), false)
  expect(await asked.all).toMatchObject([{ text: 'Hello' }, { type: 'complete' }])
  await client.close()
})

test('a connection that opens during closing is closed as well', async () => {
  const socket = new FakeSocket()
  const opened = Promise.withResolvers<{ ok: true; socket: FakeSocket }>()
  const { clock, pendingTimers } = createManualClock()
  const client = createCustomLlmClient({ openSocket: () => opened.promise, clock })
  const asked = read(client.respond(buildRequest('ws://llm.test')))
  await flushPromises()
  await client.close()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  opened.resolve({ ok: true, socket })
  await closed
  expect(await asked.all).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable' } }])
  await flushPromises()
  expect(pendingTimers()).toBe(0)
})

test('reading a frame never throws', () => {
  fc.assert(fc.property(fc.oneof(text, fc.string()), (one) => void readFrame(one)))
})

function isLast({ type }: CustomLlmEvent): boolean {
  return type === 'complete' || type === 'failed'
}
