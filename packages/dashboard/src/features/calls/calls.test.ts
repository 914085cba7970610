import type { CallEvent } from '@parley/contract/call-event'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../lib/api/problem.ts'
import { calculateRowRange, isFiltered, readCallFilter, toHistoryQuery } from './call-filter.ts'
import { findTurnStarts, toCallLines } from './call-lines.ts'
import { type CallRecord, getPollIntervalMs } from './call-state.ts'
import { addEvent, isComplete } from './live-events.ts'
import { buildRecordingUrl, getRecordingState, toSafeLink } from './recording-panel.tsx'
import { type ListenAction, type ListenState, NOT_LISTENING, reduceListening } from './use-listening.ts'

const t = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (_all, name: string) => String(values[name]))

/** Builds a list of events, one second apart. */
function buildEvents(...entries: readonly object[]): CallEvent[] {
  return entries.map(
    (entry, position) => ({ position, atMs: position * 1_000, at: '2026-11-23T00:00:00.000Z', ...entry }) as CallEvent,
  )
}

describe('the history', () => {
  test('reads its filter from the address and drops invalid values', () => {
    const filter = readCallFilter({
      ...{ agent: 'agent_1', version: '3', status: 'error', from: '2026-11-01', to: 'soon', search: 4915 },
      ...{ archived: true, parts: 'yes', page: 2, other: 1 },
    })
    expect(filter).toEqual({
      ...{ agent: 'agent_1', version: 3, status: 'error', from: '2026-11-01', search: '4915', archived: true, page: 2 },
    })
    expect(readCallFilter({ page: 1, status: 'gone', version: -1 })).toEqual({})
    expect([isFiltered({ page: 4 }), isFiltered({ archived: true })]).toEqual([false, true])
  })

  test('sends its filter and page to the server', () => {
    const query = { agentId: 'agent_1', search: '+1', includeArchived: true, page: 3, limit: 100 }
    expect(toHistoryQuery({ agent: 'agent_1', search: '+1', archived: true, page: 3 })).toEqual(query)
    expect(toHistoryQuery({ to: '2026-11-24' }, 7)).toMatchObject({
      page: 7,
      endDate: expect.stringMatching(/\.999Z$/),
    })
  })

  test.each([
    [1, 100, { first: 1, last: 100 }],
    [3, 50, { first: 201, last: 250 }],
    [9, 0, { first: 0, last: 0 }],
  ])('numbers the rows of page %i with %i rows', (page, rows, range) =>
    expect(calculateRowRange(page, rows)).toEqual(range),
  )
})

describe('the transcript', () => {
  const message = (content: string, startMs: number, turnId: string | null = null) => ({
    ...{ type: 'agent-message', turnId, content, generatedContent: content, interrupted: false, kind: 'reply' },
    ...{ startMs, endMs: startMs + 500, words: [] },
  })
  const question = (startMs: number) => ({
    ...{ type: 'user-message', turnId: 'turn_1', content: 'Wait', source: 'speech', startMs },
    ...{ endMs: startMs + 200, words: [] },
  })

  test('shows messages at their start, under the name of the agent that spoke', () => {
    const lines = toCallLines(
      buildEvents(
        { type: 'call-started' },
        message('Hello.', 100),
        { type: 'agent-swap', agentId: 'agent_2', agentVersion: 1, agentName: 'Billing', analysis: '', webhooks: '' },
        { ...message('Billing here.', 2_500), interrupted: true },
        question(1_800),
      ),
      'Front desk',
      t,
    )
    expect(lines.map(({ name, text, atMs }) => [name, text, atMs])).toEqual([
      ['Front desk', 'Hello.', 100],
      ['Caller', 'Wait', 1_800],
      ['Handoff', 'Billing takes over.', 2_000],
      ['Billing', 'Billing here.', 2_500],
    ])
    expect(lines.map(({ isInterrupted }) => isInterrupted)).toEqual([false, false, false, true])
  })

  test('uses the same clock as turns', () => {
    const starts = findTurnStarts(buildEvents(message('Hello.', 100), message('So.', 2_500, 'turn_1'), question(1_800)))
    expect([...starts]).toEqual([['turn_1', 1_800]])
  })

  test('shows tool calls with their results, even if two share an ID', () => {
    const call = { type: 'tool-call', turnId: 'a', toolCallId: 'call_1', name: 'look_up', arguments: '{"id":7}' }
    const result = { type: 'tool-result', turnId: 'a', toolCallId: 'call_1', name: 'look_up', durationMs: 40 }
    const first = { ...result, content: 'first', successful: true }
    const second = { ...result, content: 'second', successful: false }
    const lines = toCallLines(buildEvents(call, first, call, call, second), 'Ada', t)
    expect(lines.map(({ tool }) => [tool?.result, tool?.isSuccessful])).toEqual([
      ['first', true],
      ['second', false],
      [null, null],
    ])
  })

  test('shows decisions and warnings, and no measurements', () => {
    const lines = toCallLines(
      buildEvents(
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
})

test('a call is polled while it is live and until it is analyzed', () => {
  const call = (changes: Partial<CallRecord>) =>
    ({ status: 'ended', endedAt: null, summary: null, ...changes }) as CallRecord
  const endedAt = '2026-11-23T10:00:00.000Z'
  const at = (seconds: number): number => Date.parse(endedAt) + seconds * 1_000
  expect(getPollIntervalMs(undefined, at(0))).toBe(false)
  expect(getPollIntervalMs(call({ status: 'ongoing' }), at(0))).toBeGreaterThan(0)
  expect(getPollIntervalMs(call({ status: 'registered' }), at(0))).toBeGreaterThan(0)
  expect(getPollIntervalMs(call({ endedAt }), at(10))).toBeGreaterThan(0)
  expect(getPollIntervalMs(call({ endedAt, summary: 'All well.' }), at(10))).toBe(false)
  expect(getPollIntervalMs(call({ endedAt }), at(600))).toBe(false)
  expect(getPollIntervalMs(call({ status: 'not_connected', endedAt }), at(1))).toBe(false)
})

describe('listening', () => {
  const after = (...actions: readonly ListenAction[]): ListenState => actions.reduce(reduceListening, NOT_LISTENING)
  const lost = { code: 'connection_lost', message: 'Lost.' }

  test('lasts until the call ends', () => {
    expect(after({ type: 'starting' }, { type: 'live' })).toEqual({ ...NOT_LISTENING, phase: 'live' })
    expect(after({ type: 'live' }, { type: 'call-ended' })).toEqual({ ...NOT_LISTENING, phase: 'ended' })
    expect(after({ type: 'live' }, { type: 'stopped' })).toEqual(NOT_LISTENING)
  })

  test('keeps a failure visible when the end follows it', () => {
    const failed = after({ type: 'live' }, { type: 'failed', problem: null, callProblem: lost }, { type: 'call-ended' })
    expect(failed).toMatchObject({ phase: 'ended', callProblem: lost })
    expect(after({ type: 'failed', problem: null, callProblem: lost }, { type: 'starting' }).callProblem).toBeNull()
  })

  test.each([
    [new Problem('The call is over.', { code: 'call_not_live' }), null],
    [null, { code: 'call_ended', message: 'This call is over.' }],
  ])('does not fail if the call ended first', (problem, callProblem) => {
    const ended = { ...NOT_LISTENING, phase: 'ended' }
    expect(after({ type: 'starting' }, { type: 'failed', problem, callProblem })).toEqual(ended)
  })

  test.each([
    ['isBlocked', { type: 'blocked', isBlocked: true }, { type: 'blocked', isBlocked: false }],
    ['isReconnecting', { type: 'reconnecting', isReconnecting: true }, { type: 'reconnecting', isReconnecting: false }],
  ] as const)('shows %s until it is over', (flag, on, off) => {
    expect(after({ type: 'live' }, on)[flag]).toBe(true)
    expect(after({ type: 'live' }, on, off)[flag]).toBe(false)
  })
})

describe('a live stream', () => {
  const event = (position: number): CallEvent => ({ position, atMs: 0, at: '', type: 'call-started' })

  test('that restarts repeats no event', () => {
    const once = [0, 1, 2].map(event).reduce(addEvent, [] as readonly CallEvent[])
    const again = [0, 1, 2, 3].map(event).reduce(addEvent, once)
    expect(again.map(({ position }) => position)).toEqual([0, 1, 2, 3])
  })

  test('that ends before its call was interrupted', () => {
    expect(isComplete([])).toBe(false)
    expect(isComplete([event(0)])).toBe(false)
    expect(isComplete([event(0), { position: 1, atMs: 9, at: '', type: 'call-ended', reason: 'user_hangup' }])).toBe(
      true,
    )
  })
})

describe('a recording', () => {
  const call = {
    callId: 'call_1',
    status: 'ended',
    startedAt: '2026-11-23T00:00:00.000Z',
    optOutSensitiveDataStorage: false,
    recordingUrl: 'https://parley.example/api/v1/calls/call_1/recording?expires=1&signature=x',
  } as const
  const absent = { ...call, recordingUrl: null }

  test.each([
    [call, 'here'],
    [{ ...call, recordingUrl: 'https://carrier.example/rec/1.mp3' }, 'elsewhere'],
    [{ ...call, recordingUrl: 'javascript:alert(1)' }, 'elsewhere'],
    [{ ...call, status: 'ongoing' } as const, 'live'],
    [absent, 'none'],
    [{ ...absent, optOutSensitiveDataStorage: true }, 'not-stored'],
    [{ ...absent, status: 'not_connected', startedAt: null } as const, 'not-started'],
  ])('of %j is %s', (recorded, state) => expect(getRecordingState(recorded)).toBe(state))

  test.each([
    ['https://carrier.example/rec/1.mp3', true],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['x', false],
    [null, false],
  ])('whether %j may be a link: %s', (link, can) => expect(toSafeLink(link)).toBe(can ? link : null))

  test('plays from the host of the page, in the chosen channels', () => {
    expect(buildRecordingUrl('call_1', 'agent')).toBe('/api/v1/calls/call_1/recording?channel=agent')
  })
})
