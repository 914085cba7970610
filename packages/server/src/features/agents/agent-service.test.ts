import { UpdateAgentBody } from '@parley/contract/agent'
import { AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { copyDefaults } from '@parley/contract/agent-settings/setting'
import { describe, expect, test } from 'vitest'
import { openAgents, target } from './agent-service-test-kit.ts'

/** Every test sets a name. */
const { agent_name: _agentName, ...AGENT_DEFAULTS } = copyDefaults(AGENT_SETTINGS)

describe('creating', () => {
  test('fills in every default and returns the same as a read', async () => {
    await using feature = await openAgents()
    const { response, editCount } = await feature.create({ agent_name: 'Desk' })
    expect(response).toEqual({
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
    const { warnings, ...read } = response
    expect(await feature.agents.get(1, 'agent_1', 'active')).toEqual({ response: read, editCount: 1 })
  })

  test('rejects an unknown voice, LLM and LLM version with the path of each', async () => {
    await using feature = await openAgents()
    const buildEngineFields = (fields: object) => ({ response_engine: { type: 'llm', ...fields } })
    const listErrorPaths = async (body: object) => {
      const error = await feature.create(body).then(
        () => null,
        (reason: { code: string; details: { path: string }[] }) => reason,
      )
      return [error?.code, error?.details.map(({ path }) => path)]
    }
    expect(await listErrorPaths({ voice_id: 'voice_9' })).toEqual(['invalid_request', ['voice_id']])
    expect(await listErrorPaths(buildEngineFields({ llm_id: 'llm_2' }))).toEqual([
      'invalid_request',
      ['response_engine.llm_id'],
    ])
    expect(await listErrorPaths(buildEngineFields({ llm_id: 'llm_2', version: 1 }))).toEqual([
      'invalid_request',
      ['response_engine.llm_id'],
    ])
    expect(await listErrorPaths(buildEngineFields({ llm_id: 'llm_1', version: 2 }))).toEqual([
      'invalid_request',
      ['response_engine.version'],
    ])
    expect(await listErrorPaths({ voice_id: 'voice_9', ...buildEngineFields({ llm_id: 'llm_9' }) })).toEqual([
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
    const { response } = await feature.create({
      response_engine: engine,
      fallback_models: ['acme/x', 'offline'],
    })
    expect(response.response_engine).toEqual({ ...engine, version })
    expect(response.responsiveness).toBe('balanced')
    expect(response.warnings).toEqual([expect.stringContaining('"acme/x"')])
  })
})

describe('editing', () => {
  test('changes an unused draft in place, clears with null and keeps absent fields', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk', timezone: 'Europe/Rome', fallback_message: 'Sorry.' })
    const changes = { fallback_message: null, max_call_duration_ms: 60_000 }
    const { response, editCount } = await feature.patch('agent_1', { ...changes, timezone: null })
    expect(response).toMatchObject({ version: 1, agent_name: 'Desk', timezone: 'UTC', ...changes })
    expect(editCount).toBe(2)
  })

  test('creates the next version of a used version without counting the freeze as an edit', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'One' })
    await feature.use('agent_1')
    expect(await feature.agents.get(1, 'agent_1', 1)).toMatchObject({ editCount: 1, response: { is_frozen: true } })
    const { response, editCount } = await feature.patch('agent_1', { agent_name: 'Two' }, { ifMatch: 1 })
    expect(response).toMatchObject({ version: 2, is_frozen: false, is_active: true, agent_name: 'Two' })
    expect(response.response_engine).toMatchObject({ version: null })
    expect(editCount).toBe(2)
    expect((await feature.agents.get(1, 'agent_1', 1)).response).toMatchObject({ agent_name: 'One', is_active: false })
  })

  test('creates no version and counts no edit when nothing changes', async () => {
    await using feature = await openAgents()
    const body = { agent_name: 'One', fallback_models: ['offline'] }
    await feature.create(body)
    await feature.use('agent_1')
    const engine = { response_engine: { type: 'llm', llm_id: 'llm_1' } }
    for (const unchangedBody of [{}, body, engine, { voice_id: 'voice_1', timezone: null }]) {
      expect(await feature.patch('agent_1', unchangedBody)).toMatchObject({ editCount: 1, response: { version: 1 } })
    }
    const pinned = await feature.patch('agent_1', { response_engine: { ...engine.response_engine, version: 1 } })
    expect(pinned).toMatchObject({ editCount: 2, response: { version: 2, response_engine: { version: 1 } } })
  })

  test('rejects frozen and unknown versions, bad references and outdated edit counts', async () => {
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
    expect(await feature.agents.get(1, 'agent_1', 'latest')).toMatchObject({ editCount: 1, response: { version: 1 } })
  })
})

describe('the active version', () => {
  test('is the newest, the highest published or the activated version', async () => {
    await using feature = await openAgents()
    const { agents, activeVersion } = feature
    await feature.create()
    await feature.use('agent_1')
    await feature.patch('agent_1', { agent_name: 'Two' })
    expect(await activeVersion('agent_1')).toBe(2)

    const first = await agents.publish({ ...target('agent_1'), version: 1 }, { title: 'First' })
    expect(first).toMatchObject({ editCount: 3, response: { version: 1, is_active: true, version_title: 'First' } })
    expect(await activeVersion('agent_1')).toBe(1)
    expect((await agents.get(1, 'agent_1', 'latest')).response).toMatchObject({ version: 2, is_active: false })

    const newest = await agents.publish(target('agent_1'), {})
    expect(newest).toMatchObject({ editCount: 4, response: { version: 2, is_active: true, is_frozen: true } })
    expect(newest.response.response_engine).toMatchObject({ version: 1 })

    const rollback = await agents.activate({ ...target('agent_1'), version: 1 })
    expect(rollback).toMatchObject({ editCount: 5, response: { version: 1, is_active: true } })
    expect(await feature.use('agent_1')).toMatchObject({ agentVersion: 1 })
    await feature.patch('agent_1', { agent_name: 'Three' })
    expect(await activeVersion('agent_1')).toBe(1)

    const cleared = await agents.activate({ ...target('agent_1'), version: null })
    expect(cleared).toMatchObject({ editCount: 7, response: { version: 2, is_active: true } })
    const { items } = await agents.list(1, { limit: 10, after: null })
    expect(items).toMatchObject([{ version: 3, is_active: false }])
  })

  test('can be a draft, which activation does not freeze', async () => {
    await using feature = await openAgents()
    await feature.create()
    const { response } = await feature.agents.activate({ ...target('agent_1'), version: 1 })
    expect(response).toMatchObject({ is_active: true, is_frozen: false })
    expect((await feature.patch('agent_1', { agent_name: 'Edited' })).response).toMatchObject({ version: 1 })
  })

  test('rejects unknown versions and outdated edit counts', async () => {
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

test('lists return the newest first, page by page, including versions', async () => {
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
  const foreignTarget = { workspaceId: 2, id: 'agent_1', ifMatch: null }
  const attempts = [
    () => agents.get(2, 'agent_1', 'active'),
    () => agents.get(2, 'agent_1', 1),
    () => agents.update(foreignTarget, UpdateAgentBody.parse({ agent_name: 'x' })),
    () => agents.publish(foreignTarget, {}),
    () => agents.activate({ ...foreignTarget, version: 1 }),
    () => agents.remove(foreignTarget),
    () => agents.listVersions(2, 'agent_1', { limit: 10, after: null }),
  ]
  for (const attempt of attempts) await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  expect((await agents.list(2, { limit: 10, after: null })).items).toEqual([])
  expect(feature.ended).toEqual([])
})
