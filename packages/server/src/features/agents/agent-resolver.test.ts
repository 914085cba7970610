import { describe, expect, test } from 'vitest'
import { wireFeatures } from '../features-test-kit.ts'
import { createAgentCache } from './agent-resolver.ts'
import { createMcpServerFinder } from './load-engine.ts'
import type { PinnedAgent } from './pinned-agent.ts'

const buildFlowEngine = (conversation_flow_id: string) => ({
  response_engine: { type: 'conversation-flow', conversation_flow_id },
})
const shop = { name: 'Shop', url: 'https://shop.example/mcp' }

describe('loading', () => {
  test('returns post-processing and webhook settings', async () => {
    await using features = await wireFeatures()
    const { agentResolver, addLlm, addChatAgent, pin } = features
    const agentId = await addChatAgent(await addLlm(), {
      agent_name: 'Desk',
      webhook_url: 'https://desk.example/events',
      data_storage_retention_days: 30,
    })
    expect(await agentResolver.load({ ...(await pin(agentId)), workspaceId: 1 })).toMatchObject({
      agentId,
      agentVersion: 1,
      agentName: 'Desk',
      webhook: { url: 'https://desk.example/events' },
      postProcessing: { retentionDays: 30, storage: 'everything' },
    })
  })

  test('caches a frozen version only after the transaction commits', async () => {
    await using features = await wireFeatures()
    const { agentResolver, database, addLlm, addAgent, patchLlm, pin, time } = features
    const llmId = await addLlm({ general_prompt: 'One' })
    const agentId = await addAgent(llmId)
    const request = { workspaceId: 1, agentId, version: 'active', now: time.clock.now() } as const
    const rolledBack = database.transaction(async (transaction) => {
      const pinned = await agentResolver.pin(transaction, request)
      const { engine } = await agentResolver.load({ ...pinned, workspaceId: 1 }, transaction)
      expect(engine).toMatchObject({ generalPrompt: 'One' })
      throw new Error('undone')
    })
    await expect(rolledBack).rejects.toThrow('undone')
    await patchLlm(llmId, { general_prompt: 'Two' })
    const { engine } = await agentResolver.load({ ...(await pin(agentId)), workspaceId: 1 })
    expect(engine).toMatchObject({ version: 1, generalPrompt: 'Two' })
  })

  test('returns states and servers of an LLM, including LLMs stored without them', async () => {
    await using features = await wireFeatures()
    const { agentResolver, database, addLlm, addAgent, pin } = features
    const states = [{ name: 'hello', edges: [{ destination_state_name: 'bye', description: 'Over' }] }, { name: 'bye' }]
    const newer = await addAgent(await addLlm({ states, starting_state: 'bye', mcps: [shop] }))
    const { engine } = await agentResolver.load({ ...(await pin(newer)), workspaceId: 1 })
    expect(engine).toMatchObject({ states, startingState: 'bye', mcps: [shop] })

    const older = await addLlm()
    await database.transaction(async (transaction) => {
      const versionQuery = transaction
        .selectFrom('resource_versions')
        .select('definition')
        .where('resource_id', '=', older)
      const {
        states: _,
        starting_state,
        mcps,
        ...olderDefinition
      } = JSON.parse((await versionQuery.executeTakeFirstOrThrow()).definition)
      await transaction
        .updateTable('resource_versions')
        .set({ definition: JSON.stringify(olderDefinition) })
        .where('resource_id', '=', older)
        .execute()
    })
    const olderAgent = await agentResolver.load({ ...(await pin(await addAgent(older))), workspaceId: 1 })
    expect(olderAgent.engine).toMatchObject({ states: [], startingState: null, mcps: [] })
  })
})

describe('a preview', () => {
  test('loads the current state, freezes nothing and reflects every edit', async () => {
    await using features = await wireFeatures()
    const { agents, agentResolver, addFlow, addAgent, patchFlow, pin } = features
    const flowId = await addFlow()
    const agentId = await addAgent('', buildFlowEngine(flowId))
    const loadPreview = async (version: number | 'latest' | 'active' = 'latest') =>
      (await agentResolver.preview({ workspaceId: 1, agentId, version })).engine
    expect(await loadPreview()).toMatchObject({ version: 1, globalPrompt: '' })
    await patchFlow(flowId, { global_prompt: 'Two' })
    expect(await loadPreview()).toMatchObject({ version: 1, globalPrompt: 'Two' })
    expect((await agents.get(1, agentId, 'latest')).response.is_frozen).toBe(false)
    await pin(agentId)
    await patchFlow(flowId, { global_prompt: 'Three' })
    expect(await loadPreview(1)).toMatchObject({ version: 1, globalPrompt: 'Two' })
    expect(await loadPreview()).toMatchObject({ version: 2, globalPrompt: 'Three' })
    await expect(loadPreview(9)).rejects.toMatchObject({ code: 'not_found' })
    const elsewhere = agentResolver.preview({ workspaceId: 2, agentId, version: 'latest' })
    await expect(elsewhere).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the MCP servers of an agent', () => {
  test('are those of its engine or one of its components', async () => {
    await using features = await wireFeatures()
    const { agentResolver, addLlm, addFlow, addAgent, pin } = features
    const finder = createMcpServerFinder({ agents: agentResolver })
    const find = (agentId: string, componentId?: string) =>
      finder.findMcpServers({ workspaceId: 1, agentId, version: 'latest', componentId })
    const local = { name: 'Local', url: 'https://local.example/mcp' }
    const nodes = [{ id: 'a', type: 'end' as const }]
    const flowId = await addFlow({
      mcps: [shop],
      components: [{ name: 'Ask', nodes, tools: [], mcps: [local] }],
      default_dynamic_variables: { key: '1' },
    })
    const flowAgent = await addAgent('', buildFlowEngine(flowId))
    expect(await find(flowAgent)).toEqual({ servers: [shop], variables: { key: '1' } })
    expect(await find(flowAgent, 'Ask')).toEqual({ servers: [local], variables: { key: '1' } })
    await pin(flowAgent)
    expect(await find(flowAgent, 'Ask')).toEqual({ servers: [local], variables: { key: '1' } })
    for (const unknownComponent of ['ask', 'constructor']) {
      await expect(find(flowAgent, unknownComponent)).rejects.toMatchObject({ code: 'not_found' })
    }
    const llmAgent = await addAgent(await addLlm({ mcps: [shop] }))
    expect(await find(llmAgent)).toEqual({ servers: [shop], variables: {} })
    await expect(find(llmAgent, 'Ask')).rejects.toMatchObject({ code: 'not_found' })
    const custom = { response_engine: { type: 'custom-llm', llm_websocket_url: 'wss://example.com/llm' } }
    expect(await find(await addAgent('', custom))).toEqual({ servers: [], variables: {} })
  })
})

const buildAgent = (agentName: string) => ({ agentName }) as PinnedAgent

test('evicts the least recently used entries above its limit', () => {
  const cache = createAgentCache(3_100)
  for (const key of ['a', 'b', 'c']) cache.set(key, buildAgent(key))
  expect(cache.get('a')).toEqual(buildAgent('a'))
  cache.set('d', buildAgent('d'))
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key)?.agentName)).toEqual(['a', undefined, 'c', 'd'])
})

test('rejects an entry larger than the whole cache', () => {
  const cache = createAgentCache(3_100)
  cache.set('a', buildAgent('a'))
  cache.set('large', buildAgent('x'.repeat(5_000)))
  expect([cache.get('a'), cache.get('large')]).toEqual([undefined, undefined])
})

test('counts a replaced entry once', () => {
  const cache = createAgentCache(3_100)
  for (let time = 0; time < 10; time += 1) cache.set('a', buildAgent('a'))
  cache.set('b', buildAgent('b'))
  expect(cache.get('a')).toEqual(buildAgent('a'))
})
