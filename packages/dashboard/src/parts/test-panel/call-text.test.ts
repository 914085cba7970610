import { describe, expect, test } from 'vitest'
import { type CallState, NO_CALL } from './call-state.ts'
import {
  canContinueByTyping,
  describeActivity,
  describeEndReason,
  describeProblem,
  describeWarning,
  listLatencyParts,
  listSubstituteNotes,
} from './call-text.ts'

describe('call messages', () => {
  test.each<[string, Partial<CallState>]>([
    ['Listening', {}],
    ['Speaking', { activity: { agent: 'speaking', user: 'speaking' } }],
    ['Thinking…', { activity: { agent: 'thinking', user: 'silent' } }],
    ['Using a tool…', { activity: { agent: 'tool', user: 'silent' } }],
    ['Listening…', { activity: { agent: 'idle', user: 'speaking' } }],
    ['You are muted', { isMuted: true }],
    ['Waiting for your message', { recognition: 'none', isMuted: true }],
    ['Reconnecting…', { isReconnecting: true, activity: { agent: 'speaking', user: 'silent' } }],
  ])('describe the activity as "%s"', (text, state) => {
    expect(describeActivity({ ...NO_CALL, ...state })).toBe(text)
  })

  test('suggest a fix for known problems only', () => {
    expect(describeProblem('microphone_blocked')).toEqual([
      'The microphone is blocked for this page.',
      'Allow the microphone in the site settings and try again, or continue by typing.',
    ])
    expect(describeProblem('refused')).toBeNull()
    expect(describeWarning('weak_network')?.[0]).toContain('slow')
    expect(describeWarning('no_microphone')?.[0]).toBe('The microphone was disconnected.')
    expect(describeWarning('some_new_warning')).toBeNull()
  })

  test('offer typing only if the microphone is missing', () => {
    expect(['no_microphone', 'microphone_blocked', 'insecure_context', 'call_full'].map(canContinueByTyping)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('describe unknown end reasons', () => {
    expect(describeEndReason('agent_hangup')).toBe('The agent ended the call.')
    expect(describeEndReason('error_of_tomorrow')).toContain('error')
    expect(describeEndReason('something_else')).toBe('The call ended.')
  })

  test('omit notes about missing speech recognition if the panel displays its own', () => {
    const standIns = ['No speech recognition is configured.', 'The built-in voices speak English.']
    expect(listSubstituteNotes({ standIns, recognition: 'none' })).toEqual(['The built-in voices speak English.'])
    expect(listSubstituteNotes({ standIns, recognition: 'server' })).toEqual(standIns)
  })

  test('omit values that were not measured', () => {
    const latency = {
      totalMs: 900,
      endOfTurnMs: 400.4,
      recogniserMs: null,
      retrievalMs: null,
      modelFirstTokenMs: -3,
      firstClauseMs: null,
      synthesisFirstAudioMs: null,
      playoutMs: null,
    }
    expect(listLatencyParts(latency)).toEqual([
      ['end of turn', 400],
      ['model', -3],
    ])
  })
})
