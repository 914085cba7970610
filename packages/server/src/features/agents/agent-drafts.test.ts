import { UpdateAgentBody } from '@parley/contract/agent'
import { SaveAgentDraftBody, SaveChatAgentDraftBody } from '@parley/contract/agent-draft'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../kernel/errors.ts'
import { wireFeatures } from '../features-test-kit.ts'
import { openAgents, target } from './agent-service-test-kit.ts'

async function openDrafts() {
  const features = await wireFeatures()
  const { database, agentDrafts, chatAgentDrafts } = features
  return {
    ...features,
    save: (agentId: string, body: object, workspaceId = 1) =>
      agentDrafts.save({ workspaceId, id: agentId }, SaveAgentDraftBody.parse(body)),
    saveChat: (agentId: string, body: object) =>
      chatAgentDrafts.save({ workspaceId: 1, id: agentId }, SaveChatAgentDraftBody.parse(body)),
    /** Returns all stored rows of agents and configurations. */
    rows: async () => [
      await database.read.selectFrom('resources').selectAll().orderBy('resource_id').execute(),
      await database.read
        .selectFrom('resource_versions')
        .selectAll()
        .orderBy('resource_id')
        .orderBy('version')
        .execute(),
    ],
    versionsOf: async (agentId: string) =>
      (await features.agents.listVersions(1, agentId, { limit: 10, after: null })).items.map(({ version }) => version),
  }
}

const captureError = (save: Promise<unknown>): Promise<Pick<AppError, 'code' | 'message' | 'details'>> =>
  save.then(
    () => expect.unreachable('the save was not rejected'),
    (error: AppError) => error,
  )

const BOTH = { agent: { agent_name: 'Ada' }, llm: { general_prompt: 'Be brief.' } }

describe('saving an agent with its LLM configuration', () => {
  test('writes both drafts and returns both with their tags and all warnings', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    const agent = { agent_name: 'Ada', fallback_models: ['gone/model'] }
    const saved = await drafts.save(agentId, {
      agent,
      agentEtag: '"1"',
      llm: { general_prompt: 'Be brief.', model: 'gone/large' },
      llmEtag: '"1"',
    })
    expect(saved.agent).toEqual(await drafts.agents.get(1, agentId, 'latest'))
    expect(saved.llm).toEqual(await drafts.llms.get(1, llmId, 'latest'))
    expect(saved.agent).toMatchObject({ response: { ...agent, version: 1 }, editCount: 2 })
    expect(saved.llm).toMatchObject({ response: { general_prompt: 'Be brief.', version: 1 }, editCount: 2 })
    expect(saved.warnings).toEqual([expect.stringContaining('gone/model'), expect.stringContaining('gone/large')])
  })

  test('writes only the given part and nothing for an empty body', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm({ general_prompt: 'Be kind.' })
    const agentId = await drafts.addAgent(llmId)
    const named = await drafts.save(agentId, { agent: { agent_name: 'Ada' } })
    expect(named).toMatchObject({ agent: { editCount: 2 }, llm: { editCount: 1, response: { llm_id: llmId } } })
    const prompted = await drafts.save(agentId, { llm: { general_prompt: 'Be brief.' } })
    expect(prompted).toMatchObject({ agent: { editCount: 2, response: { agent_name: 'Ada' } }, llm: { editCount: 2 } })
    const before = await drafts.rows()
    await drafts.save(agentId, {})
    await drafts.save(agentId, { agent: {}, llm: {}, agentEtag: '"2"', llmEtag: '"2"' })
    expect(await drafts.rows()).toEqual(before)
  })

  test.each([
    ['agent', { agentEtag: '"7"', llmEtag: '"1"' }],
    ['LLM', { agentEtag: '"1"', llmEtag: '"7"' }],
    ['LLM that is not edited', { agentEtag: '"1"', llm: undefined, llmEtag: '"7"' }],
  ])('an outdated tag of the %s writes nothing', async (_which, tags) => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    await drafts.pin(agentId)
    const before = await drafts.rows()
    expect(await captureError(drafts.save(agentId, { ...BOTH, ...tags }))).toMatchObject({ code: 'version_conflict' })
    expect(await drafts.rows()).toEqual(before)
  })

  test('one of two concurrent saves wins', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    const save = (name: string) =>
      drafts.save(agentId, {
        agent: { agent_name: name },
        agentEtag: '"1"',
        llm: { general_prompt: name },
        llmEtag: '"1"',
      })
    const outcomes = await Promise.allSettled([save('Ada'), save('Robin')])
    const won = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    const lost = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(won).toHaveLength(1)
    expect(lost).toMatchObject([{ code: 'version_conflict' }])
    const name = won[0]?.agent.response.agent_name
    expect((await drafts.llms.get(1, llmId, 'latest')).response.general_prompt).toBe(name)
    expect((await drafts.agents.get(1, agentId, 'latest')).response.agent_name).toBe(name)
  })
})

describe('used or published versions', () => {
  test('each get one new version, and the response contains the new configuration', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    await drafts.pin(agentId)
    const { agent, llm } = await drafts.save(agentId, { ...BOTH, agentEtag: '"1"', llmEtag: '"1"' })
    expect(llm?.response).toMatchObject({ version: 2, is_frozen: false })
    expect(agent.response).toMatchObject({ agent_name: 'Ada', version: 2, response_engine: { version: null } })
    expect(agent).toEqual(await drafts.agents.get(1, agentId, 'latest'))
    expect(await drafts.versionsOf(agentId)).toEqual([2, 1])
    expect(await drafts.pin(agentId)).toMatchObject({ agentVersion: 2, engineVersion: 2 })
  })

  test.each([
    ['published', {}],
    ['pinned and published', { version: 1 }],
  ])('a %s agent gets a draft when only its configuration changes; the live version stays', async (_what, pin) => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId, { response_engine: { type: 'llm', llm_id: llmId, ...pin } })
    await drafts.agents.publish(drafts.agentTarget(agentId), {})
    const { agent, llm, warnings } = await drafts.save(agentId, { llm: BOTH.llm })
    expect(llm?.response.version).toBe(2)
    expect(agent.response).toMatchObject({ version: 2, is_frozen: false, response_engine: { version: null } })
    expect((await drafts.agents.get(1, agentId, 'active')).response).toMatchObject({
      version: 1,
      response_engine: { version: 1 },
    })
    expect(warnings.join()).toContain('keep their pinned, published or activated version')
    // The draft follows the configuration, so the next edit creates no further version.
    await drafts.save(agentId, { llm: { general_prompt: 'Once more.' } })
    expect(await drafts.versionsOf(agentId)).toEqual([2, 1])
  })

  test('an agent pinned to an older version follows again when the body clears the version', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    await drafts.agents.publish(drafts.agentTarget(agentId), {})
    await drafts.patchLlm(llmId, { general_prompt: 'Be brief.' })
    const engine = { type: 'llm', llm_id: llmId }
    const unchangedDraft = await drafts.save(agentId, { agent: {} })
    expect(unchangedDraft.agent.response).toMatchObject({ version: 1, response_engine: { version: 1 } })
    const { agent } = await drafts.save(agentId, { agent: { response_engine: { ...engine, version: null } } })
    expect(agent.response).toMatchObject({ version: 2, response_engine: { version: null } })
  })

  test('a pinned draft stays pinned', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId, { response_engine: { type: 'llm', llm_id: llmId, version: 1 } })
    await drafts.pin(await drafts.addAgent(llmId))
    const { agent, llm } = await drafts.save(agentId, BOTH)
    expect(llm?.response.version).toBe(2)
    expect(agent.response).toMatchObject({ version: 1, response_engine: { version: 1 } })
  })

  test('saves chat agents the same way', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addChatAgent(llmId)
    await drafts.pin(agentId)
    const { agent, llm } = await drafts.saveChat(agentId, { ...BOTH, agentEtag: '"1"', llmEtag: '"1"' })
    expect(agent.response).toMatchObject({ agent_name: 'Ada', version: 2, response_engine: { version: null } })
    expect(llm?.response.version).toBe(2)
  })
})

describe('errors name the part of the body', () => {
  test('invalid fields of either part', async () => {
    await using drafts = await openDrafts()
    const agentId = await drafts.addAgent(await drafts.addLlm())
    const schema = SaveAgentDraftBody.safeParse({
      agent: { volume: 3 },
      agentEtag: '3',
      llm: { general_prompt: 7, general_tools: [{ type: 'custom', name: 'a b' }] },
    })
    expect(schema.error?.issues.map(({ path }) => path.join('.'))).toEqual(
      expect.arrayContaining(['agent.volume', 'agentEtag', 'llm.general_prompt', 'llm.general_tools.0.name']),
    )
    const before = await drafts.rows()
    const voice = await captureError(drafts.save(agentId, { ...BOTH, agent: { voice_id: 'voice_9' } }))
    expect(voice).toMatchObject({ code: 'invalid_request', details: [{ path: 'agent.voice_id' }] })
    expect(voice.message).toMatch(/^agent\.voice_id: no voice/)
    const state = await captureError(drafts.save(agentId, { agent: BOTH.agent, llm: { starting_state: 'nowhere' } }))
    expect(state.details).toMatchObject([{ path: 'llm.starting_state' }])
    const secret = { type: 'custom', name: 'look_up', url: 'https://example.com', headers: { 'X-Key': '__stored__' } }
    const tool = await captureError(drafts.save(agentId, { agent: BOTH.agent, llm: { general_tools: [secret] } }))
    expect(tool.details[0]?.path).toMatch(/^llm\.general_tools\[0\]/)
    const engine = { type: 'llm', llm_id: 'llm_gone' }
    const deletedId = await captureError(drafts.save(agentId, { agent: { response_engine: engine } }))
    expect(deletedId.details).toMatchObject([{ path: 'agent.response_engine.llm_id' }])
    expect(await drafts.rows()).toEqual(before)
  })

  test('a configuration for an agent without one', async () => {
    await using drafts = await openDrafts()
    const own = { type: 'custom-llm', llm_websocket_url: 'wss://example.com/llm' }
    const flow = { type: 'conversation-flow', conversation_flow_id: await drafts.addFlow() }
    for (const engine of [own, flow]) {
      const agentId = await drafts.addAgent('', { response_engine: engine })
      const refused = await captureError(drafts.save(agentId, BOTH))
      expect(refused).toMatchObject({ code: 'invalid_request', details: [{ path: 'llm' }] })
      expect(await drafts.save(agentId, { agent: BOTH.agent })).toMatchObject({ llm: null })
    }
  })

  test('an agent of another workspace', async () => {
    await using drafts = await openDrafts()
    const agentId = await drafts.addAgent(await drafts.addLlm())
    expect(await captureError(drafts.save(agentId, BOTH, 2))).toMatchObject({ code: 'not_found' })
  })
})

test('saves an agent that switches configurations together with edits to the new one and encrypts its secrets', async () => {
  await using drafts = await openDrafts()
  const agentId = await drafts.addAgent(await drafts.addLlm())
  const otherId = await drafts.addLlm()
  const tool = { type: 'custom', name: 'look_up', url: 'https://example.com', headers: { 'X-Key': 'hunter2' } }
  const { agent, llm } = await drafts.save(agentId, {
    agent: { response_engine: { type: 'llm', llm_id: otherId } },
    llm: { general_tools: [tool] },
    llmEtag: '"1"',
  })
  expect(agent.response.response_engine).toMatchObject({ llm_id: otherId })
  expect(llm?.response).toMatchObject({ llm_id: otherId, general_tools: [{ headers: { 'X-Key': '__stored__' } }] })
  expect(JSON.stringify(await drafts.rows())).not.toContain('hunter2')
})

describe('concurrent edits', () => {
  test('are all applied, each on top of the previous one', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    const changes = [
      { fallback_message: 'Sorry.' },
      { timezone: 'Europe/Rome' },
      ...Array.from({ length: 20 }, (_, index) => ({ agent_name: `Desk ${index}` })),
    ]
    const transactions = feature.started.transactions
    const edits = await Promise.all(changes.map((body) => feature.patch('agent_1', body)))
    // The writes are sent as one batch, because this many concurrent writes to one row would block each other on PostgreSQL.
    expect(feature.started).toEqual({ transactions, batches: 2 })
    expect(edits.map(({ editCount }) => editCount).sort((a, b) => a - b)).toEqual(changes.map((_, index) => index + 2))
    const { response, editCount } = await feature.agents.get(1, 'agent_1', 'latest')
    expect(editCount).toBe(23)
    expect(response).toMatchObject({ version: 1, fallback_message: 'Sorry.', timezone: 'Europe/Rome' })
  })

  test('with the same edit count succeed only once', async () => {
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

  test('that fail do not affect the others', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'Desk' })
    feature.beforeNextWrite(() => feature.activate('agent_1'))
    const { transactions } = feature.started
    const edits = await Promise.allSettled([
      feature.patch('agent_1', { timezone: 'Europe/Rome' }),
      feature.patch('agent_1', { agent_name: 'Two' }, { ifMatch: 1 }),
      feature.patch('agent_1', { response_engine: { type: 'llm', llm_id: 'llm_2' } }),
      feature.patch('agent_1', { fallback_message: 'Sorry.' }, { ifMatch: 9 }),
      feature.patch('agent_1', { agent_name: 'Three' }),
    ])
    expect(edits.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled'])
    // Only the edit that names an engine requires a transaction. The other edits are decided again.
    expect(feature.started.transactions).toBe(transactions + 1)
    const { response, editCount } = await feature.agents.get(1, 'agent_1', 'latest')
    expect(response).toMatchObject({ agent_name: 'Three', timezone: 'Europe/Rome', fallback_message: null })
    expect(editCount).toBe(4)
  })

  test('from another workspace return not_found in any order', async () => {
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
    expect((await feature.agents.get(1, 'agent_1', 'latest')).response.agent_name).toBe('Desk')
  })

  test('on a version that becomes used before the write create the next version', async () => {
    await using feature = await openAgents()
    await feature.create({ agent_name: 'One' })
    feature.beforeNextWrite(() => feature.use('agent_1'))
    const { response, editCount } = await feature.patch('agent_1', { agent_name: 'Two' })
    expect([response.version, editCount]).toEqual([2, 2])
    expect((await feature.agents.get(1, 'agent_1', 1)).response).toMatchObject({ agent_name: 'One', is_frozen: true })
  })
})
