import { UpdateFlowComponentBody } from '@parley/contract/flow-component'
import { describe, expect, test } from 'vitest'
import { buildComponentNode, buildConversationNode, buildEdge, openFlows } from './flows-test-kit.ts'

test('creates, reads, updates and deletes a component', async () => {
  await using feature = await openFlows()
  const { components, time } = feature
  const created = await feature.addComponent([buildConversationNode('a', 'b'), { id: 'b', type: 'end' }], {
    name: 'Goodbye',
  })
  const { warnings, ...read } = created.response
  const id = read.flow_component_id
  expect(created).toMatchObject({
    editCount: 1,
    response: { workspaceId: 1, name: 'Goodbye', start_node_id: 'a', tools: [] },
  })
  expect(warnings).toEqual([])
  expect(await components.get(1, id)).toEqual({ response: read, editCount: 1 })

  await time.advance(1_000)
  const edited = await feature.patchComponent(id, { nodes: [buildConversationNode('c', 'b')], name: null }, 1)
  expect(edited).toMatchObject({ editCount: 2, response: { name: '', created_at: read.created_at } })
  expect(edited.response.updated_at).toBe('2026-01-05T12:00:01.000Z')
  expect(edited.response.nodes.map((node) => node.id)).toEqual(['a', 'b', 'c'])
  expect(edited.response.warnings).toEqual(['No edge leads to "c".'])
  expect((await feature.patchComponent(id, { nodes: edited.response.nodes })).editCount).toBe(2)

  const conflict = { code: 'version_conflict' }
  await expect(feature.patchComponent(id, { name: 'x' }, 1)).rejects.toMatchObject(conflict)
  await expect(components.remove(feature.target(id, 1))).rejects.toMatchObject(conflict)
  await components.remove(feature.target(id, 2))
  await expect(components.get(1, id)).rejects.toMatchObject({ code: 'not_found' })
})

test('rejects a graph that cannot run', async () => {
  await using feature = await openFlows()
  const loose = { details: [{ path: 'nodes[0].edges[0].destination_node_id' }] }
  await expect(feature.addComponent([buildConversationNode('a', 'x')])).rejects.toMatchObject(loose)
  const { response } = await feature.addComponent([buildConversationNode('a')])
  const id = response.flow_component_id
  await expect(feature.patchComponent(id, { nodes: [buildConversationNode('b', 'x')] })).rejects.toMatchObject(loose)
  await expect(feature.patchComponent(id, { start_node_id: 'x' })).rejects.toMatchObject({
    details: [{ path: 'start_node_id' }],
  })
})

describe('a used component', () => {
  test('cannot be deleted while the newest version of a flow uses it', async () => {
    await using feature = await openFlows()
    const id = (await feature.addComponent([buildConversationNode('a')])).response.flow_component_id
    const { response: flow } = await feature.create([buildComponentNode('a', id)])
    expect(flow.warnings).toEqual([])
    const flowId = flow.conversation_flow_id
    const target = feature.target(id)
    const refusal = { code: 'in_use', details: [{ message: `used by ${flowId}` }] }
    await expect(feature.components.remove(target)).rejects.toMatchObject(refusal)
    await feature.use(flowId, 1)
    await expect(feature.components.remove(target)).rejects.toMatchObject(refusal)
    await feature.patch(flowId, { nodes: [{ id: 'a', component_id: 'flow_component_gone' }], global_prompt: id })
    await feature.components.remove(target)
    const { warnings } = (await feature.patch(flowId, { global_prompt: '' })).response
    expect(warnings).toEqual([expect.stringContaining('"flow_component_gone", which does not exist')])
  })

  test('cannot be deleted while another component uses it', async () => {
    await using feature = await openFlows()
    const inner = (await feature.addComponent([buildConversationNode('a')])).response.flow_component_id
    const outer = (await feature.addComponent([buildComponentNode('a', inner)])).response.flow_component_id
    await expect(feature.components.remove(feature.target(inner))).rejects.toMatchObject({
      code: 'in_use',
      details: [{ message: `used by ${outer}` }],
    })
  })

  test('cannot contain itself', async () => {
    await using feature = await openFlows()
    const first = (await feature.addComponent([buildConversationNode('a')])).response.flow_component_id
    const second = (await feature.addComponent([buildComponentNode('a', first)])).response.flow_component_id
    const third = (await feature.addComponent([buildComponentNode('a', second)])).response.flow_component_id
    for (const id of [first, second, third]) {
      await expect(feature.patchComponent(first, { nodes: [buildComponentNode('x', id)] })).rejects.toMatchObject({
        code: 'invalid_request',
        details: [{ path: 'nodes[0].component_id' }],
      })
    }
    expect((await feature.components.get(1, first)).editCount).toBe(1)
    expect((await feature.patchComponent(third, { nodes: [buildComponentNode('x', first)] })).editCount).toBe(2)
  })

  test('is visible only in its own workspace, and sets variables for the flow', async () => {
    await using feature = await openFlows()
    const extract = {
      id: 'a',
      type: 'extract_dynamic_variables',
      variables: [{ type: 'string', name: 'city', description: '' }],
    }
    const id = (await feature.addComponent([extract])).response.flow_component_id
    const nodes = [
      buildComponentNode('a', id, { edges: [buildEdge('b')] }),
      { ...buildConversationNode('b'), instruction: { type: 'prompt', text: '{{city}}' } },
    ]
    expect((await feature.validate(nodes)).warnings).toEqual([])
    const { warnings } = await feature.flows.validate(2, (await feature.create(nodes)).response)
    expect(warnings).toEqual([expect.stringContaining(id), expect.stringContaining('"city"')])
  })
})

test('lists return the newest first, page by page, without nodes', async () => {
  await using feature = await openFlows()
  for (const name of ['A', 'B', 'C']) {
    await feature.addComponent([buildConversationNode('a')], { name })
    await feature.time.advance(1)
  }
  const first = await feature.components.list(1, { limit: 2, after: null })
  expect(first.items.map(({ name }) => name)).toEqual(['C', 'B'])
  const second = await feature.components.list(1, { limit: 2, after: first.next })
  expect(second).toMatchObject({ items: [{ name: 'A' }], next: null })
  expect(second.items[0]).not.toHaveProperty('nodes')
  expect((await feature.components.list(2, { limit: 2, after: null })).items).toEqual([])
})

test('a component of another workspace does not exist', async () => {
  await using feature = await openFlows()
  const { components } = feature
  const componentId = (await feature.addComponent([buildConversationNode('a')])).response.flow_component_id
  const elsewhere = { workspaceId: 2, id: componentId, ifMatch: null }
  for (const attempt of [
    () => components.get(2, componentId),
    () => components.update(elsewhere, UpdateFlowComponentBody.parse({ name: 'x' })),
    () => components.remove(elsewhere),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' })
  }
})
