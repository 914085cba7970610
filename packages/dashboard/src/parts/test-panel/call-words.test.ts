import { describe, expect, test } from 'vitest'
import { type CallState, NO_CALL } from './call-state.ts'
import { activityWords, endingWords, latencyParts, mayType, problemWords, warningWords } from './call-words.ts'

describe('the words of a call', () => {
  test.each<[string, Partial<CallState>]>([
    ['Listening', {}],
    ['Speaking', { activity: { agent: 'speaking', user: 'speaking' } }],
    ['Thinking …', { activity: { agent: 'thinking', user: 'silent' } }],
    ['Using a tool …', { activity: { agent: 'tool', user: 'silent' } }],
    ['Listening …', { activity: { agent: 'idle', user: 'speaking' } }],
    ['You are muted', { isMuted: true }],
    ['Waiting for your message', { ears: 'none', isMuted: true }],
    ['Reconnecting …', { isReconnecting: true, activity: { agent: 'speaking', user: 'silent' } }],
  ])('say %s', (words, state) => {
    expect(activityWords({ ...NO_CALL, ...state })).toBe(words)
  })

  test('tell a fix with every problem, and leave those of the server to the server', () => {
    expect(problemWords('microphone_blocked')).toEqual([
      'The microphone is blocked for this page.',
      'Allow the microphone in the site settings beside the address and try again, or go on by typing.',
    ])
    expect(problemWords('refused')).toBeNull()
    expect(warningWords('weak_network')?.[0]).toContain('slow')
    expect(warningWords('no_microphone')?.[0]).toBe('The microphone is gone.')
    expect(warningWords('some_new_warning')).toBeNull()
  })

  test('offer typing only where the microphone is what is missing', () => {
    expect(['no_microphone', 'microphone_blocked', 'insecure_context', 'call_full'].map(mayType)).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  test('know endings that they have never heard of', () => {
    expect(endingWords('agent_hangup')).toBe('The agent ended the call.')
    expect(endingWords('error_of_tomorrow')).toContain('fault')
    expect(endingWords('something_else')).toBe('The call is over.')
  })

  test('leave out what was not measured', () => {
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
    expect(latencyParts(latency)).toEqual([
      ['end of turn', 400],
      ['model', -3],
    ])
  })
})
