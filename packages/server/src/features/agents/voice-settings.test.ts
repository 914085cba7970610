import { type Agent, CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { CALL_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { copyDefaults } from '@parley/contract/agent-settings/setting'
import { CreateChatAgentBody } from '@parley/contract/chat-agent'
import { CreateConversationFlowBody } from '@parley/contract/conversation-flow'
import { CreateLlmBody, type Llm } from '@parley/contract/llm'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { notFound } from '../../kernel/errors.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import { createEngineSource } from '../engines/stored-engines.ts'
import { createToolVault } from '../engines/tool-vault.ts'
import { reversibleSecrets } from '../features-test-kit.ts'
import type { VoiceAgentDefinition } from './agent-definition.ts'
import { CHAT_AGENT, VOICE_AGENT } from './agent-kind.ts'
import type { Engines, VersionedFlow } from './agent-ports.ts'
import { createAgentResolver } from './agent-resolver.ts'
import { createAgentService } from './agent-service.ts'

const voicesOf = () =>
  new Map([
    ['voice_1', 'builtin'],
    ['voice_2', 'builtin'],
    ['voice_3', 'elevenlabs'],
  ])

const ENGINES = {
  llm: { response_engine: { type: 'llm', llm_id: 'llm_1' } },
  flow: { response_engine: { type: 'conversation-flow', conversation_flow_id: 'conversation_flow_1' } },
  'custom-llm': { response_engine: { type: 'custom-llm', llm_websocket_url: 'wss://example.com/llm' } },
}

async function openAgents() {
  const voices = voicesOf()
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const llm = CreateLlmBody.parse({ responsiveness: 'slow', begin_after_user_silence_ms: 4_000 }) as unknown as Llm
  const nodes = [{ id: 'a', type: 'conversation', instruction: { type: 'prompt', text: 'Be kind.' } }]
  const flow = CreateConversationFlowBody.parse({
    model_choice: { model: 'offline' },
    nodes,
    begin_after_user_silence_ms: 2_000,
  }) as unknown as VersionedFlow['definition']
  await database.transaction(async (transaction) => {
    const at = { workspaceId: 1, now: 0 }
    await new VersionStore<Llm>('llm').insert(transaction, { id: 'llm_1', ...at }, { definition: llm })
    const flows = new VersionStore<VersionedFlow['definition']>('conversation-flow')
    await flows.insert(transaction, { id: 'conversation_flow_1', ...at }, { definition: flow })
  })
  const engines = {
    llm: { ...createEngineSource<Llm>('llm'), findResponsiveness: async () => [] },
    'conversation-flow': { ...createEngineSource('conversation-flow'), findComponents: async () => new Map() },
  } as unknown as Engines
  let ids = 0
  const dependencies = {
    database,
    clock: createManualClock().clock,
    makeId: (prefix: string) => `${prefix}_${++ids}`,
    engines,
    voices: {
      has: async (_workspaceId: number, voiceId: string) => voices.has(voiceId),
      get: async (_workspaceId: number, voiceId: string) => {
        const provider = voices.get(voiceId)
        if (provider === undefined) throw notFound('voice', voiceId)
        return { provider }
      },
    },
    removals: [],
    models: {
      forWorkspace: async () => ({ resolve: () => ({}), listConfigured: () => ['offline'], defaultModel: 'offline' }),
    },
  }
  const agents = createAgentService(VOICE_AGENT, dependencies)
  const use = createAgentResolver({ database, engines, vault: createToolVault(reversibleSecrets) })
  return {
    database,
    voices,
    chatAgents: createAgentService(CHAT_AGENT, dependencies),
    create: async (body: object = {}): Promise<Agent> =>
      (await agents.create(1, CreateAgentBody.parse({ ...ENGINES.llm, voice_id: 'voice_1', ...body }))).response,
    patch: async (agentId: string, body: object): Promise<Agent> =>
      (await agents.update({ workspaceId: 1, id: agentId, ifMatch: null }, UpdateAgentBody.parse(body))).response,
    get: async (agentId: string): Promise<Agent> => (await agents.get(1, agentId, 'latest')).response,
    voice: async (agentId: string) => (await use.preview({ workspaceId: 1, agentId, version: 'latest' })).voice,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** Settings of every type, most of them different from their defaults. */
const SET: Partial<Pick<Agent, keyof typeof CALL_SETTINGS>> = {
  response_threshold: 900,
  interruption_sensitivity: 'low',
  ambient_sound: 'call-center',
  max_call_duration_ms: 3_600_000,
  voice_model: 'sonic-3',
  voice_temperature: 0.5,
  voice_speed: 1.2,
  voice_emotion: 'calm',
  volume: 1.5,
  fallback_voice_ids: ['voice_3'],
  ambient_sound_volume: 0.3,
  enable_backchannel: true,
  backchannel_frequency: 0.4,
  backchannel_words: ['right'],
  reminder_trigger_ms: 7_000,
  reminder_max_count: 0,
  begin_message_delay_ms: 700,
  end_call_after_silence_ms: 30_000,
  boosted_keywords: ['Parley', '{{product}}'],
  pronunciation_dictionary: [{ word: 'Parley', alphabet: 'cmu', phoneme: 'P AA1 R L IY0' }],
  normalize_for_speech: false,
  stt_mode: 'custom',
  custom_stt_config: { provider: 'openai', endpointing_ms: 300 },
  allow_user_dtmf: false,
  allow_dtmf_interruption: true,
  user_dtmf_options: { digit_limit: 4, termination_key: '#', timeout_ms: 5_000 },
  enable_dynamic_responsiveness: false,
}
const NAMES = Object.keys(SET)
const DEFAULTS = copyDefaults(CALL_SETTINGS)

describe('the voice settings of an agent', () => {
  test('have defaults, are kept as given and stay when a PATCH omits them', async () => {
    await using opened = await openAgents()
    expect(await opened.create()).toMatchObject(DEFAULTS)

    const { agent_id } = await opened.create(SET)
    expect(await opened.get(agent_id)).toMatchObject(SET)
    expect(await opened.patch(agent_id, { agent_name: 'Renamed' })).toMatchObject({ ...SET, agent_name: 'Renamed' })
    expect(await opened.patch(agent_id, { volume: 0 })).toMatchObject({ ...SET, volume: 0 })
  })

  test('return to their defaults with null, one at a time and on creation', async () => {
    await using opened = await openAgents()
    const nothing = Object.fromEntries(NAMES.map((name) => [name, null]))
    const created = await opened.create(nothing)
    expect(created).toMatchObject(DEFAULTS)

    const { agent_id } = await opened.create(SET)
    const one = await opened.patch(agent_id, { pronunciation_dictionary: null })
    expect(one).toMatchObject({ ...SET, pronunciation_dictionary: [] })
    expect(await opened.patch(agent_id, nothing)).toMatchObject(DEFAULTS)
  })

  test('complete partial options', async () => {
    await using opened = await openAgents()
    const given = { user_dtmf_options: { digit_limit: 6 }, custom_stt_config: { provider: 'openai' } }
    expect(await opened.create(given)).toMatchObject({
      user_dtmf_options: { digit_limit: 6, termination_key: null, timeout_ms: 3_000 },
      custom_stt_config: { provider: 'openai', endpointing_ms: null },
    })
  })

  test('belong to the version', async () => {
    await using opened = await openAgents()
    const { agent_id } = await opened.create(SET)
    const store = new VersionStore<VoiceAgentDefinition>('agent')
    const found = await store.find(opened.database.read, 1, agent_id, 1)
    expect(found?.definition).toMatchObject(SET)
    // Definitions stored before these settings were added lack them.
    const { voice_speed, user_dtmf_options, ...older } = found?.definition ?? {}
    const content = { definition: older as VoiceAgentDefinition, engine: found?.engine ?? null }
    await opened.database.transaction((transaction) =>
      store.insertNext(transaction, { id: agent_id, version: 2, now: 0 }, content),
    )
    const { voice_speed: speed, user_dtmf_options: dtmf } = DEFAULTS
    expect(await opened.get(agent_id)).toMatchObject({ ...SET, voice_speed: speed, user_dtmf_options: dtmf })
  })

  test.each([
    ['voice_temperature', 2.1],
    ['voice_speed', 0.4],
    ['voice_emotion', 'bored'],
    ['volume', -1],
    ['backchannel_frequency', 1.1],
    ['backchannel_words', ['']],
    ['reminder_trigger_ms', 0],
    ['reminder_max_count', -1],
    ['begin_message_delay_ms', 5_001],
    ['end_call_after_silence_ms', 9_999],
    ['boosted_keywords', [7]],
    ['pronunciation_dictionary', [{ word: 'a', alphabet: 'sampa', phoneme: 'x' }]],
    ['stt_mode', 'slow'],
    ['custom_stt_config', { provider: 'Open AI' }],
    ['user_dtmf_options', { termination_key: '##' }],
    ['user_dtmf_options', { timeout_ms: 999 }],
    ['user_dtmf_options', { digit_limit: 51 }],
  ])('%s rejects %j', (name, value) => {
    const result = CreateAgentBody.safeParse({ ...ENGINES.llm, voice_id: 'voice_1', [name]: value })
    expect(result.error?.issues.map(({ path }) => path[0])).toEqual([name])
  })
})

describe('fallback voices', () => {
  test('must be in the catalog and come from another vendor than the main voice', async () => {
    await using opened = await openAgents()
    const refused = (write: Promise<unknown>) =>
      write.then(
        () => [],
        ({ details }: { details: { path: string }[] }) => details.map(({ path }) => path),
      )
    const fallback_voice_ids = ['voice_9', 'voice_3', 'voice_2']
    const paths = ['fallback_voice_ids[0]', 'fallback_voice_ids[2]']
    expect(await refused(opened.create({ fallback_voice_ids }))).toEqual(paths)

    const { agent_id } = await opened.create({ fallback_voice_ids: ['voice_3'] })
    expect(await refused(opened.patch(agent_id, { fallback_voice_ids: ['voice_2'] }))).toEqual([
      'fallback_voice_ids[0]',
    ])
    expect(await refused(opened.patch(agent_id, { voice_id: 'voice_3' }))).toEqual(['fallback_voice_ids[0]'])
    const both = await opened.patch(agent_id, { voice_id: 'voice_3', fallback_voice_ids: ['voice_1'] })
    expect(both).toMatchObject({ voice_id: 'voice_3', fallback_voice_ids: ['voice_1'] })
  })

  test('that were deleted since do not block other changes', async () => {
    await using opened = await openAgents()
    const { agent_id } = await opened.create({ fallback_voice_ids: ['voice_3'] })
    opened.voices.delete('voice_3')
    expect(await opened.patch(agent_id, { voice_id: 'voice_2' })).toMatchObject({ voice_id: 'voice_2' })
  })
})

describe('what calls read from a pinned agent', () => {
  test('all settings, including those of the engine', async () => {
    await using opened = await openAgents()
    const { agent_id } = await opened.create(SET)
    expect(await opened.voice(agent_id)).toMatchObject({
      voiceId: 'voice_1',
      fallbackVoiceIds: ['voice_3'],
      voiceSpeed: 1.2,
      responseThresholdMs: 900,
      interruptionSensitivity: 'low',
      responsiveness: 'slow',
      beginAfterUserSilenceMs: 4_000,
      maxCallDurationMs: 3_600_000,
      customSttConfig: { provider: 'openai', endpointing_ms: 300 },
      userDtmf: { digit_limit: 4, termination_key: '#', timeout_ms: 5_000 },
    })
  })

  test.each([
    ['flow', 2_000],
    ['custom-llm', null],
  ] as const)('the settings with an engine of the kind %s', async (kind, beginAfterUserSilenceMs) => {
    await using opened = await openAgents()
    const { agent_id } = await opened.create(ENGINES[kind])
    expect(await opened.voice(agent_id)).toMatchObject({ responsiveness: 'balanced', beginAfterUserSilenceMs })
  })

  test('nothing from a chat-only agent', async () => {
    await using opened = await openAgents()
    const { response } = await opened.chatAgents.create(1, CreateChatAgentBody.parse(ENGINES.llm))
    expect(await opened.voice(response.agent_id)).toBeNull()
  })
})
