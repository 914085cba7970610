import { describe, expect, test } from 'vitest'
import { type CallAction, type CallState, type Latency, NO_CALL, reduceCall } from './call-state.ts'

const LATENCY: Latency = {
  totalMs: 900,
  endOfTurnMs: 400,
  recogniserMs: null,
  retrievalMs: null,
  modelFirstTokenMs: 300,
  firstClauseMs: null,
  synthesisFirstAudioMs: null,
  playoutMs: null,
}

const said = (id: string, role: 'agent' | 'user', text: string, more: object = {}): CallAction => ({
  type: 'transcript',
  transcript: { id, role, text, final: true, interrupted: false, ...more },
})

const after = (...actions: readonly CallAction[]): CallState => actions.reduce(reduceCall, NO_CALL)

const listTexts = ({ lines }: CallState): unknown[] =>
  lines.map((line) => (line.kind === 'utterance' ? `${line.role}: ${line.text}` : `${line.kind} ${line.name}`))

describe('a call', () => {
  test('replaces words with the same id in place', () => {
    const state = after(
      said('a', 'agent', 'Good', { final: false }),
      said('b', 'user', 'Wait', { final: false }),
      said('a', 'agent', 'Good morning', { interrupted: true }),
      said('b', 'user', 'Wait a moment'),
    )
    expect(listTexts(state)).toEqual(['agent: Good morning', 'user: Wait a moment'])
    expect(state.lines[0]).toMatchObject({ isInterrupted: true, isFinal: true })
  })

  test('removes words that were recognized by mistake', () => {
    expect(listTexts(after(said('a', 'user', 'Hm', { final: false }), said('a', 'user', '')))).toEqual([])
  })

  test('shows the latency with its answer, in either order', () => {
    const first = after(said('a', 'user', 'Open?'), { type: 'latency', latency: LATENCY }, said('b', 'agent', 'Yes.'))
    const later = after(said('a', 'user', 'Open?'), said('b', 'agent', 'Yes.'), { type: 'latency', latency: LATENCY })
    for (const { lines } of [first, later]) {
      expect(lines.map((line) => line.kind === 'utterance' && line.latency)).toEqual([null, LATENCY])
    }
    expect(first.openLatency).toBeNull()
  })

  test('keeps the latency while the answer grows', () => {
    const state = after(
      said('b', 'agent', 'Ye', { final: false }),
      { type: 'latency', latency: LATENCY },
      said('b', 'agent', 'Yes.'),
    )
    expect(state.lines[0]).toMatchObject({ text: 'Yes.', latency: LATENCY })
  })

  test('shows tools while they run and afterwards', () => {
    const working = after(said('a', 'user', 'Book'), { type: 'tool', name: 'book', phase: 'started' })
    expect(working.lines[1]).toMatchObject({ kind: 'tool', name: 'book', isDone: false })
    const done = reduceCall(working, { type: 'tool', name: 'book', phase: 'ended' })
    expect(done.lines[1]).toMatchObject({ isDone: true })
    const twice = reduceCall(done, { type: 'tool', name: 'book', phase: 'started' })
    expect(new Set(twice.lines.map(({ id }) => id)).size).toBe(3)
  })

  test('keeps the transcript after the end, and clears it for the next call', () => {
    const over = after(said('a', 'agent', 'Bye'), { type: 'ended', reason: 'user_hangup', durationMs: 5_000 })
    expect(over).toMatchObject({ phase: 'ended', endReason: 'user_hangup', durationMs: 5_000 })
    expect(listTexts(over)).toEqual(['agent: Bye'])
    expect(listTexts(reduceCall(over, { type: 'starting', input: 'voice' }))).toEqual([])
  })
})
