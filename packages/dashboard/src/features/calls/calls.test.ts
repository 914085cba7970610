import type { CallEvent } from '@parley/contract/call-event'
import { describe, expect, test } from 'vitest'
import { Problem } from '../../lib/api/problem.ts'
import { calculateRowRange, isFiltered, readCallFilter, toHistoryQuery } from './call-filter.ts'
import { findTurnStarts, toCallLines } from './call-lines.ts'
import { type CallRecord, getPollIntervalMs } from './call-state.ts'
import { addEvent, isStreamComplete } from './live-events.ts'
import { buildRecordingUrl, getRecordingState, toSafeLink } from './recording-panel.tsx'
import { IDLE_STATE, type ListenAction, type ListenState, reduceListenState } from './use-call-listener.ts'

const t = (text: string, values: Readonly<Record<string, string | number>> = {}): string =>
  text.replace(/\{(\w+)\}/g, (_match, name: string) => String(values[name]))

/** Builds a list of events, one second apart. */
function buildEvents(...entries: readonly object[]): CallEvent[] {
  return entries.map(
    (entry, position) => ({ position, atMs: position * 1_000, at: '2026-11-23T00:00:00.000Z', ...entry }) as CallEvent,
  )
}

describe('the call history', () => {
  test('reads the filter from the URL and drops invalid values', () => {
    const filter = readCallFilter({
      ...{ agent: 'agent_1', version: '3', status: 'error', from: '2026-11-01', to: 'soon', search: 4915 },
      ...{ archived: true, childCalls: 'yes', sort: '-cost', page: 2, other: 1 },
    })
    expect(filter).toEqual({
      ...{
        agent: 'agent_1',
        version: 3,
        status: 'error',
        from: '2026-11-01',
        search: '4915',
        archived: true,
        sort: '-cost',
        page: 2,
      },
    })
    expect(readCallFilter({ page: 1, status: 'gone', version: -1, sort: 'sentiment' })).toEqual({})
    expect([isFiltered({ page: 4, sort: 'cost' }), isFiltered({ archived: true })]).toEqual([false, true])
  })

  test('converts the filter and page to a query', () => {
    const query = { agentId: 'agent_1', search: '+1', includeArchived: true, sort: 'latency', page: 3, limit: 100 }
    expect(toHistoryQuery({ agent: 'agent_1', search: '+1', archived: true, sort: 'latency', page: 3 })).toEqual(query)
    expect(toHistoryQuery({ to: '2026-11-24' }, 7)).toMatchObject({
      page: 7,
      endDate: expect.stringMatching(/\.999Z$/),
    })
  })

  test.each([
    [1, 100, { first: 1, last: 100 }],
    [3, 50, { first: 201, last: 250 }],
    [9, 0, { first: 0, last: 0 }],
  ])('returns the row range of page %i with %i rows', (page, rows, range) =>
    expect(calculateRowRange(page, rows)).toEqual(range),
  )
})

describe('the transcript', () => {
  const buildAgentMessage = (content: string, startMs: number, turnId: string | null = null) => ({
    ...{ type: 'agent-message', turnId, content, generatedContent: content, interrupted: false, kind: 'reply' },
    ...{ startMs, endMs: startMs + 500, words: [] },
  })
  const buildUserMessage = (startMs: number) => ({
    ...{ type: 'user-message', turnId: 'turn_1', content: 'Wait', source: 'speech', startMs },
    ...{ endMs: startMs + 200, words: [] },
  })

  test('shows messages at their start, under the name of the agent that spoke', () => {
    const lines = toCallLines(
      buildEvents(
        { type: 'call-started' },
        buildAgentMessage('Hello.', 100),
        { type: 'agent-swap', agentId: 'agent_2', agentVersion: 1, agentName: 'Billing', analysis: '', webhooks: '' },
        { ...buildAgentMessage('Billing here.', 2_500), interrupted: true },
        buildUserMessage(1_800),
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

  test('finds the start of each turn', () => {
    const turnStarts = findTurnStarts(
      buildEvents(buildAgentMessage('Hello.', 100), buildAgentMessage('So.', 2_500, 'turn_1'), buildUserMessage(1_800)),
    )
    expect([...turnStarts]).toEqual([['turn_1', 1_800]])
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

  test('shows variables and warnings, but no measurements', () => {
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

test('polls a call until it has ended and been analyzed', () => {
  const buildCall = (changes: Partial<CallRecord>) =>
    ({ status: 'ended', endedAt: null, summary: null, ...changes }) as CallRecord
  const endedAt = '2026-11-23T10:00:00.000Z'
  const getTimeMs = (seconds: number): number => Date.parse(endedAt) + seconds * 1_000
  expect(getPollIntervalMs(undefined, getTimeMs(0))).toBe(false)
  expect(getPollIntervalMs(buildCall({ status: 'ongoing' }), getTimeMs(0))).toBeGreaterThan(0)
  expect(getPollIntervalMs(buildCall({ status: 'registered' }), getTimeMs(0))).toBeGreaterThan(0)
  expect(getPollIntervalMs(buildCall({ endedAt }), getTimeMs(10))).toBeGreaterThan(0)
  expect(getPollIntervalMs(buildCall({ endedAt, summary: 'All well.' }), getTimeMs(10))).toBe(false)
  expect(getPollIntervalMs(buildCall({ endedAt }), getTimeMs(600))).toBe(false)
  expect(getPollIntervalMs(buildCall({ status: 'not_connected', endedAt }), getTimeMs(1))).toBe(false)
})

describe('listening', () => {
  const reduceActions = (...actions: readonly ListenAction[]): ListenState =>
    actions.reduce(reduceListenState, IDLE_STATE)
  const connectionLost = { code: 'connection_lost', message: 'Lost.' }

  test('continues until the call ends or the user stops', () => {
    expect(reduceActions({ type: 'starting' }, { type: 'live' })).toEqual({ ...IDLE_STATE, phase: 'live' })
    expect(reduceActions({ type: 'live' }, { type: 'call-ended' })).toEqual({ ...IDLE_STATE, phase: 'ended' })
    expect(reduceActions({ type: 'live' }, { type: 'stopped' })).toEqual(IDLE_STATE)
  })

  test('keeps showing a failure after the call ends', () => {
    const failedState = reduceActions(
      { type: 'live' },
      { type: 'failed', problem: null, callProblem: connectionLost },
      { type: 'call-ended' },
    )
    expect(failedState).toMatchObject({ phase: 'ended', callProblem: connectionLost })
    expect(
      reduceActions({ type: 'failed', problem: null, callProblem: connectionLost }, { type: 'starting' }).callProblem,
    ).toBeNull()
  })

  test.each([
    [new Problem('The call is over.', { code: 'call_not_live' }), null],
    [null, { code: 'call_ended', message: 'This call is over.' }],
  ])('reports no failure if the call has already ended', (problem, callProblem) => {
    const endedState = { ...IDLE_STATE, phase: 'ended' }
    expect(reduceActions({ type: 'starting' }, { type: 'failed', problem, callProblem })).toEqual(endedState)
  })

  test.each([
    ['isBlocked', { type: 'blocked', isBlocked: true }, { type: 'blocked', isBlocked: false }],
    ['isReconnecting', { type: 'reconnecting', isReconnecting: true }, { type: 'reconnecting', isReconnecting: false }],
  ] as const)('sets and clears %s', (flag, startAction, endAction) => {
    expect(reduceActions({ type: 'live' }, startAction)[flag]).toBe(true)
    expect(reduceActions({ type: 'live' }, startAction, endAction)[flag]).toBe(false)
  })
})

describe('a live stream', () => {
  const buildEvent = (position: number): CallEvent => ({ position, atMs: 0, at: '', type: 'call-started' })

  test('does not repeat events after a reconnection', () => {
    const firstEvents = [0, 1, 2].map(buildEvent).reduce(addEvent, [] as readonly CallEvent[])
    const replayedEvents = [0, 1, 2, 3].map(buildEvent).reduce(addEvent, firstEvents)
    expect(replayedEvents.map(({ position }) => position)).toEqual([0, 1, 2, 3])
  })

  test('is incomplete until the call-ended event', () => {
    expect(isStreamComplete([])).toBe(false)
    expect(isStreamComplete([buildEvent(0)])).toBe(false)
    expect(
      isStreamComplete([buildEvent(0), { position: 1, atMs: 9, at: '', type: 'call-ended', reason: 'user_hangup' }]),
    ).toBe(true)
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
  const callWithoutRecording = { ...call, recordingUrl: null }

  test.each([
    [call, 'local'],
    [{ ...call, recordingUrl: 'https://carrier.example/rec/1.mp3' }, 'external'],
    [{ ...call, recordingUrl: 'javascript:alert(1)' }, 'external'],
    [{ ...call, status: 'ongoing' } as const, 'live'],
    [callWithoutRecording, 'none'],
    [{ ...callWithoutRecording, optOutSensitiveDataStorage: true }, 'not-stored'],
    [{ ...callWithoutRecording, status: 'not_connected', startedAt: null } as const, 'not-started'],
  ])('%j has the recording state %s', (call, state) => expect(getRecordingState(call)).toBe(state))

  test.each([
    ['https://carrier.example/rec/1.mp3', true],
    ['javascript:alert(1)', false],
    ['data:text/html,x', false],
    ['x', false],
    [null, false],
  ])('toSafeLink(%j) accepts the link: %s', (link, isSafe) => expect(toSafeLink(link)).toBe(isSafe ? link : null))

  test('plays the selected channel from the host of the page', () => {
    expect(buildRecordingUrl('call_1', 'agent')).toBe('/api/v1/calls/call_1/recording?channel=agent')
  })
})
