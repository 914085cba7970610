import { SaveAgentDraftBody, SaveChatAgentDraftBody } from '@parley/contract/agent-draft'
import { describe, expect, test } from 'vitest'
import type { AppError } from '../../kernel/errors.ts'
import { wireFeatures } from '../features-test-kit.ts'

async function openDrafts() {
  const features = await wireFeatures()
  const { database, agentDrafts, chatAgentDrafts } = features
  return {
    ...features,
    save: (agentId: string, body: object, workspaceId = 1) =>
      agentDrafts.save({ workspaceId, agentId }, SaveAgentDraftBody.parse(body)),
    saveChat: (agentId: string, body: object) =>
      chatAgentDrafts.save({ workspaceId: 1, agentId }, SaveChatAgentDraftBody.parse(body)),
    /** Everything that is stored of agents and configurations. */
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

/** What a save was refused for. */
const refusal = (saving: Promise<unknown>): Promise<Pick<AppError, 'code' | 'message' | 'details'>> =>
  saving.then(
    () => expect.unreachable('the save was not refused'),
    (error: AppError) => error,
  )

const BOTH = { agent: { agent_name: 'Ada' }, llm: { general_prompt: 'Be brief.' } }

describe('saving an agent with its LLM configuration', () => {
  test('writes both drafts and answers both as reads do, with their tags and all warnings', async () => {
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
    expect(saved.agent).toMatchObject({ answer: { ...agent, version: 1 }, editCount: 2 })
    expect(saved.llm).toMatchObject({ answer: { general_prompt: 'Be brief.', version: 1 }, editCount: 2 })
    expect(saved.warnings).toEqual([expect.stringContaining('gone/model'), expect.stringContaining('gone/large')])
  })

  test('one of them alone leaves the other, and nothing at all writes nothing', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm({ general_prompt: 'Be kind.' })
    const agentId = await drafts.addAgent(llmId)
    const named = await drafts.save(agentId, { agent: { agent_name: 'Ada' } })
    expect(named).toMatchObject({ agent: { editCount: 2 }, llm: { editCount: 1, answer: { llm_id: llmId } } })
    const prompted = await drafts.save(agentId, { llm: { general_prompt: 'Be brief.' } })
    expect(prompted).toMatchObject({ agent: { editCount: 2, answer: { agent_name: 'Ada' } }, llm: { editCount: 2 } })
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
    expect(await refusal(drafts.save(agentId, { ...BOTH, ...tags }))).toMatchObject({ code: 'version_conflict' })
    expect(await drafts.rows()).toEqual(before)
  })

  test('of two people who save at the same time exactly one wins', async () => {
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
    const name = won[0]?.agent.answer.agent_name
    expect((await drafts.llms.get(1, llmId, 'latest')).answer.general_prompt).toBe(name)
    expect((await drafts.agents.get(1, agentId, 'latest')).answer.agent_name).toBe(name)
  })
})

describe('versions that were used or published', () => {
  test('give both their next one, once, and the agent answers with the new configuration', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    await drafts.pin(agentId)
    const { agent, llm } = await drafts.save(agentId, { ...BOTH, agentEtag: '"1"', llmEtag: '"1"' })
    expect(llm?.answer).toMatchObject({ version: 2, is_frozen: false })
    expect(agent.answer).toMatchObject({ agent_name: 'Ada', version: 2, response_engine: { version: null } })
    expect(agent).toEqual(await drafts.agents.get(1, agentId, 'latest'))
    expect(await drafts.versionsOf(agentId)).toEqual([2, 1])
    expect(await drafts.pin(agentId)).toMatchObject({ agentVersion: 2, engineVersion: 2 })
  })

  test.each([
    ['published', {}],
    ['pinned and published', { version: 1 }],
  ])('a %s agent gets a draft on an edit of its configuration alone; what is live stays', async (_what, pin) => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId, { response_engine: { type: 'llm', llm_id: llmId, ...pin } })
    await drafts.agents.publish(drafts.agentTarget(agentId), {})
    const { agent, llm, warnings } = await drafts.save(agentId, { llm: BOTH.llm })
    expect(llm?.answer.version).toBe(2)
    expect(agent.answer).toMatchObject({ version: 2, is_frozen: false, response_engine: { version: null } })
    expect((await drafts.agents.get(1, agentId, 'active')).answer).toMatchObject({
      version: 1,
      response_engine: { version: 1 },
    })
    expect(warnings.join()).toContain('stay on their pinned, published or activated version')
    // The draft follows: the next edit makes no further version.
    await drafts.save(agentId, { llm: { general_prompt: 'Once more.' } })
    expect(await drafts.versionsOf(agentId)).toEqual([2, 1])
  })

  test('an agent that is left behind follows again when the body lets go of the version', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId)
    await drafts.agents.publish(drafts.agentTarget(agentId), {})
    await drafts.patchLlm(llmId, { general_prompt: 'Be brief.' })
    const engine = { type: 'llm', llm_id: llmId }
    const unchangedDraft = await drafts.save(agentId, { agent: {} })
    expect(unchangedDraft.agent.answer).toMatchObject({ version: 1, response_engine: { version: 1 } })
    const { agent } = await drafts.save(agentId, { agent: { response_engine: { ...engine, version: null } } })
    expect(agent.answer).toMatchObject({ version: 2, response_engine: { version: null } })
  })

  test('a draft that is pinned stays pinned', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addAgent(llmId, { response_engine: { type: 'llm', llm_id: llmId, version: 1 } })
    await drafts.pin(await drafts.addAgent(llmId))
    const { agent, llm } = await drafts.save(agentId, BOTH)
    expect(llm?.answer.version).toBe(2)
    expect(agent.answer).toMatchObject({ version: 1, response_engine: { version: 1 } })
  })

  test('chat agents are saved the same way', async () => {
    await using drafts = await openDrafts()
    const llmId = await drafts.addLlm()
    const agentId = await drafts.addChatAgent(llmId)
    await drafts.pin(agentId)
    const { agent, llm } = await drafts.saveChat(agentId, { ...BOTH, agentEtag: '"1"', llmEtag: '"1"' })
    expect(agent.answer).toMatchObject({ agent_name: 'Ada', version: 2, response_engine: { version: null } })
    expect(llm?.answer.version).toBe(2)
  })
})

describe('what a save is refused for names the part of the body', () => {
  test('bad fields of either', async () => {
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
    const voice = await refusal(drafts.save(agentId, { ...BOTH, agent: { voice_id: 'voice_9' } }))
    expect(voice).toMatchObject({ code: 'invalid_request', details: [{ path: 'agent.voice_id' }] })
    expect(voice.message).toMatch(/^agent\.voice_id: no voice/)
    const state = await refusal(drafts.save(agentId, { agent: BOTH.agent, llm: { starting_state: 'nowhere' } }))
    expect(state.details).toMatchObject([{ path: 'llm.starting_state' }])
    const secret = { type: 'custom', name: 'look_up', url: 'https://example.com', headers: { 'X-Key': '__stored__' } }
    const tool = await refusal(drafts.save(agentId, { agent: BOTH.agent, llm: { general_tools: [secret] } }))
    expect(tool.details[0]?.path).toMatch(/^llm\.general_tools\[0\]/)
    const engine = { type: 'llm', llm_id: 'llm_gone' }
    const deletedId = await refusal(drafts.save(agentId, { agent: { response_engine: engine } }))
    expect(deletedId.details).toMatchObject([{ path: 'agent.response_engine.llm_id' }])
    expect(await drafts.rows()).toEqual(before)
  })

  test('a configuration of an agent that answers with none', async () => {
    await using drafts = await openDrafts()
    const own = { type: 'custom-llm', llm_websocket_url: 'wss://example.com/llm' }
    const flow = { type: 'conversation-flow', conversation_flow_id: await drafts.addFlow() }
    for (const engine of [own, flow]) {
      const agentId = await drafts.addAgent('', { response_engine: engine })
      const refused = await refusal(drafts.save(agentId, BOTH))
      expect(refused).toMatchObject({ code: 'invalid_request', details: [{ path: 'llm' }] })
      expect(await drafts.save(agentId, { agent: BOTH.agent })).toMatchObject({ llm: null })
    }
  })

  test('an agent of another workspace', async () => {
    await using drafts = await openDrafts()
    const agentId = await drafts.addAgent(await drafts.addLlm())
    expect(await refusal(drafts.save(agentId, BOTH, 2))).toMatchObject({ code: 'not_found' })
  })
})

test('an agent that moves to another configuration is saved with edits of that one, secrets sealed', async () => {
  await using drafts = await openDrafts()
  const agentId = await drafts.addAgent(await drafts.addLlm())
  const otherId = await drafts.addLlm()
  const tool = { type: 'custom', name: 'look_up', url: 'https://example.com', headers: { 'X-Key': 'hunter2' } }
  const { agent, llm } = await drafts.save(agentId, {
    agent: { response_engine: { type: 'llm', llm_id: otherId } },
    llm: { general_tools: [tool] },
    llmEtag: '"1"',
  })
  expect(agent.answer.response_engine).toMatchObject({ llm_id: otherId })
  expect(llm?.answer).toMatchObject({ llm_id: otherId, general_tools: [{ headers: { 'X-Key': '__stored__' } }] })
  expect(JSON.stringify(await drafts.rows())).not.toContain('hunter2')
})
