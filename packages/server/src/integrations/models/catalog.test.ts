import type { LanguageModel } from '@parley/engine/ports'
import { expect, test } from 'vitest'
import { createModelCatalog, type ModelVendor } from './catalog.ts'
import { ChunkDispatcher, createTestClock } from './model-test-kit.ts'

const offline: LanguageModel = { name: 'offline', stream: async function* () {} }
const OPENAI: ModelVendor = { id: 'openai', wire: 'openai', baseUrl: 'https://api.openai.com/v1', apiKey: 'k' }
const ANTHROPIC: ModelVendor = {
  id: 'anthropic',
  wire: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  apiKey: 'k',
}
const LOCAL: ModelVendor = { id: 'local', wire: 'openai', baseUrl: 'http://127.0.0.1:11434/v1', apiKey: undefined }
const GEMINI: ModelVendor = {
  id: 'gemini',
  wire: 'openai',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  apiKey: 'k',
}

function catalogOf(...vendors: ModelVendor[]) {
  const http = new ChunkDispatcher([])
  return createModelCatalog({ vendors, offline, defaultModel: 'offline', http, clock: createTestClock() })
}

test('names are found by provider, by family, and else at the only server of the operator', () => {
  const catalog = catalogOf(OPENAI, ANTHROPIC, GEMINI, LOCAL)
  const nameOf = (name: string): string | null => catalog.resolve(name)?.name ?? null
  expect(nameOf('openai/gpt-4o')).toBe('openai/gpt-4o')
  expect(nameOf('local/meta-llama/Llama-3:8b')).toBe('local/meta-llama/Llama-3:8b')
  expect(nameOf('gpt-4.1-mini')).toBe('openai/gpt-4.1-mini')
  expect(nameOf('chatgpt-4o-latest')).toBe('openai/chatgpt-4o-latest')
  expect(nameOf('o3')).toBe('openai/o3')
  expect(nameOf('o4-mini')).toBe('openai/o4-mini')
  expect(nameOf('claude-sonnet-4-0')).toBe('anthropic/claude-sonnet-4-0')
  expect(nameOf('gemini-2.5-pro')).toBe('gemini/gemini-2.5-pro')
  expect(nameOf('gpt-oss:20b')).toBe('local/gpt-oss:20b')
  expect(nameOf('llama3.3')).toBe('local/llama3.3')
  expect(catalog.resolve('offline')).toBe(offline)
  expect(catalog.configured()).toEqual(['offline', 'openai/*', 'anthropic/*', 'gemini/*', 'local/*'])
  expect(catalog.defaultModel).toBe('offline')
})

test('what nobody serves is null', () => {
  expect(catalogOf(OPENAI).resolve('claude-3-5-haiku-latest')).toBeNull()
  expect(catalogOf(OPENAI).resolve('llama3.3')).toBeNull()
  expect(catalogOf(OPENAI, LOCAL).resolve('anthropic/claude-sonnet-4-0')).toBeNull()
  expect(catalogOf(LOCAL, { ...LOCAL, id: 'other' }).resolve('llama3.3')).toBeNull()
  expect(catalogOf().resolve('gpt-4o')).toBeNull()
  for (const name of ['', '/', '/x', 'openai/', 'a b', 'gpt-4o\n', `gpt-${'x'.repeat(300)}`]) {
    expect(catalogOf(OPENAI, LOCAL).resolve(name)).toBeNull()
  }
})

test('a name gives the same object again, with its window; the oldest of many are forgotten', () => {
  const catalog = catalogOf(OPENAI)
  const first = catalog.resolve('gpt-4o')
  expect(catalog.resolve('openai/gpt-4o')).toBe(first)
  expect(first?.contextTokens).toBe(128_000)
  expect(catalog.resolve('openai/gpt-4')?.contextTokens).toBe(8_192)
  expect(catalog.resolve('gpt-4.1-mini')?.contextTokens).toBe(1_047_576)
  expect(catalog.resolve('openai/mystery')?.contextTokens).toBeUndefined()
  for (let index = 0; index < 190; index += 1) catalog.resolve(`openai/m${index}`)
  expect(catalog.resolve('gpt-4o')).toBe(first)
  for (let index = 200; index < 401; index += 1) catalog.resolve(`openai/m${index}`)
  expect(catalog.resolve('gpt-4o')).not.toBe(first)
})

test('an operator who names a provider badly is told', () => {
  expect(() => catalogOf(LOCAL, LOCAL)).toThrow('twice')
  expect(() => catalogOf({ ...LOCAL, id: 'offline' })).toThrow('cannot be the name')
  expect(() => catalogOf({ ...LOCAL, id: 'a/b' })).toThrow('cannot be the name')
  expect(() => catalogOf({ ...LOCAL, baseUrl: 'ftp://x' })).toThrow('http')
  expect(() => catalogOf({ ...LOCAL, baseUrl: 'not an address' })).toThrow('http')
})
