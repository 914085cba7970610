import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { CALL_ANALYSIS_PRESETS } from './after-conversation.ts'
import { CreateAgentBody, UpdateAgentBody } from './agent.ts'
import { CALL_SETTINGS } from './agent-settings/agent-settings.ts'
import { CALL_WEBHOOK_EVENTS, CHAT_WEBHOOK_EVENTS } from './agent-settings/outcome-settings.ts'
import { copyDefaults } from './agent-settings/setting.ts'
import { CreateChatBody, listChats, UpdateChatBody } from './chat.ts'
import { CreateCompletionBody } from './completion.ts'
import { operations } from './index.ts'
import { CreateLlmBody, UpdateLlmBody } from './llm.ts'
import type { Operation } from './operation.ts'
import { getEngineKind } from './response-engine.ts'

const engine = { type: 'llm', llm_id: 'llm_1' }
/** Create bodies do not accept this setting. */
const { max_call_duration_ms: _isSetByEdits, ...CALL_DEFAULTS } = copyDefaults(CALL_SETTINGS)
const agent = { workspaceId: 1, response_engine: engine, voice_id: 'voice_1' }
const chat = { workspaceId: 1, agentId: 'agent_1' }

describe('defaults', () => {
  test('LLM configurations need nothing; the server chooses the model', () => {
    const defaults = {
      display_name: '',
      model_temperature: null,
      general_prompt: '',
      begin_message: null,
      begin_after_user_silence_ms: null,
      responsiveness: 'balanced',
      general_tools: [],
      states: [],
      starting_state: null,
      mcps: [],
      knowledge_base_ids: [],
      kb_config: { top_k: 3, filter_score: 0 },
      default_dynamic_variables: {},
    }
    expect(CreateLlmBody.parse({})).toEqual(defaults)
    const cleared = Object.fromEntries(Object.keys(defaults).map((key) => [key, null]))
    expect(CreateLlmBody.parse(cleared)).toEqual(defaults)
  })

  test('agents need an engine and a voice', () => {
    expect(CreateAgentBody.parse(agent)).toEqual({
      ...agent,
      agent_name: '',
      language: 'en-US',
      timezone: 'UTC',
      fallback_models: [],
      fallback_message: null,
      ...CALL_DEFAULTS,
      end_chat_after_silence_ms: 3_600_000,
      auto_close_message: null,
      data_storage_setting: 'everything',
      data_storage_retention_days: null,
      pii_config: null,
      post_call_analysis_data: CALL_ANALYSIS_PRESETS,
      post_call_analysis_model: null,
      webhook_url: null,
      webhook_events: [...CALL_WEBHOOK_EVENTS, ...CHAT_WEBHOOK_EVENTS],
      webhook_timeout_ms: 10_000,
    })
  })

  test('chats need an agent', () => {
    const expected = { ...chat, type: 'web_chat', metadata: {}, customAttributes: {}, dynamicVariables: {} }
    expect(CreateChatBody.parse(chat)).toEqual(expected)
  })

  test('are not shared between requests', () => {
    expect(CreateLlmBody.parse({}).general_tools).not.toBe(CreateLlmBody.parse({}).general_tools)
  })
})

describe('PATCH: omitted fields stay absent and null becomes the default', () => {
  test('nothing', () => {
    expect(UpdateLlmBody.parse({})).toEqual({})
    expect(Object.keys(UpdateAgentBody.parse({}))).toEqual([])
    expect(Object.keys(UpdateChatBody.parse({}))).toEqual([])
  })

  test('null', () => {
    const llm = { general_prompt: null, begin_message: null, general_tools: null, responsiveness: null, model: null }
    const cleared = {
      general_prompt: '',
      begin_message: null,
      general_tools: [],
      responsiveness: 'balanced',
      model: null,
    }
    expect(UpdateLlmBody.parse(llm)).toEqual(cleared)
    const body = { agent_name: null, ambient_sound: null, max_call_duration_ms: null, fallback_models: null }
    const defaults = { agent_name: '', ambient_sound: 'none', max_call_duration_ms: 3_600_000, fallback_models: [] }
    expect(UpdateAgentBody.parse(body)).toEqual(defaults)
    expect(UpdateChatBody.parse({ metadata: null, override_dynamic_variables: null })).toEqual({
      metadata: {},
      override_dynamic_variables: {},
    })
  })
})

describe('words and decimals are returned as text', () => {
  test.each([
    ['slow', 'slow'],
    ['0.75', '0.75'],
    ['1', '1'],
    [0.5, '0.5'],
    [0, '0'],
    [1e-7, '0'],
    [1 / 3, '0.333333'],
  ])('%s → %s', (given, expected) => {
    expect(CreateLlmBody.parse({ responsiveness: given }).responsiveness).toBe(expected)
  })

  test.each(['', 'quick', '1.5', '-0.1', '1e-3', 2, -1, true])('%s is refused', (given) => {
    expect(CreateLlmBody.safeParse({ responsiveness: given }).success).toBe(false)
  })
})

test.each([
  ['llm', 'llm'],
  ['retell-llm', 'llm'],
  ['retell_llm', 'llm'],
  ['conversation-flow', 'conversation-flow'],
  ['conversation_flow', 'conversation-flow'],
  ['custom-llm', 'custom-llm'],
  ['custom_llm', 'custom-llm'],
] as const)('engine type %s is kept and means %s', (type, kind) => {
  const ids = { llm_id: 'llm_1', conversation_flow_id: 'conversation_flow_1', llm_websocket_url: 'wss://example.com/a' }
  const parsed = CreateAgentBody.parse({ ...agent, response_engine: { type, ...ids } }).response_engine
  expect(parsed.type).toBe(type)
  expect(getEngineKind(parsed.type)).toBe(kind)
})

describe('invalid bodies name every invalid field', () => {
  const refused: [string, z.ZodType, unknown, string[]][] = [
    [
      'LLM: types',
      CreateLlmBody,
      { display_name: 5, general_prompt: [], model: 'no spaces please' },
      ['display_name', 'model', 'general_prompt'],
    ],
    [
      'LLM: prompt of 128 KiB and one byte',
      CreateLlmBody,
      { general_prompt: 'x'.repeat(128 * 1024 + 1) },
      ['general_prompt'],
    ],
    ['LLM: temperature', UpdateLlmBody, { model_temperature: 1.1, version: 0 }, ['version', 'model_temperature']],
    ['LLM: a tool', CreateLlmBody, { general_tools: [{ type: 'custom', name: 'x' }] }, ['general_tools.0.url']],
    ['LLM: nested variables', CreateLlmBody, { default_dynamic_variables: { a: {} } }, ['default_dynamic_variables.a']],
    ['agent: nothing', CreateAgentBody, {}, ['response_engine', 'voice_id']],
    [
      'agent: engine without id',
      CreateAgentBody,
      { ...agent, response_engine: { type: 'llm' } },
      ['response_engine.llm_id'],
    ],
    ['agent: unknown engine', CreateAgentBody, { ...agent, response_engine: { type: 'x' } }, ['response_engine.type']],
    [
      'agent: http engine',
      CreateAgentBody,
      { ...agent, response_engine: { type: 'custom-llm', llm_websocket_url: 'https://a.b' } },
      ['response_engine.llm_websocket_url'],
    ],
    [
      'agent: ranges',
      CreateAgentBody,
      { ...agent, response_threshold: 5_001, ambient_sound: 'rain' },
      ['response_threshold', 'ambient_sound'],
    ],
    [
      'agent: zone and language',
      CreateAgentBody,
      { ...agent, timezone: 'Mars/Base', language: '??' },
      ['language', 'timezone'],
    ],
    [
      'agent: six fallbacks',
      CreateAgentBody,
      { ...agent, fallback_models: Array(6).fill('offline') },
      ['fallback_models'],
    ],
    ['agent: call duration', UpdateAgentBody, { max_call_duration_ms: 59_999 }, ['max_call_duration_ms']],
    ['agent: the voice cannot be cleared', UpdateAgentBody, { voice_id: null }, ['voice_id']],
    ['chat: no agent', CreateChatBody, { type: 'voice' }, ['agentId', 'type']],
    ['chat: metadata too large', CreateChatBody, { ...chat, metadata: { a: 'x'.repeat(51_200) } }, ['metadata']],
    ['chat: attributes', UpdateChatBody, { custom_attributes: [], metadata: 'x' }, ['metadata', 'custom_attributes']],
    ['completion: nothing', CreateCompletionBody, {}, ['content']],
    ['completion: blank', CreateCompletionBody, { content: ' \n\u2003' }, ['content']],
    [
      'completion: 32 KiB of two-byte letters',
      CreateCompletionBody,
      { content: 'é'.repeat(16 * 1024 + 1) },
      ['content'],
    ],
    ['workspace', CreateCompletionBody, { content: 'hi', workspaceId: 2 ** 31 }, ['workspaceId']],
    ['not an object', CreateChatBody, [], ['']],
  ]
  test.each(refused)('%s', (_, schema, body, paths) => {
    expect(schema.safeParse(body).error?.issues.map((issue) => issue.path.join('.'))).toEqual(paths)
  })
})

describe('date filters', () => {
  test.each([
    ['2026-03-01', '2026-03-01T00:00:00.000Z', '2026-03-01T23:59:59.999Z'],
    ['2026-03-01T10:00:00Z', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01T10:00:00.5+02:00', '2026-03-01T08:00:00.500Z', '2026-03-01T08:00:00.500Z'],
    ['2026-03-01T10:00:00', '2026-03-01T10:00:00.000Z', '2026-03-01T10:00:00.000Z'],
  ])('%s', (given, start, end) => {
    const query = listChats.query?.parse({ startDate: given, endDate: given })
    expect(query).toMatchObject({ startDate: Date.parse(start), endDate: Date.parse(end), limit: 50 })
  })

  test.each(['yesterday', '2026-02-30', '2026-1-1', ''])('%s is refused', (given) => {
    expect(listChats.query?.safeParse({ startDate: given }).success).toBe(false)
  })
})

test('no body or query makes a schema throw', () => {
  const schemas = Object.values<Operation>(operations).flatMap(({ body, query }) =>
    [body, query].filter((part) => part !== undefined),
  )
  const names = schemas.flatMap((schema) => ('shape' in schema ? Object.keys(schema.shape as object) : []))
  const bodies = fc.dictionary(fc.constantFrom(...new Set(names)), fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(fc.constantFrom(...schemas), fc.oneof(bodies, fc.jsonValue()), (schema, value) => {
      expect(typeof schema.safeParse(value).success).toBe('boolean')
    }),
    { numRuns: 1_000 },
  )
})
