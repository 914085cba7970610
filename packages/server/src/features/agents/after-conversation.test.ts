import { CALL_ANALYSIS_PRESETS, CHAT_ANALYSIS_PRESETS, PII_CATEGORIES } from '@parley/contract/after-conversation'
import { CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { CreateChatAgentBody, UpdateChatAgentBody } from '@parley/contract/chat-agent'
import { CreateLlmBody, type Llm } from '@parley/contract/llm'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import { createEngineSource } from '../engines/stored-engines.ts'
import { CHAT_AGENT, VOICE_AGENT } from './agent-kind.ts'
import type { Engines } from './agent-ports.ts'
import { buildAgentWebhook, buildPostProcessingSettings } from './agent-resolver.ts'
import { createAgentService } from './agent-service.ts'

const LLM_ENGINE = { response_engine: { type: 'llm', llm_id: 'llm_1' } }

/** Creates agents of both kinds in workspace 1 on a minimal LLM. */
async function openAgents() {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const definition = CreateLlmBody.parse({}) as unknown as Llm
  await database.transaction((transaction) =>
    new VersionStore<Llm>('llm').insert(transaction, { id: 'llm_1', workspaceId: 1, now: 0 }, { definition }),
  )
  const engines = {
    llm: { ...createEngineSource<Llm>('llm'), findResponsiveness: async () => [] },
    'conversation-flow': createEngineSource('conversation-flow'),
  } as unknown as Engines
  let ids = 0
  const dependencies = {
    database,
    clock: createManualClock().clock,
    makeId: (prefix: string) => `${prefix}_${++ids}`,
    engines,
    voices: { has: async () => true, get: async () => ({ provider: null }) },
    removals: [],
    models: {
      forWorkspace: async () => ({ resolve: () => null, listConfigured: () => ['offline'], defaultModel: 'offline' }),
    },
  }
  const agents = createAgentService(VOICE_AGENT, dependencies)
  const chatAgents = createAgentService(CHAT_AGENT, dependencies)
  return {
    database,
    agents,
    chatAgents,
    addAgent: async () =>
      (await agents.create(1, CreateAgentBody.parse({ ...LLM_ENGINE, voice_id: 'voice_1' }))).response.agent_id,
    addChatAgent: async (body: object = {}) =>
      (await chatAgents.create(1, CreateChatAgentBody.parse({ ...LLM_ENGINE, ...body }))).response.agent_id,
    patchChatAgent: (agentId: string, body: object) =>
      chatAgents.update({ workspaceId: 1, id: agentId, ifMatch: null }, UpdateChatAgentBody.parse(body)),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const CHAT_DEFAULTS = {
  end_chat_after_silence_ms: 3_600_000,
  auto_close_message: null,
  data_storage_setting: 'everything',
  data_storage_retention_days: null,
  pii_config: null,
  webhook_url: null,
  webhook_events: ['chat_started', 'chat_ended', 'chat_analyzed'],
  webhook_timeout_ms: 10_000,
  post_chat_analysis_data: CHAT_ANALYSIS_PRESETS,
  post_chat_analysis_model: null,
}

const SET = {
  end_chat_after_silence_ms: 120_000,
  auto_close_message: 'Goodbye for now.',
  data_storage_setting: 'everything_except_pii',
  data_storage_retention_days: 30,
  pii_config: { categories: ['email'] },
  webhook_url: 'https://shop.example.com/hooks?key=1',
  webhook_events: ['chat_ended', 'transcript_updated'],
  webhook_timeout_ms: 2_000,
  post_chat_analysis_data: [{ type: 'number', name: 'rating', description: 'From one to five.' }],
  post_chat_analysis_model: 'fake/large',
}

const SET_ANSWER = { ...SET, pii_config: { mode: 'post_call', categories: ['email'] } }

describe('post-processing settings of agents', () => {
  test('an agent without these settings uses the defaults of its kind', async () => {
    await using opened = await openAgents()
    const chatAgent = await opened.chatAgents.get(1, await opened.addChatAgent(), 'latest')
    const agent = await opened.agents.get(1, await opened.addAgent(), 'latest')
    expect(chatAgent.response).toMatchObject(CHAT_DEFAULTS)
    expect(agent.response).toMatchObject({
      data_storage_setting: 'everything',
      webhook_events: ['call_started', 'call_ended', 'call_analyzed', 'chat_started', 'chat_ended', 'chat_analyzed'],
      post_call_analysis_data: CALL_ANALYSIS_PRESETS,
      post_call_analysis_model: null,
    })
    expect(agent.response).not.toHaveProperty('post_chat_analysis_data')
    expect(chatAgent.response).not.toHaveProperty('post_call_analysis_data')
  })

  test('returns what was set, keeps it when a PATCH omits it, and resets it to the default with null', async () => {
    await using opened = await openAgents()
    const agentId = await opened.addChatAgent(SET)
    expect((await opened.chatAgents.get(1, agentId, 'latest')).response).toMatchObject(SET_ANSWER)

    const silent = await opened.patchChatAgent(agentId, { agent_name: 'Renamed' })
    expect(silent.response).toMatchObject({ ...SET_ANSWER, agent_name: 'Renamed' })

    const cleared = Object.fromEntries(Object.keys(SET).map((name) => [name, null]))
    expect((await opened.patchChatAgent(agentId, cleared)).response).toMatchObject(CHAT_DEFAULTS)
  })

  test('an older definition without these settings uses the defaults, and an empty PATCH creates no version', async () => {
    await using opened = await openAgents()
    const agentId = await opened.addChatAgent()
    const definition = JSON.stringify({
      agent_name: 'Old',
      response_engine: { type: 'llm', llm_id: 'llm_1' },
      language: 'en-US',
      timezone: 'UTC',
      fallback_models: [],
      fallback_message: null,
    })
    await opened.database.transaction((transaction) =>
      transaction
        .updateTable('resource_versions')
        .set({ definition, frozen_at: 0 })
        .where('resource_id', '=', agentId)
        .execute(),
    )
    expect((await opened.chatAgents.get(1, agentId, 'latest')).response).toMatchObject({
      ...CHAT_DEFAULTS,
      agent_name: 'Old',
    })
    expect((await opened.patchChatAgent(agentId, {})).response.version).toBe(1)
    const edited = await opened.patchChatAgent(agentId, { webhook_timeout_ms: 3_000 })
    expect(edited.response).toMatchObject({ ...CHAT_DEFAULTS, version: 2, webhook_timeout_ms: 3_000 })
  })

  test('rejects bad values with their paths', () => {
    const bad = CreateChatAgentBody.safeParse({
      response_engine: { type: 'llm', llm_id: 'llm_1' },
      webhook_url: 'ftp://shop.example.com',
      webhook_events: ['call_started'],
      webhook_timeout_ms: 999,
      end_chat_after_silence_ms: 119_999,
      data_storage_retention_days: 731,
      data_storage_setting: 'nothing',
      pii_config: { categories: ['shoe_size'] },
      post_chat_analysis_data: [
        { type: 'enum', name: 'colour', description: '', choices: [] },
        { type: 'string', name: 'colour', description: '' },
      ],
    })
    expect(bad.error?.issues.map(({ path }) => path.join('.')).sort()).toEqual([
      'data_storage_retention_days',
      'data_storage_setting',
      'end_chat_after_silence_ms',
      'pii_config.categories.0',
      'post_chat_analysis_data.0.choices',
      'post_chat_analysis_data.1.name',
      'webhook_events.0',
      'webhook_timeout_ms',
      'webhook_url',
    ])
    expect(UpdateChatAgentBody.safeParse({ webhook_url: 'https://shop.example.com/a b' }).success).toBe(false)
    expect(UpdateAgentBody.safeParse({ webhook_events: ['call_ended', 'transcript_updated'] }).success).toBe(true)
  })
})

describe('what conversations use', () => {
  test('a voice agent uses its call analysis settings, a chat agent its chat analysis settings', () => {
    const items = [{ type: 'boolean' as const, name: 'booked', description: '' }]
    const analysed = { post_call_analysis_data: items, post_call_analysis_model: 'a/b' }
    expect(buildPostProcessingSettings({ ...analysed, voice_id: 'voice_1' })).toMatchObject({
      analysisItems: items,
      analysisModel: 'a/b',
    })
    expect(buildPostProcessingSettings({ agent_name: 'Ada', ...analysed })).toMatchObject({
      analysisItems: CHAT_ANALYSIS_PRESETS,
      analysisModel: null,
    })
  })

  test('no category means all categories', () => {
    expect(buildPostProcessingSettings({}).piiCategories).toEqual(PII_CATEGORIES)
    expect(buildPostProcessingSettings({ pii_config: { mode: 'post_call', categories: [] } }).piiCategories).toEqual(
      PII_CATEGORIES,
    )
    expect(
      buildPostProcessingSettings({ pii_config: { mode: 'post_call', categories: ['pin'] } }).piiCategories,
    ).toEqual(['pin'])
  })

  test('events carry the webhook URL and timeout of the agent', () => {
    expect(buildAgentWebhook({ webhook_url: 'https://shop.example.com', webhook_events: ['chat_ended'] })).toEqual({
      url: 'https://shop.example.com',
      events: ['chat_ended'],
      timeoutMs: 10_000,
    })
  })
})
