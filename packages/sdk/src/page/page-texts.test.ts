import { expect, test } from 'vitest'
import {
  describeActivity,
  describeEndReason,
  formatDuration,
  formatLatency,
  formatLatencyDetails,
  getRecoveryOptions,
} from './page-texts.ts'

test.each([
  [0, '0:00'],
  [-5, '0:00'],
  [9_999, '0:09'],
  [61_000, '1:01'],
  [3_600_000, '1:00:00'],
  [3_725_000, '1:02:05'],
])('formats %i ms as %s', (durationMs, text) => {
  expect(formatDuration(durationMs)).toBe(text)
})

test('describes every reason', () => {
  expect(describeEndReason('agent_hangup')).toBe('The agent ended the call.')
  expect(describeEndReason('error_llm')).toBe('The call ended because of an error.')
  expect(describeEndReason('something_new')).toBe('The call has ended.')
})

test('prefers the activity of the agent', () => {
  expect(describeActivity('thinking', 'silent', 'open')).toBe('Thinking…')
  expect(describeActivity('idle', 'speaking', 'open')).toBe('Listening…')
  expect(describeActivity('idle', 'silent', 'muted')).toBe('You are muted')
  expect(describeActivity('idle', 'maybe-speaking', 'none')).toBe('Waiting for your message')
})

test('formats latency briefly and in detail', () => {
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

test('offers typing for microphone problems', () => {
  expect(getRecoveryOptions('microphone_blocked')).toEqual({ tryAgain: true, typeInstead: true })
  expect(getRecoveryOptions('token_used')).toEqual({ tryAgain: false, typeInstead: false })
  expect(getRecoveryOptions('insecure_context')).toEqual({ tryAgain: false, typeInstead: false })
})
