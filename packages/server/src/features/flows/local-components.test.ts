import { expect, test } from 'vitest'
import { buildComponentNode, buildConversationNode, buildEdge, openFlows } from './flows-test-kit.ts'

const asking = { name: 'Ask', nodes: [buildConversationNode('x', 'y'), { id: 'y', type: 'branch', else_edge: {} }] }

test('local components are stored with edge ids and returned as given', async () => {
  await using feature = await openFlows()
  const named = {
    component_id: 'bye',
    name: 'Say goodbye',
    start_node_id: 'z',
    nodes: [{ ...buildConversationNode('y'), else_edge: {} }, buildConversationNode('z', 'y')],
  }
  const notes = [{ id: 'n', content: 'Why', display_position: { x: 1, y: 2 }, size: { width: 10, height: 5 } }]
  const { response } = await feature.create(
    [buildComponentNode('a', 'Ask', { edges: [buildEdge('b')] }), buildComponentNode('b', 'bye')],
    {
      components: [asking, { ...named, notes }],
      notes,
      begin_tag_display_position: { x: 0, y: -1 },
    },
  )
  expect(response.warnings).toEqual([])
  expect(response).toMatchObject({ notes, begin_tag_display_position: { x: 0, y: -1 } })
  const [first, second] = response.components
  expect(first).toEqual({
    ...asking,
    nodes: [
      { ...buildConversationNode('x'), edges: [{ ...buildEdge('y'), id: expect.stringMatching(/^edge_/) }] },
      { id: 'y', type: 'branch', else_edge: { id: expect.stringMatching(/^edge_/) } },
    ],
    tools: [],
    mcps: [],
  })
  expect(second).toMatchObject({ component_id: 'bye', start_node_id: 'z', notes })
  expect(first).not.toHaveProperty('component_id')
})

test('writing the same components twice changes nothing; a PATCH gives the complete list', async () => {
  await using feature = await openFlows()
  const fields = { components: [asking] }
  const { response: created } = await feature.create([buildComponentNode('a', 'Ask')], fields)
  const id = created.conversation_flow_id
  for (const same of [fields, { components: created.components }, created]) {
    const { version: _, ...body } = { version: 0, ...same }
    expect((await feature.patch(id, body)).editCount).toBe(1)
  }
  const other = { name: 'Tell', nodes: [{ ...buildConversationNode('x'), else_edge: {} }] }
  const { response } = await feature.patch(id, { components: [other] })
  expect(response.components.map(({ name }) => name)).toEqual(['Tell'])
  expect(response.warnings).toEqual([expect.stringContaining('refers to the component "Ask", which does not exist')])
})

test('a PATCH is validated together with its components', async () => {
  await using feature = await openFlows()
  const { response: created } = await feature.create([buildComponentNode('a', 'Ask')], { components: [asking] })
  const id = created.conversation_flow_id
  const cyclic = { name: 'Ask', nodes: [buildComponentNode('x', 'Ask')] }
  await expect(feature.patch(id, { components: [cyclic] })).rejects.toMatchObject({
    details: [{ path: 'components[0].nodes[0].component_id' }],
  })
  await expect(
    feature.patch(id, { components: [{ name: 'Ask', nodes: [buildConversationNode('x', 'z')] }] }),
  ).rejects.toMatchObject({
    details: [{ path: 'components[0].nodes[0].edges[0].destination_node_id' }],
  })
  expect((await feature.flows.get(1, id, 'latest')).editCount).toBe(1)
})

test('validating a flow reports problems of its components with their paths', async () => {
  await using feature = await openFlows()
  const fields = {
    components: [
      { name: 'Ask', nodes: [buildComponentNode('x', 'Ask', { else_edge: {} }), { id: 'y', type: 'branch' }] },
    ],
  }
  expect(await feature.validate([buildConversationNode('a')], fields)).toEqual({
    valid: false,
    errors: [
      { path: 'components[0].nodes[1].else_edge', message: expect.any(String) },
      { path: 'components[0].nodes[0].component_id', message: expect.stringContaining('"Ask" inside itself') },
    ],
    warnings: ['In component "Ask": No edge leads to "y".'],
  })
})

test('an older flow has no components and servers, and an empty edit changes nothing', async () => {
  await using feature = await openFlows()
  const { response: created } = await feature.create([buildConversationNode('a')])
  const id = created.conversation_flow_id
  const component = (await feature.addComponent([buildConversationNode('a')])).response
  await feature.database.transaction(async (transaction) => {
    const versions = await transaction.selectFrom('resource_versions').select('definition').executeTakeFirstOrThrow()
    const { mcps, components, notes, begin_tag_display_position, ...before } = JSON.parse(versions.definition)
    await transaction
      .updateTable('resource_versions')
      .set({ definition: JSON.stringify(before) })
      .execute()
    const stored = await transaction.selectFrom('flow_components').select('definition').executeTakeFirstOrThrow()
    const { mcps: _servers, notes: _notes, ...older } = JSON.parse(stored.definition)
    await transaction
      .updateTable('flow_components')
      .set({ definition: JSON.stringify(older) })
      .execute()
  })
  const { warnings: _, ...read } = created
  expect(await feature.flows.get(1, id, 'latest')).toEqual({ response: read, editCount: 1 })
  expect(await feature.patch(id, {})).toEqual({ response: created, editCount: 1 })
  expect(await feature.patch(id, { components: [], notes: null })).toMatchObject({ editCount: 1 })
  const { warnings: _none, ...sameComponent } = component
  const componentId = component.flow_component_id
  expect(await feature.components.get(1, componentId)).toEqual({ response: sameComponent, editCount: 1 })
  expect((await feature.patchComponent(componentId, {})).editCount).toBe(1)
})
