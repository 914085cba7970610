import { CreateLlmBody, UpdateLlmBody } from '@parley/contract/llm'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createToolVault } from '../engines/tool-vault.ts'
import { reversibleSecrets } from '../features-test-kit.ts'
import { createLlmService } from './llm-service.ts'
import { createLlmSource } from './llm-source.ts'

async function openLlms() {
  const database = await temporaryDatabase()
  const time = createManualClock()
  let ids = 0
  await seedWorkspaces(database)
  const followed: unknown[] = []
  const llms = createLlmService({
    database,
    clock: time.clock,
    makeId: (prefix) => `${prefix}_${++ids}`,
    models: {
      forWorkspace: async () => ({
        resolve: (name) => (name === 'offline' ? {} : null),
        listConfigured: () => ['offline', 'fake/*'],
        defaultModel: 'offline',
      }),
    },
    followers: {
      follow: async (_transaction, change) => {
        followed.push(change)
        return []
      },
    },
    users: { findUsers: async () => [] },
    vault: createToolVault(reversibleSecrets),
  })
  return {
    database,
    llms,
    time,
    followed,
    create: (body: object = {}) => llms.create(1, CreateLlmBody.parse(body)),
    patch: (llmId: string, body: object, options: { version?: number; ifMatch?: number } = {}) =>
      llms.update(
        { workspaceId: 1, id: llmId, version: options.version, ifMatch: options.ifMatch ?? null },
        UpdateLlmBody.parse(body),
      ),
    /** Simulates the first conversation on the engine's version. */
    use: (id: string, version: number) =>
      database.transaction((transaction) =>
        createLlmSource().freeze(transaction, { id, version, now: time.clock.now() }),
      ),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

const target = (llmId: string, ifMatch: number | null = null) => ({ workspaceId: 1, id: llmId, ifMatch })

describe('creating', () => {
  test('fills in every default and returns the same as a read', async () => {
    await using feature = await openLlms()
    const { response, editCount } = await feature.create()
    expect(response).toEqual({
      llm_id: 'llm_1',
      workspaceId: 1,
      display_name: '',
      version: 1,
      model: 'offline',
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
      is_published: false,
      is_frozen: false,
      version_title: null,
      version_description: null,
      created_at: '2026-01-05T12:00:00.000Z',
      updated_at: '2026-01-05T12:00:00.000Z',
      warnings: [],
    })
    expect(editCount).toBe(1)
    const { warnings, ...read } = response
    expect(await feature.llms.get(1, 'llm_1', 'active')).toEqual({ response: read, editCount: 1 })
  })

  test('keeps a model that no vendor serves, with a warning that lists configured ones', async () => {
    await using feature = await openLlms()
    const { response } = await feature.create({ model: 'acme/large' })
    expect(response.model).toBe('acme/large')
    expect(response.warnings).toEqual([expect.stringMatching(/"acme\/large".*offline, fake\/\*/)])
  })

  test('accepts knowledge bases with their settings and warns of missing ones', async () => {
    await using feature = await openLlms()
    const { response } = await feature.create({ knowledge_base_ids: ['gone'], kb_config: { top_k: 5 } })
    expect(response).toMatchObject({ knowledge_base_ids: ['gone'], kb_config: { top_k: 5, filter_score: 0 } })
    expect(response.warnings).toEqual(['The knowledge base "gone" does not exist: it is skipped.'])
    const changed = await feature.patch('llm_1', { kb_config: { filter_score: 0.4 } })
    expect(changed.response.kb_config).toEqual({ top_k: 3, filter_score: 0.4 })
    const cleared = await feature.patch('llm_1', { knowledge_base_ids: null, kb_config: null })
    expect(cleared.response).toMatchObject({
      knowledge_base_ids: [],
      kb_config: { top_k: 3, filter_score: 0 },
      warnings: [],
    })
  })
})

describe('editing', () => {
  test('changes an unused draft in place and counts as an edit', async () => {
    await using feature = await openLlms()
    await feature.create({ display_name: 'Desk', begin_message: 'Hi' })
    await feature.time.advance(1000)
    const { response, editCount } = await feature.patch('llm_1', { general_prompt: 'Be brief.' })
    expect(response).toMatchObject({
      version: 1,
      display_name: 'Desk',
      begin_message: 'Hi',
      general_prompt: 'Be brief.',
    })
    expect(response.created_at).toBe('2026-01-05T12:00:00.000Z')
    expect(response.updated_at).toBe('2026-01-05T12:00:01.000Z')
    expect(editCount).toBe(2)
    expect(feature.followed).toEqual([])
  })

  test('clears with null and keeps absent fields', async () => {
    await using feature = await openLlms()
    await feature.create({
      display_name: 'Desk',
      model: 'acme/large',
      model_temperature: 1,
      begin_message: 'Hi',
      begin_after_user_silence_ms: 4_000,
    })
    const cleared = {
      display_name: null,
      model: null,
      model_temperature: null,
      begin_message: null,
      begin_after_user_silence_ms: null,
    }
    const { response } = await feature.patch('llm_1', cleared)
    expect(response).toMatchObject({ ...cleared, display_name: '', model: 'offline' })
    expect(response.warnings).toEqual([])
  })

  test('creates the next version of a used version, which stays unchanged', async () => {
    await using feature = await openLlms()
    await feature.create({ general_prompt: 'One' })
    await feature.use('llm_1', 1)
    const { response, editCount } = await feature.patch('llm_1', { general_prompt: 'Two' })
    expect(response).toMatchObject({ version: 2, is_frozen: false, general_prompt: 'Two' })
    expect(editCount).toBe(2)
    expect((await feature.llms.get(1, 'llm_1', 1)).response).toMatchObject({ is_frozen: true, general_prompt: 'One' })
    expect(feature.followed).toEqual([{ workspaceId: 1, engineId: 'llm_1', now: feature.time.clock.now() }])
  })

  test('creates no version and counts no edit when nothing changes', async () => {
    await using feature = await openLlms()
    const tool = { type: 'end_call', name: 'bye' }
    const body = { general_prompt: 'One', general_tools: [tool], default_dynamic_variables: { a: '1', b: '2' } }
    await feature.create(body)
    await feature.use('llm_1', 1)
    await feature.time.advance(1000)
    for (const same of [{}, body, { default_dynamic_variables: { b: 2, a: 1 } }]) {
      const { response, editCount } = await feature.patch('llm_1', same)
      expect(response).toMatchObject({ version: 1, updated_at: '2026-01-05T12:00:00.000Z' })
      expect(editCount).toBe(1)
    }
    expect(feature.followed).toEqual([])
  })

  test('may name the newest draft, but no frozen or unknown version', async () => {
    await using feature = await openLlms()
    await feature.create()
    await feature.use('llm_1', 1)
    const frozen = { code: 'version_frozen' }
    await expect(feature.patch('llm_1', { general_prompt: 'x' }, { version: 1 })).rejects.toMatchObject(frozen)
    await feature.patch('llm_1', { general_prompt: 'Two' })
    await expect(feature.patch('llm_1', { general_prompt: 'x' }, { version: 1 })).rejects.toMatchObject(frozen)
    await expect(feature.patch('llm_1', {}, { version: 3 })).rejects.toMatchObject({ code: 'not_found' })
    const { response } = await feature.patch('llm_1', { general_prompt: 'Three' }, { version: 2 })
    expect(response).toMatchObject({ version: 2, general_prompt: 'Three' })
  })

  test('with an outdated edit count is rejected and writes nothing', async () => {
    await using feature = await openLlms()
    await feature.create({ general_prompt: 'One' })
    await feature.patch('llm_1', { general_prompt: 'Two' }, { ifMatch: 1 })
    const conflict = { code: 'version_conflict' }
    await expect(feature.patch('llm_1', { general_prompt: 'x' }, { ifMatch: 1 })).rejects.toMatchObject(conflict)
    await expect(feature.patch('llm_1', { general_prompt: 'x' }, { ifMatch: -1 })).rejects.toMatchObject(conflict)
    await expect(feature.llms.publish(target('llm_1', 1), {})).rejects.toMatchObject(conflict)
    await expect(feature.llms.remove(target('llm_1', 1))).rejects.toMatchObject(conflict)
    const { response, editCount } = await feature.llms.get(1, 'llm_1', 'latest')
    expect(response).toMatchObject({ general_prompt: 'Two', is_published: false })
    expect(editCount).toBe(2)
    await feature.llms.remove(target('llm_1', 2))
  })

  test('twice concurrently keeps both edits', async () => {
    await using feature = await openLlms()
    await feature.create()
    const edits = ['a', 'b', 'c', 'd'].map((name) => feature.patch('llm_1', { default_dynamic_variables: { name } }))
    const counts = (await Promise.all(edits)).map(({ editCount }) => editCount)
    expect(counts.sort()).toEqual([2, 3, 4, 5])
  })
})

describe('publishing', () => {
  test('freezes, counts as an edit and can be repeated for its notes', async () => {
    await using feature = await openLlms()
    await feature.create()
    const first = await feature.llms.publish(target('llm_1'), { title: 'First', description: 'As opened' })
    expect(first.response).toMatchObject({ is_published: true, is_frozen: true, version_title: 'First' })
    expect(first.editCount).toBe(2)
    const again = await feature.llms.publish(target('llm_1'), { title: null })
    expect(again.response).toMatchObject({ version_title: null, version_description: 'As opened' })
    expect(again.editCount).toBe(3)
    const { response } = await feature.patch('llm_1', { general_prompt: 'Two' })
    expect(response).toMatchObject({ version: 2, is_published: false, version_title: null })
  })

  test('accepts a version number; reads distinguish active from latest', async () => {
    await using feature = await openLlms()
    await feature.create()
    await feature.use('llm_1', 1)
    await feature.patch('llm_1', { general_prompt: 'Two' })
    await feature.llms.publish({ ...target('llm_1'), version: 1 }, {})
    expect((await feature.llms.get(1, 'llm_1', 'active')).response.version).toBe(1)
    expect((await feature.llms.get(1, 'llm_1', 'latest')).response).toMatchObject({ version: 2, is_frozen: false })
    await expect(feature.llms.publish({ ...target('llm_1'), version: 3 }, {})).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

describe('lists', () => {
  test('return the newest first, page by page', async () => {
    await using feature = await openLlms()
    for (const display_name of ['A', 'B', 'C']) {
      await feature.create({ display_name })
      await feature.time.advance(1)
    }
    const first = await feature.llms.list(1, { limit: 2, after: null })
    expect(first.items.map((item) => item.display_name)).toEqual(['C', 'B'])
    const second = await feature.llms.list(1, { limit: 2, after: first.next })
    expect(second).toEqual({ items: [{ llm_id: 'llm_1', display_name: 'A', version: 1 }], next: null })
    expect((await feature.llms.list(2, { limit: 2, after: null })).items).toEqual([])
  })

  test('of versions return the newest first, page by page', async () => {
    await using feature = await openLlms()
    await feature.create()
    for (const version of [1, 2]) {
      await feature.use('llm_1', version)
      await feature.patch('llm_1', { general_prompt: `After ${version}` })
    }
    const first = await feature.llms.listVersions(1, 'llm_1', { limit: 2, after: null })
    expect(first.items.map(({ version, is_frozen }) => [version, is_frozen])).toEqual([
      [3, false],
      [2, true],
    ])
    const second = await feature.llms.listVersions(1, 'llm_1', { limit: 2, after: first.next })
    expect(second.items.map(({ version }) => version)).toEqual([1])
    expect(second.next).toBeNull()
  })
})

test('an LLM of another workspace does not exist', async () => {
  await using feature = await openLlms()
  await feature.create()
  const { llms } = feature
  const elsewhere = { workspaceId: 2, id: 'llm_1', ifMatch: null }
  const attempts = [
    () => llms.get(2, 'llm_1', 'latest'),
    () => llms.get(2, 'llm_1', 1),
    () => llms.update(elsewhere, UpdateLlmBody.parse({ general_prompt: 'x' })),
    () => llms.publish(elsewhere, {}),
    () => llms.remove(elsewhere),
    () => llms.listVersions(2, 'llm_1', { limit: 10, after: null }),
  ]
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  expect((await llms.get(1, 'llm_1', 'latest')).editCount).toBe(1)
})
