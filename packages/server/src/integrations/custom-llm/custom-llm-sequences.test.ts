import { EventEmitter } from 'node:events'
import type { CustomLlmEvent } from '@parley/engine/ports'
import { createManualClock, flushPromises } from '@parley/engine/testing/manual-clock'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCustomLlmClient } from './custom-llm-client.ts'
import type { CustomLlmSocket } from './custom-llm-connection.ts'
import { readFrame } from './custom-llm-frames.ts'
import { buildRequest, collectEvents } from './custom-llm-test-kit.ts'

/** A socket without a network. Tests emit the server's messages. */
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

const responseArbitrary = fc.record(
  {
    response_type: fc.constant('response'),
    response_id: fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>(1, '1') }, fc.constantFrom(0, 2, null, 'x')),
    content: fc.oneof({ weight: 4, arbitrary: fc.constantFrom<unknown>('', 'word', ' ') }, fc.constantFrom(null, 7)),
    content_complete: fc.constantFrom<unknown>(false, false, false, true, 'true'),
    end_call: fc.boolean(),
  },
  { requiredKeys: ['response_type', 'response_id'] },
)
const toolArbitrary = fc.record(
  {
    response_type: fc.constantFrom('tool_call_invocation', 'tool_call_result'),
    tool_call_id: fc.constantFrom('a', 'b', ''),
    name: fc.constantFrom('look', ''),
    arguments: fc.anything(),
    content: fc.jsonValue(),
  },
  { requiredKeys: ['response_type', 'tool_call_id'] },
)
const configArbitrary = fc.record({
  response_type: fc.constant('config'),
  config: fc.oneof(fc.record({ auto_reconnect: fc.boolean(), call_details: fc.boolean() }), fc.jsonValue()),
})
const otherArbitrary = fc.record({
  response_type: fc.constantFrom('metadata', 'ping_pong', 'update_agent', 'agent_interrupt', 'next'),
})
const textArbitrary = fc.oneof(
  { weight: 6, arbitrary: responseArbitrary.map(toJson) },
  { weight: 2, arbitrary: fc.oneof(configArbitrary, otherArbitrary).map(toJson) },
  { weight: 2, arbitrary: toolArbitrary.map(toJson) },
  { weight: 1, arbitrary: fc.oneof(fc.string(), fc.json()) },
)
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({ type: fc.constant('message' as const), text: textArbitrary, isBinary: fc.constant(false) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'message', text: '{}', isBinary: true } as const) },
  { weight: 1, arbitrary: fc.constant({ type: 'close' } as const) },
  { weight: 1, arbitrary: fc.constantFrom('WS_ERR_INVALID_UTF8', 'ECONNRESET').map((code) => createErrorStep(code)) },
  {
    weight: 3,
    arbitrary: fc.integer({ min: 0, max: 7_000 }).map((durationMs) => ({ type: 'wait', durationMs }) as const),
  },
)

function createErrorStep(code: string): Step {
  return { type: 'error', code }
}

function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item)) ?? ''
}

function emit(socket: FakeSocket, step: Exclude<Step, { type: 'wait' }>): void {
  if (step.type === 'message') socket.emit('message', step.text, step.isBinary)
  else if (step.type === 'close') socket.terminate()
  else socket.emit('error', Object.assign(new Error('127.0.0.1'), { code: step.code }))
}

test('any sequence of frames ends with exactly one final event, or with no further event after an abort', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 20 }), fc.nat({ max: 25 }), async (steps, abortIndex) => {
      const time = createManualClock()
      const sockets: FakeSocket[] = []
      const openSocket = async () => {
        const socket = new FakeSocket()
        sockets.push(socket)
        return { ok: true, socket } as const
      }
      const client = createCustomLlmClient({ openSocket, clock: time.clock })
      const controller = new AbortController()
      const { events, done } = collectEvents(
        client.respond(buildRequest('ws://llm.test', { signal: controller.signal })),
      )
      await flushPromises()
      let eventCountAtAbort = 0
      for (const [index, step] of steps.entries()) {
        if (index === abortIndex) {
          controller.abort()
          await flushPromises()
          eventCountAtAbort = events.length
        }
        const socket = sockets.at(-1)
        if (step.type === 'wait') await time.advance(step.durationMs)
        else if (socket !== undefined) emit(socket, step)
        await flushPromises()
      }
      await time.advance(120_000)
      const received = await done
      if (controller.signal.aborted) expect(received.length).toBe(eventCountAtAbort)
      else expect(received.filter(isFinalEvent)).toEqual(received.slice(-1))
      expect(received.filter((event) => event.type === 'text-delta' && event.text === '')).toEqual([])
      if (!controller.signal.aborted) expect(received.length).toBeGreaterThan(0)
      expect(sockets.length).toBeLessThanOrEqual(2)
      await client.close()
      await flushPromises()
      expect(time.countPendingTimers()).toBe(0)
    }),
    { numRuns: 500 },
  )
})

const CONFIG = toJson({ response_type: 'config', config: { auto_reconnect: true } })

function buildResponse(content: string, complete: boolean): string {
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
  const consumption = consume()
  await flushPromises()
  for (const frame of [CONFIG, buildResponse('One', false), buildResponse(' two', true)])
    socket.emit('message', frame, false)
  await consumption
  expect(events).toEqual([{ type: 'text-delta', text: 'One' }])
})

test('a process that was paused pings the server before it closes the connection', async () => {
  const time = createManualClock()
  let pausedMs = 0
  const clock = { ...time.clock, now: () => time.clock.now() + pausedMs }
  const socket = new FakeSocket()
  const openSocket = async () => ({ ok: true, socket }) as const
  const client = createCustomLlmClient({ openSocket, clock })
  const answer = collectEvents(client.respond(buildRequest('ws://llm.test')))
  await flushPromises()
  socket.emit('message', CONFIG, false)
  await flushPromises()
  pausedMs = 15_000
  await time.advance(2_000)
  expect(socket.sent.filter((text) => text.includes('ping_pong'))).toHaveLength(1)
  socket.emit('message', buildResponse('Hello', true), false)
  expect(await answer.done).toMatchObject([{ text: 'Hello' }, { type: 'complete' }])
  await client.close()
})

test('a connection that opens while the client closes is closed too', async () => {
  const socket = new FakeSocket()
  const opened = Promise.withResolvers<{ ok: true; socket: FakeSocket }>()
  const { clock, countPendingTimers: pendingTimers } = createManualClock()
  const client = createCustomLlmClient({ openSocket: () => opened.promise, clock })
  const answer = collectEvents(client.respond(buildRequest('ws://llm.test')))
  await flushPromises()
  await client.close()
  const closed = new Promise((resolve) => socket.once('close', resolve))
  opened.resolve({ ok: true, socket })
  await closed
  expect(await answer.done).toMatchObject([{ type: 'failed', failure: { kind: 'unavailable' } }])
  await flushPromises()
  expect(pendingTimers()).toBe(0)
})

test('readFrame never throws', () => {
  fc.assert(fc.property(fc.oneof(textArbitrary, fc.string()), (text) => void readFrame(text)))
})

function isFinalEvent({ type }: CustomLlmEvent): boolean {
  return type === 'complete' || type === 'failed'
}
