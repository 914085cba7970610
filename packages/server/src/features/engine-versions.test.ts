import { NO_KNOWLEDGE } from '@parley/engine/dialogue/knowledge/knowledge-use'
import { describe, expect, test } from 'vitest'
import { wireFeatures } from './features-test-kit.ts'

const LATEST = 'latest'

describe('the first use of an agent', () => {
  test('freezes the agent and its resolved engine version, and records that version', async () => {
    await using features = await wireFeatures()
    const { llms, agents, addLlm, addAgent, pin } = features
    const llmId = await addLlm({ general_prompt: 'One' })
    const agentId = await addAgent(llmId, { agent_name: 'Front desk' })
    expect((await agents.get(1, agentId, 'active')).response.response_engine).toEqual({
      type: 'llm',
      llm_id: llmId,
      version: null,
    })

    expect(await pin(agentId)).toEqual({
      agentId,
      agentVersion: 1,
      agentName: 'Front desk',
      engineKind: 'llm',
      engineId: llmId,
      engineVersion: 1,
    })
    const agent = await agents.get(1, agentId, 'active')
    expect(agent.response).toMatchObject({ is_frozen: true, is_active: true, response_engine: { version: 1 } })
    expect(agent.editCount).toBe(1)
    const llm = await llms.get(1, llmId, LATEST)
    expect(llm.response.is_frozen).toBe(true)
    expect(llm.editCount).toBe(1)
    expect(await pin(agentId)).toMatchObject({ agentVersion: 1, engineVersion: 1 })
  })

  test('uses the newest draft of the engine, including edits until then', async () => {
    await using features = await wireFeatures()
    const { agentResolver, addLlm, addAgent, patchLlm, pin } = features
    const llmId = await addLlm({ general_prompt: 'One' })
    const agentId = await addAgent(llmId)
    expect((await patchLlm(llmId, { general_prompt: 'Two' })).response).toMatchObject({ version: 1, warnings: [] })
    const loaded = await agentResolver.load({ ...(await pin(agentId)), workspaceId: 1 })
    expect(loaded.engine).toMatchObject({ kind: 'llm', id: llmId, version: 1, generalPrompt: 'Two' })
  })

  test('freezes the requested version, not the newest', async () => {
    await using features = await wireFeatures()
    const { agents, addLlm, addAgent, patchAgent, pin } = features
    const agentId = await addAgent(await addLlm())
    await pin(agentId)
    await patchAgent(agentId, { agent_name: 'Second' })
    expect(await pin(agentId, 1)).toMatchObject({ agentVersion: 1 })
    expect((await agents.get(1, agentId, LATEST)).response).toMatchObject({ version: 2, is_frozen: false })
    expect(await pin(agentId)).toMatchObject({ agentVersion: 2, agentName: 'Second' })
  })

  test('rejects unknown agents and unknown versions', async () => {
    await using features = await wireFeatures()
    const { addLlm, addAgent, pin } = features
    const agentId = await addAgent(await addLlm())
    await expect(pin('agent_none')).rejects.toMatchObject({ code: 'not_found' })
    await expect(pin(agentId, 7)).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('7') })
  })

  test('freezes the flow that it runs on', async () => {
    await using features = await wireFeatures()
    const { agents, agentResolver, addFlow, addAgent, patchFlow, pin } = features
    const flowId = await addFlow()
    const agentId = await addAgent('', {
      response_engine: { type: 'conversation-flow', conversation_flow_id: flowId },
    })
    const pinned = await pin(agentId)
    expect(pinned).toMatchObject({ engineKind: 'conversation-flow', engineId: flowId, engineVersion: 1 })
    expect((await agents.get(1, agentId, 'active')).response.response_engine).toMatchObject({ version: 1 })
    await patchFlow(flowId, { global_prompt: 'Two' })
    const { engine } = await agentResolver.load({ ...pinned, workspaceId: 1 })
    expect(engine).toEqual({
      kind: 'conversation-flow',
      id: flowId,
      version: 1,
      model: 'offline',
      temperature: null,
      knowledge: NO_KNOWLEDGE,
      globalPrompt: '',
      startSpeaker: 'agent',
      maxHopsPerTurn: 8,
      startNodeId: 'hello',
      nodes: [{ id: 'hello', type: 'conversation', instruction: { type: 'static_text', text: 'Hello.' } }],
      tools: [],
      mcps: [],
      components: {},
      defaultVariables: {},
    })
    expect(await pin(agentId)).toMatchObject({ agentVersion: 2, engineVersion: 2 })
  })

  test('on a custom server freezes only the agent', async () => {
    await using features = await wireFeatures()
    const { agents, agentResolver, agentTarget, addAgent, patchAgent, pin } = features
    const response_engine = { type: 'custom_llm', llm_websocket_url: 'wss://example.com/llm' }
    const agentId = await addAgent('', { response_engine })
    const pinned = await pin(agentId)
    expect(pinned).toMatchObject({ agentVersion: 1, engineKind: 'custom-llm', engineId: null, engineVersion: null })
    const next = { ...response_engine, llm_websocket_url: 'wss://example.com/next' }
    expect((await patchAgent(agentId, { response_engine: next })).response).toMatchObject({ version: 2, warnings: [] })
    const { engine } = await agentResolver.load({ ...pinned, workspaceId: 1 })
    expect(engine).toEqual({
      kind: 'custom-llm',
      id: null,
      version: null,
      url: 'wss://example.com/llm',
      defaultVariables: {},
    })
    expect(await pin(agentId)).toMatchObject({ agentVersion: 2 })
    await agents.publish(agentTarget(agentId), {})
  })
})

describe('loading a pinned agent', () => {
  test('maps the frozen versions and keeps them after edits', async () => {
    await using features = await wireFeatures()
    const { agentResolver, addLlm, addAgent, patchLlm, patchAgent, pin } = features
    const tool = { type: 'end_call', name: 'bye' }
    const llmId = await addLlm({
      model: 'fake/small',
      model_temperature: 0.5,
      general_prompt: 'Hello {{name}}',
      begin_message: '',
      general_tools: [tool],
      default_dynamic_variables: { name: 'you' },
    })
    const fallbacks = { fallback_models: ['offline'], fallback_message: 'Sorry.', timezone: 'Europe/Berlin' }
    const agentId = await addAgent(llmId, fallbacks)
    const pinned = { ...(await pin(agentId)), workspaceId: 1 }
    await patchLlm(llmId, { general_prompt: 'Changed' })
    await patchAgent(agentId, { timezone: 'UTC' })
    const loaded = await agentResolver.load(pinned)
    expect(loaded).toMatchObject({
      agentId,
      agentVersion: 1,
      agentName: '',
      engine: {
        kind: 'llm',
        id: llmId,
        version: 1,
        model: 'fake/small',
        generalPrompt: 'Hello {{name}}',
        beginMessage: '',
        tools: [tool],
        mcps: [],
        states: [],
        startingState: null,
        temperature: 0.5,
        defaultVariables: { name: 'you' },
      },
      timezone: 'Europe/Berlin',
      fallbackModels: ['offline'],
      fallbackMessage: 'Sorry.',
    })
    expect(await agentResolver.load(pinned)).toBe(loaded)
  })

  test('returns not_found in another workspace and for deleted resources', async () => {
    await using features = await wireFeatures()
    const { agents, agentResolver, agentTarget, addLlm, addAgent, pin } = features
    const agentId = await addAgent(await addLlm())
    const pinned = await pin(agentId)
    await expect(agentResolver.load({ ...pinned, workspaceId: 2 })).rejects.toMatchObject({ code: 'not_found' })
    await expect(agentResolver.load({ ...pinned, engineVersion: 9, workspaceId: 1 })).rejects.toMatchObject({
      code: 'not_found',
    })
    await agents.remove(agentTarget(agentId))
    await expect(agentResolver.load({ ...pinned, workspaceId: 1 })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a new version of an engine', () => {
  test('reaches an agent that was only used, in its next conversation', async () => {
    await using features = await wireFeatures()
    const { agents, agentResolver, addLlm, addAgent, patchLlm, pin } = features
    const llmId = await addLlm({ general_prompt: 'One' })
    const agentId = await addAgent(llmId)
    const before = { ...(await pin(agentId)), workspaceId: 1 }
    const edited = await patchLlm(llmId, { general_prompt: 'Two' })
    expect(edited).toMatchObject({ response: { version: 2, warnings: [] }, editCount: 2 })

    const agent = await agents.get(1, agentId, 'active')
    expect(agent.response).toMatchObject({ version: 2, is_frozen: false, response_engine: { version: null } })
    expect(agent.editCount).toBe(2)
    const after = { ...(await pin(agentId)), workspaceId: 1 }
    expect(after).toMatchObject({ agentVersion: 2, engineVersion: 2 })
    expect((await agentResolver.load(after)).engine).toMatchObject({ generalPrompt: 'Two' })
    expect((await agentResolver.load(before)).engine).toMatchObject({ generalPrompt: 'One' })
  })

  test('skips pinned, published and activated agents and names them', async () => {
    await using features = await wireFeatures()
    const { agents, agentTarget, addLlm, addAgent, patchLlm, patchAgent, pin } = features
    const llmId = await addLlm()
    const other = await addAgent(await addLlm(), { agent_name: 'Elsewhere' })
    const pinned = await addAgent(llmId, {
      agent_name: 'Pinned',
      response_engine: { type: 'llm', llm_id: llmId, version: 1 },
    })
    const published = await addAgent(llmId, { agent_name: 'Published' })
    const activated = await addAgent(llmId, { agent_name: 'Activated' })
    const nameless = await addAgent(llmId)
    const draft = await addAgent(llmId, { agent_name: 'Draft' })
    for (const agentId of [other, published, activated]) await pin(agentId)
    await agents.publish(agentTarget(published), {})
    await agents.publish(agentTarget(nameless), {})
    await patchAgent(nameless, { timezone: 'Europe/Rome' })
    await agents.activate({ ...agentTarget(activated), version: 1 })

    const { warnings } = (await patchLlm(llmId, { general_prompt: 'New' })).response
    expect(warnings).toHaveLength(1)
    for (const name of [`"Pinned" (${pinned})`, `"Published" (${published})`, `"Activated" (${activated})`, nameless]) {
      expect(warnings[0]).toContain(name)
    }
    expect(warnings[0]).not.toMatch(/Elsewhere|Draft/)
    for (const agentId of [pinned, published, activated, draft, other]) {
      expect((await agents.get(1, agentId, LATEST)).response.version).toBe(1)
    }
    expect(await pin(draft)).toMatchObject({ agentVersion: 1, engineVersion: 2 })
    expect(await pin(pinned)).toMatchObject({ agentVersion: 1, engineVersion: 1 })
    expect(await pin(activated)).toMatchObject({ agentVersion: 1, engineVersion: 1 })
  })

  test('is not created by an edit of a draft', async () => {
    await using features = await wireFeatures()
    const { agents, addLlm, addAgent, patchLlm, pin } = features
    const llmId = await addLlm()
    const agentId = await addAgent(llmId)
    await pin(agentId)
    await patchLlm(llmId, { general_prompt: 'Two' })
    await patchLlm(llmId, { general_prompt: 'Three' })
    expect((await agents.get(1, agentId, LATEST)).response.version).toBe(2)
  })
})

describe('two agents on one engine, one of them published', () => {
  test('an edit of the LLM reaches only the next chat of the other agent; chat agents follow as well', async () => {
    await using features = await wireFeatures()
    const { agents, agentTarget, addLlm, addAgent, addChatAgent, patchLlm, startChat } = features
    const llmId = await addLlm({ begin_message: 'One' })
    const published = await addAgent(llmId, { agent_name: 'Published' })
    const others = [await addAgent(llmId), await addChatAgent(llmId)]
    const saidBy = async (agentId: string) => (await startChat(agentId)).messages.map(({ content }) => content)
    for (const agentId of [published, ...others]) expect(await saidBy(agentId)).toEqual(['One'])
    await agents.publish(agentTarget(published), {})

    const { warnings } = (await patchLlm(llmId, { begin_message: 'Two' })).response
    expect(warnings).toEqual([expect.stringContaining(`"Published" (${published})`)])
    for (const agentId of others) expect(await saidBy(agentId)).toEqual(['Two'])
    expect(await saidBy(published)).toEqual(['One'])
  })

  test('an edit of the flow creates a next version only for the other agent, whose engine resolves on first use', async () => {
    await using features = await wireFeatures()
    const { agents, chatAgents, agentTarget, addFlow, addAgent, addChatAgent, patchFlow, database, agentBinding } =
      features
    const flowId = await addFlow()
    const flow = { type: 'conversation-flow', conversation_flow_id: flowId }
    const published = await addAgent('', { agent_name: 'Published', response_engine: flow })
    const pinned = await addChatAgent('', { agent_name: 'Pinned', response_engine: { ...flow, version: 1 } })
    const voiced = await addAgent('', { response_engine: flow })
    const written = await addChatAgent('', { response_engine: flow })
    const use = (agentId: string, version: number) =>
      database.transaction((transaction) =>
        agentBinding.freezeVersion(transaction, { workspaceId: 1, agentId, version, now: 5 }),
      )
    await agents.publish(agentTarget(published), {})
    for (const agentId of [pinned, voiced, written]) await use(agentId, 1)

    expect(await patchFlow(flowId, { global_prompt: 'Edited.' })).toEqual([
      `"Published" (${published})`,
      `"Pinned" (${pinned})`,
    ])
    const ofFlow = (version: number | null) => ({ response_engine: { ...flow, version } })
    expect((await agents.get(1, published, LATEST)).response).toMatchObject({ version: 1, ...ofFlow(1) })
    expect((await chatAgents.get(1, pinned, LATEST)).response).toMatchObject({ version: 1, ...ofFlow(1) })
    for (const [service, agentId] of [
      [agents, voiced],
      [chatAgents, written],
    ] as const) {
      expect((await service.get(1, agentId, 1)).response).toMatchObject({ is_frozen: true, ...ofFlow(1) })
      expect((await service.get(1, agentId, LATEST)).response).toMatchObject({
        version: 2,
        is_frozen: false,
        ...ofFlow(null),
      })
      await use(agentId, 2)
      expect((await service.get(1, agentId, LATEST)).response).toMatchObject({
        version: 2,
        is_frozen: true,
        ...ofFlow(2),
      })
    }
    expect(await patchFlow(flowId, { global_prompt: 'Edited again.' })).toHaveLength(2)
  })
})

describe('the next version of an agent', () => {
  test('uses the newest engine version again unless a caller pinned one', async () => {
    await using features = await wireFeatures()
    const { agents, addLlm, addAgent, patchLlm, patchAgent, pin } = features
    const llmId = await addLlm()
    const following = await addAgent(llmId)
    const pinned = await addAgent(llmId, { response_engine: { type: 'retell-llm', llm_id: llmId, version: 1 } })
    await pin(following)
    await pin(pinned)
    await patchLlm(llmId, { general_prompt: 'Two' })
    await pin(following)
    for (const agentId of [following, pinned]) await patchAgent(agentId, { agent_name: 'Renamed' })
    const answerOf = async (agentId: string, version: number | 'latest') =>
      (await agents.get(1, agentId, version)).response
    expect(await answerOf(following, 2)).toMatchObject({ is_frozen: true, response_engine: { version: 2 } })
    expect(await answerOf(following, LATEST)).toMatchObject({ version: 3, response_engine: { version: null } })
    const engine = { type: 'retell-llm', llm_id: llmId, version: 1 }
    expect(await answerOf(pinned, LATEST)).toMatchObject({ version: 2, response_engine: engine })

    await patchAgent(pinned, { response_engine: { type: 'llm', llm_id: llmId } })
    expect((await answerOf(pinned, LATEST)).response_engine).toEqual({ type: 'llm', llm_id: llmId, version: null })
    expect(await pin(pinned)).toMatchObject({ agentVersion: 2, engineVersion: 2 })
  })

  test('returns the responsiveness of its engine version', async () => {
    await using features = await wireFeatures()
    const { agents, addLlm, addFlow, addAgent, patchLlm, pin } = features
    const llmId = await addLlm({ responsiveness: 'slow' })
    const agentId = await addAgent(llmId)
    const flow = { type: 'conversation_flow', conversation_flow_id: await addFlow() }
    const onFlow = await addAgent(llmId, { response_engine: flow })
    await pin(agentId)
    await patchLlm(llmId, { responsiveness: 0.4 })
    expect((await agents.get(1, agentId, 1)).response.responsiveness).toBe('slow')
    expect((await agents.get(1, agentId, 2)).response.responsiveness).toBe('0.4')
    const { items } = await agents.list(1, { limit: 10, after: null })
    expect(items.map((agent) => [agent.agent_id, agent.responsiveness])).toEqual([
      [onFlow, 'balanced'],
      [agentId, '0.4'],
    ])
  })
})

describe('deleting an LLM', () => {
  test('fails while an agent uses it in its newest or active version', async () => {
    await using features = await wireFeatures()
    const { llms, agents, llmTarget, agentTarget, addLlm, addAgent, patchAgent, pin } = features
    const llmId = await addLlm()
    const agentId = await addAgent(llmId, { agent_name: 'Front desk' })
    const refusal = { code: 'in_use', details: [{ path: '', message: `used by "Front desk" (${agentId})` }] }
    await expect(llms.remove(llmTarget(llmId))).rejects.toMatchObject(refusal)

    await pin(agentId)
    await agents.publish(agentTarget(agentId), {})
    await patchAgent(agentId, { response_engine: { type: 'llm', llm_id: await addLlm() } })
    await expect(llms.remove(llmTarget(llmId))).rejects.toMatchObject(refusal)

    await agents.activate({ ...agentTarget(agentId), version: 2 })
    await llms.remove(llmTarget(llmId))
    await expect(llms.get(1, llmId, LATEST)).rejects.toMatchObject({ code: 'not_found' })
    expect((await agents.get(1, agentId, 1)).response.responsiveness).toBe('balanced')
  })

  test('succeeds after the agent is deleted', async () => {
    await using features = await wireFeatures()
    const { llms, agents, llmTarget, agentTarget, addLlm, addAgent, endedAgents } = features
    const llmId = await addLlm()
    const agentId = await addAgent(llmId)
    await agents.remove(agentTarget(agentId))
    expect(endedAgents).toEqual([agentId])
    await llms.remove(llmTarget(llmId))
    expect((await llms.list(1, { limit: 10, after: null })).items).toEqual([])
  })
})
