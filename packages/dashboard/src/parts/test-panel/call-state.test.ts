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

const createTranscript = (id: string, role: 'agent' | 'user', text: string, fields: object = {}): CallAction => ({
  type: 'transcript',
  transcript: { id, role, text, final: true, interrupted: false, ...fields },
})

const applyActions = (...actions: readonly CallAction[]): CallState => actions.reduce(reduceCall, NO_CALL)

const listTexts = ({ lines }: CallState): unknown[] =>
  lines.map((line) => (line.kind === 'utterance' ? `${line.role}: ${line.text}` : `${line.kind} ${line.name}`))

describe('a call', () => {
  test('replaces a transcript with the same ID in place', () => {
    const state = applyActions(
      createTranscript('a', 'agent', 'Good', { final: false }),
      createTranscript('b', 'user', 'Wait', { final: false }),
      createTranscript('a', 'agent', 'Good morning', { interrupted: true }),
      createTranscript('b', 'user', 'Wait a moment'),
    )
    expect(listTexts(state)).toEqual(['agent: Good morning', 'user: Wait a moment'])
    expect(state.lines[0]).toMatchObject({ isInterrupted: true, isFinal: true })
  })

  test('removes a transcript that was recognized by mistake', () => {
    expect(
      listTexts(applyActions(createTranscript('a', 'user', 'Hm', { final: false }), createTranscript('a', 'user', ''))),
    ).toEqual([])
  })

  test('assigns the latency to the reply, in either order', () => {
    const earlyLatency = applyActions(
      createTranscript('a', 'user', 'Open?'),
      { type: 'latency', latency: LATENCY },
      createTranscript('b', 'agent', 'Yes.'),
    )
    const lateLatency = applyActions(createTranscript('a', 'user', 'Open?'), createTranscript('b', 'agent', 'Yes.'), {
      type: 'latency',
      latency: LATENCY,
    })
    for (const { lines } of [earlyLatency, lateLatency]) {
      expect(lines.map((line) => line.kind === 'utterance' && line.latency)).toEqual([null, LATENCY])
    }
    expect(earlyLatency.pendingLatency).toBeNull()
  })

  test('keeps the latency while the reply grows', () => {
    const state = applyActions(
      createTranscript('b', 'agent', 'Ye', { final: false }),
      { type: 'latency', latency: LATENCY },
      createTranscript('b', 'agent', 'Yes.'),
    )
    expect(state.lines[0]).toMatchObject({ text: 'Yes.', latency: LATENCY })
  })

  test('lists tools during and after their execution', () => {
    const runningState = applyActions(createTranscript('a', 'user', 'Book'), {
      type: 'tool',
      name: 'book',
      phase: 'started',
    })
    expect(runningState.lines[1]).toMatchObject({ kind: 'tool', name: 'book', isDone: false })
    const finishedState = reduceCall(runningState, { type: 'tool', name: 'book', phase: 'ended' })
    expect(finishedState.lines[1]).toMatchObject({ isDone: true })
    const restartedState = reduceCall(finishedState, { type: 'tool', name: 'book', phase: 'started' })
    expect(new Set(restartedState.lines.map(({ id }) => id)).size).toBe(3)
  })

  test('keeps the transcript after the end, and clears it for the next call', () => {
    const endedState = applyActions(createTranscript('a', 'agent', 'Bye'), {
      type: 'ended',
      reason: 'user_hangup',
      durationMs: 5_000,
    })
    expect(endedState).toMatchObject({ phase: 'ended', endReason: 'user_hangup', durationMs: 5_000 })
    expect(listTexts(endedState)).toEqual(['agent: Bye'])
    expect(listTexts(reduceCall(endedState, { type: 'starting', input: 'voice' }))).toEqual([])
  })
})
