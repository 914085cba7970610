import { CreateAgentBody, UpdateAgentBody } from '@parley/contract/agent'
import { AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { defaultsOf } from '@parley/contract/agent-settings/setting'
import { CreateLlmBody, type Llm } from '@parley/contract/llm'
import { manualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { interruptedDatabase } from '../../../../../testing/interrupted-database.ts'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Transaction } from '../../kernel/storage/database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import { createEngineSource } from '../engines/stored-engine-source.ts'
import { createToolVault } from '../engines/tool-vault.ts'
import { reversibleSecrets } from '../features-test-kit.ts'
import type { Engines } from './agent-ports.ts'
import { createAgentService } from './agent-service.ts'
import { createAgentUse } from './agent-use.ts'
import { VOICE_AGENT } from './voice-agent-kind.ts'

const llmStore = new VersionStore<Llm>('llm')

/** Engines straight from the store, without their features. */
const engines: Engines = {
  llm: {
    ...createEngineSource<Llm>('llm'),
    findResponsiveness: (reader, workspaceId, references) =>
      Promise.all(
        references.map(async ({ id, version }) => {
          const found = await llmStore.find(reader, workspaceId, id, version ?? 'latest')
          return found?.definition.responsiveness ?? null
        }),
      ),
  },
  'conversation-flow': { ...createEngineSource('conversation-flow'), findComponents: async () => new Map() },
}

/** Each workspace has an LLM; the first one a conversation flow as well. */
async function addEngines(transaction: Transaction): Promise<void> {
  for (const workspaceId of [1, 2]) {
    const definition = CreateLlmBody.parse({ responsiveness: 'balanced' }) as unknown as Llm
    await llmStore.insert(transaction, { id: `llm_${workspaceId}`, workspaceId, now: 0 }, { definition })
  }
  const flows = new VersionStore('conversation-flow')
  await flows.insert(transaction, { id: 'conversation_flow_1', workspaceId: 1, now: 0 }, { definition: {} })
}

async function openAgents() {
  const database = await temporaryDatabase()
  const interrupted = interruptedDatabase(database)
  const time = manualClock()
  const { clock } = time
  await seedWorkspaces(database)
  await database.transaction(addEngines)
  let ids = 0
  const ended: string[] = []
  const agents = createAgentService(VOICE_AGENT, {
    database: interrupted.database,
    clock,
    makeId: (prefix) => `${prefix}_${++ids}`,
    engines,
    voices: {
      has: async (_workspaceId, voiceId) => voiceId === 'voice_1',
      get: async () => ({ provider: 'builtin' }),
    },
    removals: [
      {
        agentRemoved: async (transaction, { agentId }) => {
          // Still there: everything lets go in the transaction that removes the agent.
          const row = await transaction
            .selectFrom('resources')
            .select('kind')
            .where('resource_id', '=', agentId)
            .execute()
          ended.push(`${agentId}:${row.length}`)
        },
      },
    ],
    models: {
      forWorkspace: async () => ({
        resolve: (name) => (name === 'offline' ? {} : null),
        configured: () => ['offline'],
        defaultModel: 'offline',
      }),
    },
  })
  const agentUse = createAgentUse({ database, engines, vault: createToolVault(reversibleSecrets) })
  const minimal = { response_engine: { type: 'llm', llm_id: 'llm_1' }, voice_id: 'voice_1' }
  return {
    agents,
    time,
    ended,
    beforeNextWrite: interrupted.beforeNextWrite,
    begun: interrupted.begun,
    create: (body: object = {}) => agents.create(1, CreateAgentBody.parse({ ...minimal, ...body })),
    patch: (agentId: string, body: object, options: { version?: number; ifMatch?: number } = {}) =>
      agents.update(
        { workspaceId: 1, agentId, version: options.version, ifMatch: options.ifMatch ?? null },
        UpdateAgentBody.parse(body),
      ),
    use: (agentId: string, version: number | 'active' = 'active') =>
      database.transaction((transaction) =>
        agentUse.pin(transaction, { workspaceId: 1, agentId, version, now: clock.now() }),
      ),
    /** Past the database that is interrupted. */
    activate: (agentId: string) =>
      database.transaction((transaction) =>
        new VersionStore('agent').activate(transaction, { id: agentId, version: 1, now: clock.now() }),
      ),
    activeVersion: async (agentId: string) => (await agents.get(1, agentId, 'active')).answer.version,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

/** A name is given by every test. */
const { agent_name: _isGiven, ...AGENT_DEFAULTS } = defaultsOf(AGENT_SETTINGS)

const target = (agentId: string, ifMatch: number | null = null) => ({ workspaceId: 1, agentId, ifMatch })

describe('creating', () => {
  test('fills in every default and answers what a read answers', async () => {
    await using feature = await openAgents()
    const { answer, editCount } = await feature.create({ agent_name: 'Desk' })
    expect(answer).toEqual({
      agent_id: 'agent_1',
      workspaceId: 1,
      version: 1,
      agent_name: 'Desk',
      voice_id: 'voice_1',
      response_engine: { type: 'llm', llm_id: 'llm_1', version: null },
      responsiveness: 'balanced',
      ...AGENT_DEFAULTS,
      is_published: false,
      is_frozen: false,
      is_active: true,
      version_title: null,
      version_description: null,
      created_at: '2026-01-05T12:00:00.000Z',
      updated_at: '2026-01-05T12:00:00.000Z',
      warnings: [],
    })
    expect(editCount).toBe(1)
    const { warnings, ...read } = answer
    expect(await feature.agents.get(1, 'agent_1', 'active')).toEqual({ answer: read, editCount: 1 })
  })

  test('refuses an unknown voice, LLM and LLM version with the path of each', async () => {
    await using feature = await openAgents()
    const engine = (fields: object) => ({ response_engine: { type: 'llm', ...fields } })
    const paths = async (body: object) => {
      const error = await feature.create(body).then(
        () => null,
        (reason: { code: string; details: { path: string }[] }) => reason,
      )
      return [error?.code, error?.details.map(({ path }) => path)]
    }
    expect(await paths({ voice_id: 'voice_9' })).toEqual(['invalid_request', ['voice_id']])
    expect(await paths(engine({ llm_id: 'llm_2' }))).toEqual(['invalid_request', ['response_engine.llm_id']])
    expect(await paths(engine({ llm_id: 'llm_2', version: 1 }))).toEqual([
      'invalid_request',
      ['response_engine.llm_id'],
    ])
    expect(await paths(engine({ llm_id: 'llm_1', version: 2 }))).toEqual([
      'invalid_request',
      ['response_engine.version'],
    ])
    expect(await paths({ voice_id: 'voice_9', ...engine({ llm_id: 'llm_9' }) })).toEqual([
      'invalid_request',
      ['voice_id', 'response_engine.llm_id'],
    ])
    expect((await feature.agents.list(1, { limit: 10, after: null })).items).toEqual([])
  })

  test.each([
    [{ type: 'conversation_flow', conversation_flow_id: 'conversation_flow_1', version: 1 }, 1],
    [{ type: 'custom-llm', llm_websocket_url: 'wss://example.com/llm' }, null],
  ])('stores any engine as given: %o', async (engine, version) => {
    await using feature = await openAgents()
    const { answer } = await feature.create({ response_engine: engine, fallback_models: ['acme/x', 'offline'] })
    expect(answer.response_engine).toEqual({ ...engine, version })
    expect(answer.responsiveness).toBe('fast')
    expect(answer.warnings).toEqual([expect.stringContaining('"acme/x"')])
  })
})

describe('editing', () => {
  test('changes an unused draft in place, clears with null and keeps what is absent', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk', timezone: 'Europe/Rome', fallback_message: 'Sorry.' })
    const changes = { fallback_message: null, max_call_duration_ms: 60_000 }
    const { answer, editCount } = await feature.patch('agent_1', { ...changes, timezone: null })
    expect(answer).toMatchObject({ version: 1, agent_name: 'Desk', timezone: 'UTC', ...changes })
    expect(editCount).toBe(2)
  })

  test('makes the next version of a used one; freezing did not count as an edit', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'One' })
    await feature.use('agent_1')
    expect(await feature.agents.get(1, 'agent_1', 1)).toMatchObject({ editCount: 1, answer: { is_frozen: true } })
    const { answer, editCount } = await feature.patch('agent_1', { agent_name: 'Two' }, { ifMatch: 1 })
    expect(answer).toMatchObject({ version: 2, is_frozen: false, is_active: true, agent_name: 'Two' })
    expect(answer.response_engine).toMatchObject({ version: null })
    expect(editCount).toBe(2)
    expect((await feature.agents.get(1, 'agent_1', 1)).answer).toMatchObject({ agent_name: 'One', is_active: false })
  })

  test('that changes nothing makes no version and does not count', async () => {
    await using feature = await openAgents()
    const body = { agent_name: 'One', fallback_models: ['offline'] }
    await feature.create(body)
    await feature.use('agent_1')
    const engine = { response_engine: { type: 'llm', llm_id: 'llm_1' } }
    for (const same of [{}, body, engine, { voice_id: 'voice_1', timezone: null }]) {
      expect(await feature.patch('agent_1', same)).toMatchObject({ editCount: 1, answer: { version: 1 } })
    }
    const pinned = await feature.patch('agent_1', { response_engine: { ...engine.response_engine, version: 1 } })
    expect(pinned).toMatchObject({ editCount: 2, answer: { version: 2, response_engine: { version: 1 } } })
  })

  test('is refused for frozen and unknown versions, bad references and outdated edit counts', async () => {
    await using feature = await openAgents()
    await feature.create()
    await feature.use('agent_1')
    const edit = { agent_name: 'x' }
    await expect(feature.patch('agent_1', edit, { version: 1 })).rejects.toMatchObject({ code: 'version_frozen' })
    await expect(feature.patch('agent_1', edit, { version: 2 })).rejects.toMatchObject({ code: 'not_found' })
    await expect(feature.patch('agent_1', edit, { ifMatch: 2 })).rejects.toMatchObject({ code: 'version_conflict' })
    await expect(feature.patch('agent_1', { voice_id: 'voice_9' })).rejects.toMatchObject({
      details: [{ path: 'voice_id' }],
    })
    await expect(feature.patch('agent_1', { response_engine: { type: 'llm', llm_id: 'llm_2' } })).rejects.toMatchObject(
      { details: [{ path: 'response_engine.llm_id' }] },
    )
    expect(await feature.agents.get(1, 'agent_1', 'latest')).toMatchObject({ editCount: 1, answer: { version: 1 } })
  })
})

describe('edits at the same time', () => {
  test('are all made, each on what the one before it left', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const changes = [
      { fallback_message: 'Sorry.' },
      { timezone: 'Europe/Rome' },
      ...Array.from({ length: 20 }, (_, index) => ({ agent_name: `Desk ${index}` })),
    ]
    const transactions = feature.begun.transactions
    const edits = await Promise.all(changes.map((body) => feature.patch('agent_1', body)))
    // Together, not one by one: that many rivals for one row make each other wait on PostgreSQL.
    expect(feature.begun).toEqual({ transactions, batches: 2 })
    expect(edits.map(({ editCount }) => editCount).sort((a, b) => a - b)).toEqual(changes.map((_, index) => index + 2))
    const { answer, editCount } = await feature.agents.get(1, 'agent_1', 'latest')
    expect(editCount).toBe(23)
    expect(answer).toMatchObject({ version: 1, fallback_message: 'Sorry.', timezone: 'Europe/Rome' })
  })

  test('of one who knows the same edit count let exactly one through', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const names = ['One', 'Two', 'Three', 'Four']
    const edits = await Promise.allSettled(
      names.map((name) => feature.patch('agent_1', { agent_name: name }, { ifMatch: 1 })),
    )
    expect(edits.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const edit of edits) {
      if (edit.status === 'rejected') expect(edit.reason).toMatchObject({ code: 'version_conflict' })
    }
    expect((await feature.agents.get(1, 'agent_1', 'latest')).editCount).toBe(2)
  })

  test('that are refused leave the others alone, also beside a rival that wins', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    feature.beforeNextWrite(() => feature.activate('agent_1'))
    const { transactions } = feature.begun
    const edits = await Promise.allSettled([
      feature.patch('agent_1', { timezone: 'Europe/Rome' }),
      feature.patch('agent_1', { agent_name: 'Two' }, { ifMatch: 1 }),
      feature.patch('agent_1', { response_engine: { type: 'llm', llm_id: 'llm_2' } }),
      feature.patch('agent_1', { fallback_message: 'Sorry.' }, { ifMatch: 9 }),
      feature.patch('agent_1', { agent_name: 'Three' }),
    ])
    expect(edits.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'])
    // Only the edit that names an engine needs a unit of work; the others are decided anew.
    expect(feature.begun.transactions).toBe(transactions + 1)
    const { answer, editCount } = await feature.agents.get(1, 'agent_1', 'latest')
    expect(answer).toMatchObject({ agent_name: 'Three', timezone: 'Europe/Rome', fallback_message: null })
    expect(editCount).toBe(4)
  })

  test('of another workspace find nothing, whoever comes first', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const foreign = { ...target('agent_1'), workspaceId: 2 }
    const edits = await Promise.allSettled([
      feature.agents.update(foreign, UpdateAgentBody.parse({ agent_name: 'Stolen' })),
      feature.patch('agent_1', { timezone: 'Europe/Rome' }),
      feature.agents.update(foreign, UpdateAgentBody.parse({ agent_name: 'Stolen' })),
    ])
    expect(edits).toMatchObject([
      { status: 'rejected', reason: { code: 'not_found' } },
      { status: 'fulfilled' },
      { status: 'rejected', reason: { code: 'not_found' } },
    ])
    expect((await feature.agents.get(1, 'agent_1', 'latest')).answer.agent_name).toBe('Desk')
  })

  test('leave a version alone that is used before they are written, and make the next one', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'One' })
    feature.beforeNextWrite(() => feature.use('agent_1'))
    const { answer, editCount } = await feature.patch('agent_1', { agent_name: 'Two' })
    expect([answer.version, editCount]).toEqual([2, 2])
    expect((await feature.agents.get(1, 'agent_1', 1)).answer).toMatchObject({ agent_name: 'One', is_frozen: true })
  })
})

describe('the active version', () => {
  test('is the newest, then the highest published, then the activated one, and back', async () => {
    await using feature = await openAgents()
    const { agents, activeVersion } = feature
    await feature.create()
    await feature.use('agent_1')
    await feature.patch('agent_1', { agent_name: 'Two' })
    expect(await activeVersion('agent_1')).toBe(2)

    const first = await agents.publish({ ...target('agent_1'), version: 1 }, { title: 'First' })
    expect(first).toMatchObject({ editCount: 3, answer: { version: 1, is_active: true, version_title: 'First' } })
    expect(await activeVersion('agent_1')).toBe(1)
    expect((await agents.get(1, 'agent_1', 'latest')).answer).toMatchObject({ version: 2, is_active: false })

    const newest = await agents.publish(target('agent_1'), {})
    expect(newest).toMatchObject({ editCount: 4, answer: { version: 2, is_active: true, is_frozen: true } })
    expect(newest.answer.response_engine).toMatchObject({ version: 1 })

    const rollback = await agents.activate({ ...target('agent_1'), version: 1 })
    expect(rollback).toMatchObject({ editCount: 5, answer: { version: 1, is_active: true } })
    expect(await feature.use('agent_1')).toMatchObject({ agentVersion: 1 })
    await feature.patch('agent_1', { agent_name: 'Three' })
    expect(await activeVersion('agent_1')).toBe(1)

    const cleared = await agents.activate({ ...target('agent_1'), version: null })
    expect(cleared).toMatchObject({ editCount: 7, answer: { version: 2, is_active: true } })
    const { items } = await agents.list(1, { limit: 10, after: null })
    expect(items).toMatchObject([{ version: 3, is_active: false }])
  })

  test('may be a draft, which activation leaves unfrozen', async () => {
    await using feature = await openAgents()
    await feature.create()
    const { answer } = await feature.agents.activate({ ...target('agent_1'), version: 1 })
    expect(answer).toMatchObject({ is_active: true, is_frozen: false })
    expect((await feature.patch('agent_1', { agent_name: 'Edited' })).answer).toMatchObject({ version: 1 })
  })

  test('cannot be one that does not exist, nor be moved with an outdated edit count', async () => {
    await using feature = await openAgents()
    await feature.create()
    const { agents } = feature
    await expect(agents.activate({ ...target('agent_1'), version: 2 })).rejects.toMatchObject({ code: 'not_found' })
    await expect(agents.publish({ ...target('agent_1'), version: 2 }, {})).rejects.toMatchObject({ code: 'not_found' })
    const conflict = { code: 'version_conflict' }
    await expect(agents.activate({ ...target('agent_1', 9), version: 1 })).rejects.toMatchObject(conflict)
    await expect(agents.publish(target('agent_1', 9), {})).rejects.toMatchObject(conflict)
    await expect(agents.remove(target('agent_1', 9))).rejects.toMatchObject(conflict)
  })
})

test('deleting ends the conversations in the same transaction and removes every version', async () => {
  await using feature = await openAgents()
  await feature.create()
  await feature.use('agent_1')
  await feature.patch('agent_1', { agent_name: 'Two' })
  await feature.agents.remove(target('agent_1', 2))
  expect(feature.ended).toEqual(['agent_1:1'])
  await expect(feature.agents.get(1, 'agent_1', 1)).rejects.toMatchObject({ code: 'not_found' })
  await expect(feature.agents.remove(target('agent_1'))).rejects.toMatchObject({ code: 'not_found' })
})

test('lists answer the newest first, page by page, also those of versions', async () => {
  await using feature = await openAgents()
  const { agents } = feature
  await feature.create({ agent_name: 'A' })
  await feature.time.advance(1)
  await feature.create({ agent_name: 'B' })
  const first = await agents.list(1, { limit: 1, after: null })
  const second = await agents.list(1, { limit: 1, after: first.next })
  expect([...first.items, ...second.items].map(({ agent_name }) => agent_name)).toEqual(['B', 'A'])
  expect(second.next).toBeNull()

  await feature.use('agent_1')
  await feature.patch('agent_1', { agent_name: 'A2' })
  const newest = await agents.listVersions(1, 'agent_1', { limit: 1, after: null })
  expect(newest.items).toMatchObject([{ agent_id: 'agent_1', version: 2, is_frozen: false }])
  const older = await agents.listVersions(1, 'agent_1', { limit: 1, after: newest.next })
  expect(older).toMatchObject({ items: [{ version: 1, is_frozen: true }], next: null })
})

test('an agent of another workspace does not exist', async () => {
  await using feature = await openAgents()
  await feature.create()
  const { agents } = feature
  const elsewhere = { workspaceId: 2, agentId: 'agent_1', ifMatch: null }
  const attempts = [
    () => agents.get(2, 'agent_1', 'active'),
    () => agents.get(2, 'agent_1', 1),
    () => agents.update(elsewhere, UpdateAgentBody.parse({ agent_name: 'x' })),
    () => agents.publish(elsewhere, {}),
    () => agents.activate({ ...elsewhere, version: 1 }),
    () => agents.remove(elsewhere),
    () => agents.listVersions(2, 'agent_1', { limit: 10, after: null }),
  ]
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  expect((await agents.list(2, { limit: 10, after: null })).items).toEqual([])
  expect(feature.ended).toEqual([])
})
