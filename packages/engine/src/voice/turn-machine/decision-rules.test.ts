import { expect, test } from 'vitest'
import {
  appendDigit,
  canRetry,
  getBackchannelAtMs,
  getMaxWordlessVoiceMs,
  getNoiseAtMs,
  getReplyTimeoutAction,
  isSpeculationAllowed,
  isTooLateForBackchannel,
} from './decision-rules.ts'
import { haveSameWords } from './words/split-words.ts'

test('treats voice without words as noise after five seconds, or later with slow transcribers', () => {
  const voice = { startedAtMs: 0, isActive: true, lastVoiceAtMs: 0, transcriberP99Ms: 350, retranscribingSinceMs: null }
  expect(getNoiseAtMs(voice)).toBe(5_000)
  expect(getNoiseAtMs({ ...voice, transcriberP99Ms: 2_010 })).toBe(30_000)
  expect(getNoiseAtMs({ ...voice, isActive: false, lastVoiceAtMs: 300 })).toBe(5_000)
  expect(getNoiseAtMs({ ...voice, isActive: false, lastVoiceAtMs: 12_000, transcriberP99Ms: 2_010 })).toBe(14_510)
  // The next transcriber gets its own time.
  expect(getNoiseAtMs({ ...voice, isActive: false, lastVoiceAtMs: 1_000, retranscribingSinceMs: 6_000 })).toBe(6_850)
})

test('treats voice without new words as noise sooner after final text', () => {
  const voice = { transcriberP99Ms: 900, isFinal: true, probability: 0.5, isStreaming: true, firstTextDelayMs: 0 }
  expect(getMaxWordlessVoiceMs(voice)).toBe(1_500)
  expect(getMaxWordlessVoiceMs({ ...voice, probability: 0.6 })).toBe(900)
  // New voice gets the time that its first words need.
  expect(getMaxWordlessVoiceMs({ ...voice, firstTextDelayMs: 1_000 })).toBe(2_000)
  expect(getMaxWordlessVoiceMs({ ...voice, isFinal: false })).toBe(5_000)
  expect(getMaxWordlessVoiceMs({ ...voice, isStreaming: false })).toBe(12_000)
  expect(getMaxWordlessVoiceMs({ ...voice, isStreaming: false, transcriberP99Ms: 350 })).toBe(5_000)
})

test('answers a stalled turn with a filler, the next attempt and the fallback', () => {
  expect([0, 1, 2, 3].map((steps) => getReplyTimeoutAction(steps)?.afterMs ?? null)).toEqual([
    4_000,
    8_000,
    12_000,
    null,
  ])
  expect([canRetry(0, 8_000), canRetry(1, 3_999), canRetry(2, 8_000)]).toEqual([true, false, false])
})

test('speculates on stable words, three times, for ten seconds, without a running tool', () => {
  const input = { attempts: 2, speechMs: 10_000, isStable: true, isToolRunning: false }
  expect(isSpeculationAllowed(input)).toBe(true)
  const rejections = [{ attempts: 3 }, { speechMs: 10_001 }, { isStable: false }, { isToolRunning: true }]
  expect(rejections.map((override) => isSpeculationAllowed({ ...input, ...override }))).toEqual([
    false,
    false,
    false,
    false,
  ])
})

test('allows an agent backchannel in a pause of long speech, every six seconds at most', () => {
  const pause = { speechMs: 3_000, lastVoiceAtMs: 8_000, probability: 0.29, lastBackchannelAtMs: null }
  expect(getBackchannelAtMs(pause)).toBe(8_250)
  expect(getBackchannelAtMs({ ...pause, speechMs: 2_999 })).toBeNull()
  expect(getBackchannelAtMs({ ...pause, probability: 0.3 })).toBeNull()
  expect(getBackchannelAtMs({ ...pause, lastBackchannelAtMs: 2_251 })).toBeNull()
  expect([isTooLateForBackchannel(0, 450), isTooLateForBackchannel(0, 451)]).toEqual([false, true])
})

test('collects keys up to the termination key, the limit or 50', () => {
  const settings = { digitLimit: 3, terminationKey: '#', timeoutMs: 1_000 }
  expect(appendDigit('', '1', settings)).toEqual({ text: '1', isComplete: false })
  expect(appendDigit('12', '3', settings)).toEqual({ text: '123', isComplete: true })
  expect(appendDigit('12', '#', settings)).toEqual({ text: '12', isComplete: true })
  expect(appendDigit('', '#', settings)).toEqual({ text: '', isComplete: false })
  expect(appendDigit('1'.repeat(50), '1', { ...settings, digitLimit: null }).text).toHaveLength(50)
})

test('compares words without case and punctuation', () => {
  expect(haveSameWords('Hello, are you there?', 'hello are you there')).toBe(true)
  expect(haveSameWords('hello', 'hello there')).toBe(false)
})
