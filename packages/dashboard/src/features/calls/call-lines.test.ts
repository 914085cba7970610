import type { CallEvent } from '@parley/contract/call-event'
import { expect, test } from 'vitest'
import { callLines } from './call-lines.ts'

const t = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name]))

/** Events in order, a second after each other. */
function events(...entries: readonly object[]): CallEvent[] {
  return entries.map(
    (entry, position) => ({ position, atMs: position * 1_000, at: '2026-11-23T00:00:00.000Z', ...entry }) as CallEvent,
  )
}

const said = (content: string, startMs: number) => ({
  type: 'agent-message',
  turnId: null,
  content,
  generatedContent: content,
  interrupted: false,
  kind: 'reply',
  startMs,
  endMs: startMs + 500,
  words: [],
})

test('what was said stands where it began, under the name of who held the call', () => {
  const lines = callLines(
    events(
      { type: 'call-started' },
      said('Hello.', 100),
      { type: 'agent-swap', agentId: 'agent_2', agentVersion: 1, agentName: 'Billing', analysis: '', webhooks: '' },
      { ...said('Billing here.', 2_500), interrupted: true },
      { type: 'user-message', turnId: 'a', content: 'Wait', source: 'speech', startMs: 1_800, endMs: 2_000, words: [] },
    ),
    'Front desk',
    t,
  )
  expect(lines.map(({ name, text, atMs }) => [name, text, atMs])).toEqual([
    ['Front desk', 'Hello.', 100],
    ['Caller', 'Wait', 1_800],
    ['Hand-over', 'Billing takes over.', 2_000],
    ['Billing', 'Billing here.', 2_500],
  ])
  expect(lines.map(({ isInterrupted }) => isInterrupted)).toEqual([false, false, false, true])
})

test('a tool stands with its answer, and twice with one id each gets its own', () => {
  const call = { type: 'tool-call', turnId: 'a', toolCallId: 'call_1', name: 'look_up', arguments: '{"id":7}' }
  const result = { type: 'tool-result', turnId: 'a', toolCallId: 'call_1', name: 'look_up', durationMs: 40 }
  const lines = callLines(
    events(call, { ...result, content: 'first', successful: true }, call, call, {
      ...result,
      content: 'second',
      successful: false,
    }),
    'Ada',
    t,
  )
  expect(lines.map(({ tool }) => [tool?.result, tool?.isSuccessful])).toEqual([
    ['first', true],
    ['second', false],
    [null, null],
  ])
})

test('figures are no lines; what was decided or went wrong is one', () => {
  const lines = callLines(
    events(
      { type: 'usage', product: 'llm', model: 'a', quantity: 1, unit: 'second' },
      { type: 'turn', turnId: 'a', latency: null, decisions: [] },
      { type: 'warning', code: 'x', message: 'Nobody listens.' },
      { type: 'variables', variables: { city: 'Köln', age: '7' } },
      { type: 'call-ended', reason: 'user_hangup' },
    ),
    'Ada',
    t,
  )
  expect(lines.map(({ text }) => text)).toEqual(['Nobody listens.', 'city = Köln\nage = 7'])
})
