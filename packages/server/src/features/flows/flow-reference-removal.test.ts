import { expect, test } from 'vitest'
import { createFlowAgentRemoval } from './flow-reference-removal.ts'
import { buildConversationNode, buildEdge, openFlows } from './flows-test-kit.ts'

const swapTool = (agent_id: string, name: string) => ({ type: 'agent_swap', name, agent_id })
const option = (agent_id: string) => ({
  type: 'agentic_warm_transfer',
  agentic_transfer_config: { transfer_agent: { agent_id, agent_version: 1 } },
  on_hold_music: 'none',
})
const transferTool = (agent_id: string, name: string) => ({
  type: 'transfer_call',
  name,
  transfer_destination: { type: 'predefined', number: '+14155550100' },
  transfer_option: option(agent_id),
})

const nodes = [
  buildConversationNode('a', 'swap', 'transfer', 'help'),
  { id: 'swap', type: 'agent_swap', agent_id: 'agent_gone', agent_version: 2, keep_current_voice: true },
  { id: 'other', type: 'agent_swap', agent_id: 'agent_kept', edges: [buildEdge('a')] },
  { id: 'transfer', type: 'transfer_call', transfer_option: option('agent_gone') },
  {
    ...buildConversationNode('help'),
    type: 'subagent',
    tools: [swapTool('agent_gone', 'x'), swapTool('agent_kept', 'y')],
  },
]
const tools = [swapTool('agent_gone', 'x'), transferTool('agent_gone', 'y'), transferTool('agent_kept', 'z')]

async function openWithRemoval() {
  const feature = await openFlows()
  return {
    ...feature,
    remove: (agentId: string, workspaceId = 1) =>
      feature.database.transaction((transaction) =>
        createFlowAgentRemoval().removeAgentReferences(transaction, {
          workspaceId,
          agentId,
          now: feature.time.clock.now(),
        }),
      ),
  }
}

test('an unused draft loses references to the agent and nothing else', async () => {
  await using feature = await openWithRemoval()
  const { response: created } = await feature.create(nodes, { tools })
  const id = created.conversation_flow_id
  await feature.remove('agent_gone', 2)
  expect((await feature.flows.get(1, id, 'latest')).editCount).toBe(1)
  await feature.remove('agent_gone')
  const { response, editCount } = await feature.flows.get(1, id, 'latest')
  expect(editCount).toBe(2)
  const warm = { type: 'warm_transfer', on_hold_music: 'none' }
  expect(response.nodes).toEqual([
    created.nodes[0],
    { id: 'swap', type: 'agent_swap', keep_current_voice: true },
    created.nodes[2],
    { id: 'transfer', type: 'transfer_call', transfer_option: warm },
    { ...created.nodes[4], tools: [swapTool('agent_kept', 'y')] },
  ])
  expect(response.tools).toEqual([{ ...transferTool('', 'y'), transfer_option: warm }, tools[2]])
  expect((await feature.patch(id, { nodes: response.nodes, tools: response.tools })).editCount).toBe(2)
})

test('a local component of a draft loses them as well', async () => {
  await using feature = await openWithRemoval()
  const components = [
    { name: 'Local', nodes, tools },
    { name: 'Other', nodes: [buildConversationNode('a')] },
  ]
  const { response: created } = await feature.create([buildConversationNode('a')], { components })
  await feature.remove('agent_gone')
  const { response, editCount } = await feature.flows.get(1, created.conversation_flow_id, 'latest')
  expect(editCount).toBe(2)
  expect(JSON.stringify(response.components)).not.toContain('agent_gone')
  expect(response.components[0]?.nodes.map(({ id }) => id)).toEqual(created.components[0]?.nodes.map(({ id }) => id))
  expect(response.components[1]).toEqual(created.components[1])
  expect(response.nodes).toEqual(created.nodes)
})

test('a shared component loses them as well', async () => {
  await using feature = await openWithRemoval()
  const { response } = await feature.addComponent([{ id: 'a', type: 'agent_swap', agent_id: 'agent_gone' }])
  await feature.remove('agent_gone')
  const found = await feature.components.get(1, response.flow_component_id)
  expect(found).toMatchObject({ editCount: 2, response: { nodes: [{ id: 'a', type: 'agent_swap' }] } })
  expect(found.response.nodes[0]).not.toHaveProperty('agent_id')
})

test('frozen versions, older versions and mere mentions stay unchanged', async () => {
  await using feature = await openWithRemoval()
  const used = (await feature.create(nodes)).response
  await feature.use(used.conversation_flow_id, 1)
  const speaks = (await feature.create([buildConversationNode('a')], { global_prompt: 'agent_gone' })).response
  const edited = (await feature.create(nodes)).response
  await feature.use(edited.conversation_flow_id, 1)
  await feature.patch(edited.conversation_flow_id, { global_prompt: 'Two' })
  await feature.remove('agent_gone')
  const read = (id: string, version: number) => feature.flows.get(1, id, version)
  expect(await read(used.conversation_flow_id, 1)).toMatchObject({ editCount: 1, response: { nodes: used.nodes } })
  expect((await read(speaks.conversation_flow_id, 1)).editCount).toBe(1)
  expect((await read(edited.conversation_flow_id, 1)).response.nodes).toEqual(edited.nodes)
  expect((await read(edited.conversation_flow_id, 2)).response.nodes[1]).not.toHaveProperty('agent_id')
})
