import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { calculateModelCost, calculateSpeechCost, loadPrices, Prices } from './prices.ts'

const usage = { inputTokens: 1_000, outputTokens: 100, cachedInputTokens: 400 }

function withPricesFile<Result>(content: string, use: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'prices-'))
  try {
    writeFileSync(join(folder, 'prices.json'), content)
    return use(join(folder, 'prices.json'))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('calculates costs of fresh, cached and output tokens with the built-in table', () => {
  const prices = loadPrices(undefined)
  // 600 × 2 + 400 × 0.5 + 100 × 8, in millionths.
  expect(calculateModelCost(prices, 'openai/gpt-4.1', usage)).toBe(0.0022)
  expect(calculateModelCost(prices, 'openai/gpt-4.1-2025-04-14', usage)).toBe(0.0022)
  expect(calculateModelCost(prices, 'anthropic/claude-3-5-haiku-latest', { ...usage, cachedInputTokens: 0 })).toBe(
    0.0012,
  )
  expect(calculateModelCost(prices, 'anthropic/claude-sonnet-4-20250514', usage)).toBe(0.00342)
  // The oldest snapshot has its own price and no discount for cached input.
  expect(calculateModelCost(prices, 'openai/gpt-4o-2024-05-13', usage)).toBe(0.0065)
})

test('returns null for unlisted models and unknown usage', () => {
  const prices = loadPrices(undefined)
  for (const model of [
    'openai/gpt-4o-audio-preview',
    'openai/gpt-4.1x',
    'gpt-4.1',
    'local/gpt-4.1',
    'openai/',
    '',
    '__proto__',
  ]) {
    expect(calculateModelCost(prices, model, usage)).toBeNull()
  }
  expect(calculateModelCost(prices, 'openai/gpt-4.1', null)).toBeNull()
  expect(calculateModelCost(prices, 'offline', null)).toBe(0)
})

test('rounds costs to 6 decimals', () => {
  const prices = loadPrices(undefined)
  expect(
    calculateModelCost(prices, 'openai/gpt-4.1-nano', { inputTokens: 7, outputTokens: 0, cachedInputTokens: 0 }),
  ).toBe(0.000001)
})

test("replaces the built-in table with the operator's table, which can use wildcards", () => {
  const table: Prices = {
    asOf: '2026-01-31',
    currency: 'USD',
    per: 'million tokens',
    models: { 'local/*': { input: 0, output: 0 }, 'local/big*': { input: 1, output: 10 } },
  }
  withPricesFile(JSON.stringify(table), (path) => {
    const prices = loadPrices(path)
    expect(calculateModelCost(prices, 'local/small', usage)).toBe(0)
    expect(calculateModelCost(prices, 'local/bigger', usage)).toBe(0.002)
    expect(calculateModelCost(prices, 'openai/gpt-4.1', usage)).toBeNull()
  })
})

test('reports every mistake in an invalid table', () => {
  withPricesFile('{', (path) => expect(() => loadPrices(path)).toThrow('cannot be read as JSON'))
  const bad = { asOf: 'yesterday', currency: 'USD', per: 'million tokens', models: { 'a/b': { input: -1, output: 1 } } }
  withPricesFile(JSON.stringify(bad), (path) => {
    expect(() => loadPrices(path)).toThrow(/asOf: [\s\S]*models\.a\/b\.input: /)
  })
  expect(() => loadPrices('/nowhere/prices.json')).toThrow('cannot be read')
})

const NO_USAGE = { seconds: null, characters: null }

test('calculates speech costs by minutes or characters', () => {
  const prices = loadPrices(undefined)
  expect(calculateSpeechCost(prices, 'openai/whisper-1', { ...NO_USAGE, seconds: 90 })).toBe(0.009)
  expect(calculateSpeechCost(prices, 'openai/gpt-4o-mini-tts-2025-12-15', { seconds: 60, characters: 900 })).toBe(0.015)
  expect(calculateSpeechCost(prices, 'openai/tts-1', { seconds: 60, characters: 900 })).toBe(0.0135)
  expect(calculateSpeechCost(prices, 'openai/tts-1-hd', { seconds: 60, characters: 900 })).toBe(0.027)
})

test('returns null for unlisted speech and 0 for built-in speech', () => {
  const prices = loadPrices(undefined)
  expect(calculateSpeechCost(prices, 'speech/kokoro', { seconds: 60, characters: 900 })).toBeNull()
  expect(calculateSpeechCost(prices, '__proto__', { seconds: 60, characters: 900 })).toBeNull()
  expect(calculateSpeechCost(prices, 'openai/tts-1', { ...NO_USAGE, seconds: 60 })).toBeNull()
  expect(calculateSpeechCost(prices, 'builtin/flite', NO_USAGE)).toBe(0)
  expect(calculateSpeechCost(prices, 'browser', NO_USAGE)).toBe(0)
})

test("accepts an operator's table with or without speech prices", () => {
  const table = { asOf: '2026-01-31', currency: 'USD', per: 'million tokens', models: {} }
  expect(calculateSpeechCost(Prices.parse(table), 'openai/tts-1', { seconds: 1, characters: 1 })).toBeNull()
  const pricesWithSpeech = Prices.parse({ ...table, speech: { 'speech/*': { minute: 0 } } })
  expect(calculateSpeechCost(pricesWithSpeech, 'speech/kokoro', { ...NO_USAGE, seconds: 5 })).toBe(0)
  expect(Prices.safeParse({ ...table, speech: { 'a/b': { minute: 1, millionCharacters: 2 } } }).success).toBe(false)
})
