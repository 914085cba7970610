import { describe, expect, test } from 'vitest'
import { MAX_COMPONENTS } from './collect-components.ts'
import { insertComponent } from './component-store.ts'
import { createFlowSource } from './flow-source.ts'
import { buildComponentNode, buildConversationNode, buildEdge, openFlows, parseNodes } from './flows-test-kit.ts'

type Feature = Awaited<ReturnType<typeof openFlows>>

const source = createFlowSource()

/** Returns the prompts of the first nodes of a version's shared components, as conversations run them. */
async function componentsOf({ database }: Feature, id: string, version: number): Promise<Record<string, unknown>> {
  const flow = await source.find(database.read, 1, id, version)
  if (flow === null) return {}
  const graphs = await source.findComponents(database.read, 1, flow)
  return Object.fromEntries([...graphs].map(([componentId, graph]) => [componentId, graph.nodes[0]?.instruction]))
}

const staticText = (text: string) => ({ type: 'static_text', text })
const speaks = (text: string) => [
  { id: 'a', type: 'conversation', instruction: staticText(text), always_edge: { id: 'out' } },
]

describe('a frozen version', () => {
  test('keeps its components unchanged, including nested ones and those of local components', async () => {
    await using feature = await openFlows()
    const inner = (await feature.addComponent(speaks('inner 1'))).response.flow_component_id
    const outer = (await feature.addComponent([...speaks('outer 1'), buildComponentNode('b', inner)])).response
      .flow_component_id
    const other = (await feature.addComponent(speaks('other 1'))).response.flow_component_id
    const unused = (await feature.addComponent(speaks('unused'))).response.flow_component_id
    const components = [{ name: 'Local', nodes: [buildComponentNode('x', other)] }]
    const { response } = await feature.create(
      [buildComponentNode('a', outer, { edges: [buildEdge('b')] }), buildComponentNode('b', 'Local')],
      {
        components,
      },
    )
    const id = response.conversation_flow_id
    await feature.patchComponent(inner, { nodes: [{ id: 'a', instruction: staticText('inner 2') }] })
    const drafted = { [inner]: staticText('inner 2'), [outer]: staticText('outer 1'), [other]: staticText('other 1') }
    expect(await componentsOf(feature, id, 1)).toEqual(drafted)
    await feature.use(id, 1)
    expect(await componentsOf(feature, id, 1)).toEqual(drafted)
    expect(drafted).not.toHaveProperty(unused)

    await feature.patchComponent(inner, { nodes: [{ id: 'a', instruction: staticText('inner 3') }] })
    await feature.patchComponent(other, { nodes: [{ id: 'a', instruction: staticText('other 2') }] })
    await feature.use(id, 1)
    expect(await componentsOf(feature, id, 1)).toEqual(drafted)
    expect(await componentsOf(feature, id, 2)).toEqual({
      [inner]: staticText('inner 3'),
      [outer]: staticText('outer 1'),
      [other]: staticText('other 2'),
    })

    await feature.patch(id, { nodes: speaks('alone'), replaceNodes: true, components: null })
    for (const removedId of [outer, inner, other]) await feature.components.remove(feature.target(removedId))
    expect(await componentsOf(feature, id, 1)).toEqual(drafted)
    expect(await componentsOf(feature, id, 2)).toEqual({})
  })

  test('is frozen together with its components by publishing as well', async () => {
    await using feature = await openFlows()
    const component = (await feature.addComponent(speaks('one'))).response.flow_component_id
    const id = (await feature.create([buildComponentNode('a', component)])).response.conversation_flow_id
    await feature.flows.publish(feature.target(id), {})
    await feature.patchComponent(component, { nodes: [{ id: 'a', instruction: staticText('two') }] })
    expect(await componentsOf(feature, id, 1)).toEqual({ [component]: staticText('one') })
    expect((await feature.flows.get(1, id, 'active')).response).toMatchObject({ version: 1, is_frozen: true })
    expect((await feature.flows.get(1, id, 'latest')).response).toMatchObject({ version: 2, is_frozen: false })
  })

  test('deletes its component records together with the flow', async () => {
    await using feature = await openFlows()
    const component = (await feature.addComponent(speaks('one'))).response.flow_component_id
    const id = (await feature.create([buildComponentNode('a', component)])).response.conversation_flow_id
    await feature.use(id, 1)
    const records = () => feature.database.read.selectFrom('flow_version_components').selectAll().execute()
    expect(await records()).toMatchObject([{ resource_id: id, version: 1, flow_component_id: component }])
    await feature.flows.remove(feature.target(id))
    expect(await records()).toEqual([])
  })
})

describe('editing a shared component', () => {
  test('creates a next version of every frozen flow that uses it, which agents follow', async () => {
    await using feature = await openFlows()
    const inner = (await feature.addComponent(speaks('one'))).response.flow_component_id
    const outer = (await feature.addComponent([buildComponentNode('a', inner), buildComponentNode('b', inner)]))
      .response.flow_component_id
    const make = async (nodes: readonly object[], fields: object = {}) =>
      (await feature.create(nodes, fields)).response.conversation_flow_id
    const direct = await make(
      [buildComponentNode('a', inner, { edges: [buildEdge('b')] }), buildComponentNode('b', outer)],
      { global_prompt: 'Direct' },
    )
    const nested = await make([buildComponentNode('a', outer)])
    const local = await make([buildComponentNode('a', 'L')], {
      components: [{ name: 'L', nodes: [buildComponentNode('a', outer)] }],
    })
    const draft = await make([buildComponentNode('a', outer)])
    const unrelated = await make([buildConversationNode('a')], { global_prompt: inner })
    for (const id of [direct, nested, local, unrelated]) await feature.use(id, 1)
    feature.unaffectedAgents.push('"Desk" (agent_1)')
    await feature.time.advance(1_000)

    const { response } = await feature.patchComponent(inner, {
      nodes: [{ id: 'a', instruction: staticText('two') }],
    })
    expect(response.warnings).toEqual([expect.stringContaining('"Desk" (agent_1)')])
    const now = feature.time.clock.now()
    expect(feature.followed).toEqual(
      expect.arrayContaining([direct, nested, local].map((engineId) => ({ workspaceId: 1, engineId, now }))),
    )
    expect(feature.followed).toHaveLength(3)
    const newest = async (id: string) => {
      const { response: flow, editCount } = await feature.flows.get(1, id, 'latest')
      return [flow.version, flow.is_frozen, editCount]
    }
    for (const id of [direct, nested, local]) expect(await newest(id)).toEqual([2, false, 2])
    expect(await newest(draft)).toEqual([1, false, 1])
    expect(await newest(unrelated)).toEqual([1, true, 1])
    const { response: second } = await feature.flows.get(1, direct, 2)
    const { response: first } = await feature.flows.get(1, direct, 1)
    expect(second).toMatchObject({ global_prompt: 'Direct', nodes: first.nodes })

    await feature.patchComponent(inner, { nodes: [{ id: 'a', instruction: staticText('three') }] })
    expect(await newest(nested)).toEqual([2, false, 2])
    expect(await componentsOf(feature, nested, 1)).toMatchObject({ [inner]: staticText('one') })
    expect(await componentsOf(feature, nested, 2)).toMatchObject({ [inner]: staticText('three') })
  })

  test('without visible changes creates no versions', async () => {
    await using feature = await openFlows()
    const component = (await feature.addComponent(speaks('one'))).response.flow_component_id
    const id = (await feature.create([buildComponentNode('a', component)])).response.conversation_flow_id
    await feature.use(id, 1)
    await feature.patchComponent(component, { name: 'Renamed', notes: [{ id: 'n', content: 'Why' }] })
    expect((await feature.flows.get(1, id, 'latest')).response.version).toBe(1)
    expect(feature.followed).toEqual([])
    await feature.patchComponent(component, { mcps: [{ name: 'Shop', url: 'https://shop.example/mcp' }] })
    expect((await feature.flows.get(1, id, 'latest')).response.version).toBe(2)
  })

  test('that is rejected changes nothing', async () => {
    await using feature = await openFlows()
    const component = (await feature.addComponent(speaks('one'))).response.flow_component_id
    const id = (await feature.create([buildComponentNode('a', component)])).response.conversation_flow_id
    await feature.use(id, 1)
    await expect(feature.patchComponent(component, { nodes: [buildConversationNode('b', 'x')] })).rejects.toMatchObject(
      {
        code: 'invalid_request',
      },
    )
    await expect(feature.patchComponent(component, { nodes: speaks('two') }, 9)).rejects.toMatchObject({
      code: 'version_conflict',
    })
    expect((await feature.flows.get(1, id, 'latest')).response.version).toBe(1)
  })
})

test('a concurrent first use and edit leave the newest version with the newest component', async () => {
  await using feature = await openFlows()
  for (let round = 0; round < 10; round += 1) {
    const component = (await feature.addComponent(speaks('one'))).response.flow_component_id
    const id = (await feature.create([buildComponentNode('a', component)])).response.conversation_flow_id
    const edit = () => feature.patchComponent(component, { nodes: speaks('two') })
    const use = () => feature.use(id, 1)
    await Promise.all((round % 2 === 0 ? [edit, use] : [use, edit]).map((act) => act()))
    const { response } = await feature.flows.get(1, id, 'latest')
    expect(await componentsOf(feature, id, response.version)).toEqual({ [component]: staticText('two') })
    const first = response.version === 1 ? 'two' : 'one'
    expect(await componentsOf(feature, id, 1)).toEqual({ [component]: staticText(first) })
  }
})

test('limits the components of a flow and warns about the rest', async () => {
  await using feature = await openFlows()
  const chain = Array.from({ length: MAX_COMPONENTS + 5 }, (_, index) => ({
    id: `flow_component_chain_${index}`,
    workspaceId: 1,
    definition: {
      name: '',
      start_node_id: 'a',
      nodes: parseNodes([buildComponentNode('a', `flow_component_chain_${index + 1}`)]),
      tools: [],
      mcps: [],
      notes: [],
    },
    ...{ editCount: 1, createdAt: 0, updatedAt: 0 },
  }))
  await feature.database.transaction(async (transaction) => {
    for (const component of chain) await insertComponent(transaction, component)
  })
  const { response } = await feature.create([buildComponentNode('a', 'flow_component_chain_0')])
  expect(response.warnings).toEqual([
    expect.stringContaining('nested 200 levels deep'),
    expect.stringContaining(`more than ${MAX_COMPONENTS} shared components`),
  ])
  const id = response.conversation_flow_id
  await feature.use(id, 1)
  expect(Object.keys(await componentsOf(feature, id, 1))).toHaveLength(MAX_COMPONENTS)
  await expect(feature.addComponent([buildComponentNode('a', 'flow_component_chain_0')])).rejects.toMatchObject({
    details: [{ path: 'nodes', message: expect.stringContaining(`more than ${MAX_COMPONENTS}`) }],
  })
})
