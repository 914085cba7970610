import { expect, test } from 'vitest'
import {
  describeActivity,
  describeEnding,
  formatDuration,
  formatLatency,
  formatLatencyDetails,
  recoveryOptions,
} from './page-texts.ts'

test.each([
  [0, '0:00'],
  [-5, '0:00'],
  [9_999, '0:09'],
  [61_000, '1:01'],
  [3_600_000, '1:00:00'],
  [3_725_000, '1:02:05'],
])('%i ms are %s', (durationMs, words) => {
  expect(formatDuration(durationMs)).toBe(words)
})

test('every end has a sentence', () => {
  expect(describeEnding('agent_hangup')).toBe('The agent ended the call.')
  expect(describeEnding('error_llm')).toBe('The call ended because of a fault.')
  expect(describeEnding('something_new')).toBe('The call is over.')
})

test('what the agent does comes before what the caller does', () => {
  expect(describeActivity('thinking', 'silent', 'open')).toBe('Thinking…')
  expect(describeActivity('idle', 'speaking', 'open')).toBe('Listening…')
  expect(describeActivity('idle', 'silent', 'muted')).toBe('You are muted')
  expect(describeActivity('idle', 'maybe-speaking', 'none')).toBe('Waiting for your message')
})

test('figures are told briefly, and in full on demand', () => {
  const latency = {
    totalMs: 842.4,
    endOfTurnMs: 400,
    recogniserMs: 120.6,
    retrievalMs: null,
    modelFirstTokenMs: -20,
    firstClauseMs: null,
    synthesisFirstAudioMs: 40,
    playoutMs: null,
  }
  expect(formatLatency(latency)).toBe('answered in 0.84 s')
  expect(formatLatencyDetails(latency)).toBe('end of turn 400 ms, recognition 121 ms, model -20 ms, voice 40 ms')
})

test('a problem of the microphone can be gone around', () => {
  expect(recoveryOptions('microphone_blocked')).toEqual({ tryAgain: true, typeInstead: true })
  expect(recoveryOptions('token_used')).toEqual({ tryAgain: false, typeInstead: false })
  expect(recoveryOptions('insecure_context')).toEqual({ tryAgain: false, typeInstead: false })
})
