import { expect, test } from 'vitest'
import { findModelWarnings } from '../engines/stored-definitions.ts'
import { limitWarnings, listNodeModels } from './flow-checks.ts'
import { buildConversationNode, openFlows, parseNodes } from './flows-test-kit.ts'

test('names each unserved model once, including those of local components', () => {
  const models = { resolve: (name: string) => (name === 'offline' ? {} : null), listConfigured: () => ['offline'] }
  const choosing = (model: string) => ({ ...buildConversationNode('a'), model_choice: { type: 'cascading', model } })
  const nodes = parseNodes([choosing('acme/large'), choosing('acme/large')])
  const local = { name: 'Local', nodes: parseNodes([choosing('acme/small')]), tools: [], mcps: [] }
  expect(findModelWarnings(models, ['offline', ...listNodeModels(nodes, [local])])).toEqual([
    expect.stringContaining('"acme/large"'),
    expect.stringContaining('"acme/small"'),
  ])
})

test('counts warnings above the limit instead of listing them', () => {
  expect(limitWarnings(['a', 'b'])).toEqual(['a', 'b'])
  const shortened = limitWarnings(Array.from({ length: 60 }, (_, index) => `Warning ${index}.`))
  expect(shortened).toHaveLength(51)
  expect(shortened.at(-1)).toBe('There are 10 more warnings.')
})

test('names missing agents of every handoff in a flow or component', async () => {
  await using feature = await openFlows()
  await feature.database.transaction(async (transaction) => {
    const row = { newest_version: 1, active_version: null, edit_count: 1, created_at: 0, updated_at: 0 }
    const rows = [
      { resource_id: 'agent_here', kind: 'chat-agent' as const, workspace_id: 1, ...row },
      { resource_id: 'agent_elsewhere', kind: 'agent' as const, workspace_id: 2, ...row },
    ]
    await transaction.insertInto('resources').values(rows).execute()
  })
  const swaps = (id: string, agent_id: string) => ({ id, type: 'agent_swap', agent_id })
  const transfer_option = {
    type: 'agentic_warm_transfer',
    agentic_transfer_config: { transfer_agent: { agent_id: 'agent_transfer' } },
  }
  const nodes = [
    {
      ...buildConversationNode('a', 'b', 'c', 'd'),
      type: 'subagent',
      tools: [{ type: 'agent_swap', name: 't', agent_id: 'agent_tool' }],
    },
    swaps('b', 'agent_here'),
    swaps('c', 'agent_elsewhere'),
    { id: 'd', type: 'transfer_call', transfer_destination: { type: 'inferred', prompt: 'x' }, transfer_option },
  ]
  const components = [{ name: 'part', nodes: [swaps('x', 'agent_local')] }]
  const named = (warnings: readonly string[]) =>
    warnings.flatMap((warning) => /^The agent "(\w+)" does not exist/.exec(warning)?.[1] ?? [])
  const { response } = await feature.create(nodes, { components })
  expect(named(response.warnings)).toEqual(['agent_tool', 'agent_elsewhere', 'agent_transfer', 'agent_local'])
  expect(named((await feature.validate(nodes, { components })).warnings)).toHaveLength(4)
  expect(named((await feature.patch(response.conversation_flow_id, {})).response.warnings)).toHaveLength(4)
  expect(named((await feature.addComponent([swaps('x', 'agent_shared')])).response.warnings)).toEqual(['agent_shared'])
})

test('warns about ignored fields on every write', async () => {
  await using feature = await openFlows()
  const switches = { tool_call_strict_mode: true, model_choice: { high_priority: true } }
  const expectedWarnings = [
    expect.stringContaining('"model_choice.high_priority"'),
    expect.stringContaining('"tool_call_strict'),
  ]
  const { response } = await feature.create([buildConversationNode('a')], switches)
  expect(response.warnings).toEqual(expectedWarnings)
  expect(response).not.toHaveProperty('tool_call_strict_mode')
  expect((await feature.patch(response.conversation_flow_id, switches)).response.warnings).toEqual(expectedWarnings)
  expect((await feature.patch(response.conversation_flow_id, {})).response.warnings).toEqual([])
  expect((await feature.validate([buildConversationNode('a')], switches)).warnings).toEqual(expectedWarnings)
})

test('a flow has a name, which stays with each version', async () => {
  await using feature = await openFlows()
  const { response } = await feature.create([buildConversationNode('a')], { display_name: 'Orders' })
  const id = response.conversation_flow_id
  await feature.use(id, 1)
  expect((await feature.patch(id, { display_name: 'Cakes' })).response).toMatchObject({
    display_name: 'Cakes',
    version: 2,
  })
  expect((await feature.flows.get(1, id, 1)).response.display_name).toBe('Orders')
  expect((await feature.flows.list(1, { limit: 1, after: null })).items).toMatchObject([{ display_name: 'Cakes' }])
  expect((await feature.patch(id, { display_name: null })).response.display_name).toBe('')
})
