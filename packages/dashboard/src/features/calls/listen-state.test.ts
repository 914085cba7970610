import { expect, test } from 'vitest'
import { Problem } from '../../lib/api/problem.ts'
import { afterListenAction, type ListenAction, type ListenState, NOT_LISTENING } from './listen-state.ts'

const after = (...actions: readonly ListenAction[]): ListenState => actions.reduce(afterListenAction, NOT_LISTENING)
const lost = { code: 'connection_lost', message: 'Lost.' }

test('a call is heard until it is over', () => {
  expect(after({ type: 'starting' }, { type: 'live' })).toEqual({ ...NOT_LISTENING, phase: 'live' })
  expect(after({ type: 'live' }, { type: 'call-over' })).toEqual({ ...NOT_LISTENING, phase: 'over' })
  expect(after({ type: 'live' }, { type: 'stopped' })).toEqual(NOT_LISTENING)
})

test('what failed stays told when the end follows it', () => {
  const failed = after({ type: 'live' }, { type: 'failed', problem: null, trouble: lost }, { type: 'call-over' })
  expect(failed).toMatchObject({ phase: 'over', trouble: lost })
  expect(after({ type: 'failed', problem: null, trouble: lost }, { type: 'starting' }).trouble).toBeNull()
})

test.each([
  [new Problem('The call is over.', { code: 'call_not_live' }), null],
  [null, { code: 'call_ended', message: 'This call is over.' }],
])('a call that ended before it could be heard is no failure', (problem, trouble) => {
  expect(after({ type: 'starting' }, { type: 'failed', problem, trouble })).toEqual({ ...NOT_LISTENING, phase: 'over' })
})

test('sound that was held back, or a connection that broke, is told until it is back', () => {
  const blocked = after({ type: 'live' }, { type: 'blocked', isBlocked: true })
  expect(blocked.isBlocked).toBe(true)
  expect(afterListenAction(blocked, { type: 'blocked', isBlocked: false }).isBlocked).toBe(false)
  const away = after({ type: 'live' }, { type: 'reconnecting', isReconnecting: true })
  expect(away.isReconnecting).toBe(true)
  expect(afterListenAction(away, { type: 'reconnecting', isReconnecting: false }).isReconnecting).toBe(false)
})
