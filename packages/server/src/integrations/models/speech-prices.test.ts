import { expect, test } from 'vitest'
import { loadPrices, Prices, speechCostOf } from './prices.ts'

const NONE = { seconds: null, characters: null }

test('speech costs by the minute or by its characters, as its maker counts', () => {
  const prices = loadPrices(undefined)
  expect(speechCostOf(prices, 'openai/whisper-1', { ...NONE, seconds: 90 })).toBe(0.009)
  expect(speechCostOf(prices, 'openai/gpt-4o-mini-tts-2025-12-15', { seconds: 60, characters: 900 })).toBe(0.015)
  expect(speechCostOf(prices, 'openai/tts-1', { seconds: 60, characters: 900 })).toBe(0.0135)
  expect(speechCostOf(prices, 'openai/tts-1-hd', { seconds: 60, characters: 900 })).toBe(0.027)
})

test('what is not listed or not counted has no price; what the house speaks costs nothing', () => {
  const prices = loadPrices(undefined)
  expect(speechCostOf(prices, 'speech/kokoro', { seconds: 60, characters: 900 })).toBeNull()
  expect(speechCostOf(prices, '__proto__', { seconds: 60, characters: 900 })).toBeNull()
  expect(speechCostOf(prices, 'openai/tts-1', { ...NONE, seconds: 60 })).toBeNull()
  expect(speechCostOf(prices, 'builtin/flite', NONE)).toBe(0)
  expect(speechCostOf(prices, 'browser', NONE)).toBe(0)
})

test("an operator's table may leave speech out, or price a whole server", () => {
  const table = { asOf: '2026-01-31', currency: 'USD', per: 'million tokens', models: {} }
  expect(speechCostOf(Prices.parse(table), 'openai/tts-1', { seconds: 1, characters: 1 })).toBeNull()
  const own = Prices.parse({ ...table, speech: { 'speech/*': { minute: 0 } } })
  expect(speechCostOf(own, 'speech/kokoro', { ...NONE, seconds: 5 })).toBe(0)
  expect(Prices.safeParse({ ...table, speech: { 'a/b': { minute: 1, millionCharacters: 2 } } }).success).toBe(false)
})
