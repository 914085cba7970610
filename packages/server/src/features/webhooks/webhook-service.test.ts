import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTargetPolicy } from '../../platform/outbound/target-policy.ts'
import { formatEventBody } from './publish-event.ts'
import { collectUrlWarnings } from './webhook-service.ts'

test.each([
  ['http://127.0.0.1/a', true],
  ['https://10.1.2.3:8443', true],
  ['http://[::1]/', true],
  ['http://[::ffff:10.0.0.1]/', true],
  ['http://169.254.169.254/latest/meta-data', true],
  ['http://2130706433/', true],
  ['http://localhost:3000', true],
  ['http://hooks.localhost', true],
  ['https://93.184.216.34/', false],
  ['https://hooks.example.com/', false],
  ['http://127.0.0.1:4300/', false],
  ['http://127.0.0.1:4301/', true],
])('%s: rejected %s', (url, isRefused) => {
  const policy = createTargetPolicy({ allowPrivateTargets: ['127.0.0.1:4300'] })
  expect(collectUrlWarnings(url, policy)).toHaveLength(isRefused ? 1 : 0)
})

const HEAD = { event: 'chat_ended', eventId: 'evt_1', createdAt: Date.UTC(2026, 0, 5, 12) } as const

const sizeOf = (text: string): number => Buffer.byteLength(text)

test('the event, its id and its time precede the subject', () => {
  expect(formatEventBody(HEAD, { chat: { chatId: 'chat_1' } })).toBe(
    '{"event":"chat_ended","event_id":"evt_1","created_at":"2026-01-05T12:00:00.000Z","chat":{"chatId":"chat_1"}}',
  )
})

test('a body that is too large loses its oldest messages and lines and is marked truncated', () => {
  const contents = Array.from({ length: 100 }, (_, index) => `message ${index} `.padEnd(100, 'ü'))
  const chat = {
    chatId: 'chat_1',
    messages: contents.map((content) => ({ content })),
    transcript: contents.map((content) => `User: ${content}`).join('\n'),
    metadata: { order: 7 },
  }
  const text = formatEventBody(HEAD, { chat }, 10_000)
  expect(sizeOf(text)).toBeLessThanOrEqual(10_000)
  expect(sizeOf(text)).toBeGreaterThan(9_000)
  const body = JSON.parse(text)
  expect(body).toMatchObject({ event: 'chat_ended', event_id: 'evt_1', truncated: true })
  expect(body.chat).toMatchObject({ chatId: 'chat_1', metadata: { order: 7 } })
  expect(body.chat.messages).toEqual(chat.messages.slice(-body.chat.messages.length))
  expect(chat.transcript.endsWith(`\n${body.chat.transcript}`)).toBe(true)
})

test('any content fits with its newest part', () => {
  const message = fc.record({ content: fc.string({ unit: 'grapheme', maxLength: 200 }) })
  fc.assert(
    fc.property(fc.array(message, { maxLength: 40 }), fc.integer({ min: 300, max: 4_000 }), (messages, limitBytes) => {
      const transcript = messages.map(({ content }) => `User: ${content}`).join('\n')
      const text = formatEventBody(HEAD, { chat: { messages, transcript } }, limitBytes)
      const body = JSON.parse(text)
      expect(sizeOf(text)).toBeLessThanOrEqual(limitBytes)
      const count = body.chat.messages.length
      expect(body.chat.messages).toEqual(JSON.parse(JSON.stringify(messages.slice(messages.length - count))))
      expect(transcript.endsWith(body.chat.transcript)).toBe(true)
      if (body.truncated === undefined) expect(count).toBe(messages.length)
    }),
  )
})

test('a subject without messages stays unchanged', () => {
  const text = formatEventBody(HEAD, { alert: { text: 'x'.repeat(500) }, at: 1 }, 400)
  expect(JSON.parse(text)).toMatchObject({ truncated: true, alert: { text: 'x'.repeat(500) }, at: 1 })
})

test('a large call loses the oldest lines of its transcript', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `User: line ${index} `.padEnd(100, 'ü'))
  const call = { callId: 'call_1', transcript: lines.join('\n') }
  const text = formatEventBody({ ...HEAD, event: 'call_ended' }, { call }, 10_000)
  expect(sizeOf(text)).toBeLessThanOrEqual(10_000)
  expect(sizeOf(text)).toBeGreaterThan(9_000)
  const body = JSON.parse(text)
  expect(Object.keys(body.call)).toEqual(['callId', 'transcript'])
  expect(call.transcript.endsWith(`\n${body.call.transcript}`)).toBe(true)
})
