import { expect, test } from 'vitest'
import { createFlowKnowledgeRemoval } from './flow-reference-removal.ts'
import { buildConversationNode, openFlows } from './flows-test-kit.ts'

const DELETED_BASE = 'knowledge_base_gone'
const REMAINING_BASE = 'knowledge_base_kept'
const nodes = [
  { ...buildConversationNode('a', 'b'), knowledge_base_ids: [REMAINING_BASE, DELETED_BASE] },
  { ...buildConversationNode('b'), knowledge_base_ids: [DELETED_BASE] },
  { ...buildConversationNode('c'), knowledge_base_ids: [REMAINING_BASE] },
  buildConversationNode('d'),
]

async function openWithKnowledgeRemoval() {
  const feature = await openFlows()
  return {
    ...feature,
    remove: (workspaceId = 1) =>
      feature.database.transaction((transaction) =>
        createFlowKnowledgeRemoval().removeKnowledgeBaseReferences(transaction, {
          workspaceId,
          knowledgeBaseId: DELETED_BASE,
          now: feature.time.clock.now(),
        }),
      ),
  }
}

/** Returns each node's knowledge bases, or `null` for a node without the field. */
function idsOf(found: readonly object[]): (readonly string[] | null)[] {
  return found.map((node) => ('knowledge_base_ids' in node ? (node.knowledge_base_ids as string[]) : null))
}

const REMAINING_LISTS = [[REMAINING_BASE], [], [REMAINING_BASE], null]

test('an unused draft loses the knowledge base, including its nodes and local components', async () => {
  await using feature = await openWithKnowledgeRemoval()
  const fields = {
    knowledge_base_ids: [DELETED_BASE, REMAINING_BASE],
    components: [
      { name: 'Local', nodes },
      { name: 'Other', nodes: [buildConversationNode('a')] },
    ],
  }
  const { response: created } = await feature.create(nodes, fields)
  const id = created.conversation_flow_id
  await feature.remove(2)
  expect((await feature.flows.get(1, id, 'latest')).editCount).toBe(1)
  await feature.remove()
  await feature.remove()
  const { response, editCount } = await feature.flows.get(1, id, 'latest')
  expect(editCount).toBe(2)
  expect(response.knowledge_base_ids).toEqual([REMAINING_BASE])
  expect(idsOf(response.nodes)).toEqual(REMAINING_LISTS)
  expect(idsOf(response.components[0]?.nodes ?? [])).toEqual(REMAINING_LISTS)
  expect(response.components[1]).toEqual(created.components[1])
  const { knowledge_base_ids, nodes: after, components } = response
  expect((await feature.patch(id, { knowledge_base_ids, nodes: after, components })).editCount).toBe(2)
})

test('removes a reference at the top level only, or in a component only', async () => {
  await using feature = await openWithKnowledgeRemoval()
  const top = (await feature.create([buildConversationNode('a')], { knowledge_base_ids: [DELETED_BASE] })).response
  const inside = (await feature.create([buildConversationNode('a')], { components: [{ name: 'Local', nodes }] }))
    .response
  const shared = (await feature.addComponent(nodes)).response
  await feature.remove()
  expect((await feature.flows.get(1, top.conversation_flow_id, 'latest')).response.knowledge_base_ids).toEqual([])
  const local = (await feature.flows.get(1, inside.conversation_flow_id, 'latest')).response.components[0]
  expect(idsOf(local?.nodes ?? [])).toEqual(REMAINING_LISTS)
  const component = await feature.components.get(1, shared.flow_component_id)
  expect([component.editCount, idsOf(component.response.nodes)]).toEqual([2, REMAINING_LISTS])
})

test('frozen versions and mere mentions stay unchanged', async () => {
  await using feature = await openWithKnowledgeRemoval()
  const used = (await feature.create(nodes, { knowledge_base_ids: [DELETED_BASE] })).response
  await feature.use(used.conversation_flow_id, 1)
  const speaks = (await feature.create([buildConversationNode('a')], { global_prompt: DELETED_BASE })).response
  const component = (
    await feature.addComponent([{ ...buildConversationNode('a'), instruction: { type: 'prompt', text: DELETED_BASE } }])
  ).response
  await feature.remove()
  const found = await feature.flows.get(1, used.conversation_flow_id, 1)
  expect(found).toMatchObject({
    editCount: 1,
    response: { nodes: used.nodes, knowledge_base_ids: [DELETED_BASE] },
  })
  expect((await feature.flows.get(1, speaks.conversation_flow_id, 1)).editCount).toBe(1)
  expect((await feature.components.get(1, component.flow_component_id)).editCount).toBe(1)
})
