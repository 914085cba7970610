import { describe, expect, test } from 'vitest'
import { buildConversationNode, buildEdge, openFlows } from './flows-test-kit.ts'

describe('creating', () => {
  test('fills in every default and returns the same as a read', async () => {
    await using feature = await openFlows()
    const nodes = [{ id: 'a', type: 'conversation', instruction: { type: 'static_text', text: 'Hi' } }]
    const { response, editCount } = await feature.create(nodes)
    expect(response).toEqual({
      conversation_flow_id: 'conversation_flow_1',
      version: 1,
      workspaceId: 1,
      display_name: '',
      start_speaker: 'agent',
      global_prompt: '',
      model_choice: { type: 'cascading', model: 'offline' },
      model_temperature: null,
      begin_after_user_silence_ms: null,
      max_hops_per_turn: 8,
      start_node_id: 'a',
      nodes,
      tools: [],
      mcps: [],
      knowledge_base_ids: [],
      kb_config: { top_k: 3, filter_score: 0 },
      components: [],
      default_dynamic_variables: {},
      notes: [],
      begin_tag_display_position: null,
      is_published: false,
      is_frozen: false,
      version_title: null,
      version_description: null,
      created_at: '2026-01-05T12:00:00.000Z',
      updated_at: '2026-01-05T12:00:00.000Z',
      warnings: [],
    })
    expect(editCount).toBe(1)
    const { warnings, ...read } = response
    expect(await feature.flows.get(1, response.conversation_flow_id, 'latest')).toEqual({
      response: read,
      editCount: 1,
    })
  })

  test('assigns edge ids and warns about likely mistakes', async () => {
    await using feature = await openFlows()
    const choice = { type: 'cascading', model: 'acme/large' }
    const { response } = await feature.create(
      [
        buildConversationNode('a', 'b'),
        buildConversationNode('b', 'a'),
        { ...buildConversationNode('c'), model_choice: choice },
      ],
      {
        global_prompt: 'Call me {{name}}.',
        model_choice: { model: 'acme/small' },
      },
    )
    const ids = response.nodes.flatMap(({ edges }) => edges?.map(({ id }) => id) ?? [])
    expect(ids).toEqual(['edge_1', 'edge_2'])
    expect(response.model_choice.model).toBe('acme/small')
    expect(response.warnings).toEqual([
      expect.stringContaining('"acme/small"'),
      expect.stringContaining('"acme/large"'),
      expect.stringContaining('"c"'),
      expect.stringContaining('"name"'),
    ])
  })

  test('rejects a graph that cannot run, with every path, and stores nothing', async () => {
    await using feature = await openFlows()
    const nodes = [buildConversationNode('a', 'x'), { id: 'b', type: 'branch' }, buildConversationNode('a')]
    await expect(feature.create(nodes, { start_node_id: 'y' })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [
        { path: 'start_node_id' },
        { path: 'nodes[0].edges[0].destination_node_id' },
        { path: 'nodes[1].else_edge' },
        { path: 'nodes[2].id' },
      ],
    })
    expect((await feature.flows.list(1, { limit: 10, after: null })).items).toEqual([])
  })
})

test('validation reports the same problems as creation and stores nothing', async () => {
  await using feature = await openFlows()
  expect(await feature.validate([buildConversationNode('a')])).toEqual({ valid: true, errors: [], warnings: [] })
  expect(await feature.validate([buildConversationNode('a', 'x'), buildConversationNode('b')])).toEqual({
    valid: false,
    errors: [
      { path: 'nodes[0].edges[0].destination_node_id', message: 'must be the ID of a node: there is no node "x"' },
    ],
    warnings: ['No edge leads to "b".'],
  })
  expect((await feature.flows.list(1, { limit: 10, after: null })).items).toEqual([])
})

describe('editing', () => {
  test('merges nodes into an unused draft in place and counts as an edit', async () => {
    await using feature = await openFlows()
    const { response: created } = await feature.create([
      buildConversationNode('a', 'b'),
      buildConversationNode('b', 'a'),
    ])
    const id = created.conversation_flow_id
    await feature.time.advance(1_000)
    const instruction = { type: 'static_text', text: 'Bye' }
    const { response, editCount } = await feature.patch(id, {
      nodes: [{ id: 'b', instruction }, buildConversationNode('c')],
    })
    expect(response).toMatchObject({ version: 1, updated_at: '2026-01-05T12:00:01.000Z', start_node_id: 'a' })
    expect(response.nodes).toEqual([
      created.nodes[0],
      { ...created.nodes[1], instruction },
      { ...buildConversationNode('c'), edges: [] },
    ])
    expect(response.warnings).toEqual(['No edge leads to "c".'])
    expect(editCount).toBe(2)
    expect(feature.followed).toEqual([])
  })

  test('with an unchanged body creates no version', async () => {
    await using feature = await openFlows()
    const fields = {
      tools: [{ type: 'end_call', name: 'bye' }],
      default_dynamic_variables: { a: '1' },
      model_temperature: 0,
    }
    const nodes = [
      buildConversationNode('a', 'b', 'b'),
      { ...buildConversationNode('b', 'a'), responsiveness: 0.5, display_position: { x: 0.1, y: 2 } },
    ]
    const { response: created } = await feature.create(nodes, fields)
    const id = created.conversation_flow_id
    await feature.use(id, 1)
    await feature.time.advance(1_000)
    const { response: read } = await feature.flows.get(1, id, 'latest')
    for (const same of [{}, { nodes: read.nodes }, { nodes: read.nodes, replaceNodes: true }, read, { nodes }]) {
      const { version: _, ...body } = { version: 0, ...same }
      const { response, editCount } = await feature.patch(id, body)
      expect(response).toMatchObject({ version: 1, updated_at: created.updated_at, nodes: created.nodes })
      expect(editCount).toBe(1)
    }
    expect(feature.followed).toEqual([])
    const { response: copy } = await feature.create(read.nodes)
    expect(copy.nodes).toEqual(read.nodes)
  })

  test('creates the next version of a used version, which stays unchanged', async () => {
    await using feature = await openFlows()
    const { response: created } = await feature.create([buildConversationNode('a')], { global_prompt: 'One' })
    const id = created.conversation_flow_id
    await feature.use(id, 1)
    feature.unaffectedAgents.push('"Desk" (agent_1)')
    const { response, editCount } = await feature.patch(id, {
      nodes: [{ id: 'a', name: 'Start' }],
      global_prompt: 'Two',
    })
    expect(response).toMatchObject({ version: 2, is_frozen: false, global_prompt: 'Two', nodes: [{ name: 'Start' }] })
    expect(response.warnings).toEqual([expect.stringContaining('"Desk" (agent_1)')])
    expect(editCount).toBe(2)
    const { response: first } = await feature.flows.get(1, id, 1)
    expect(first).toMatchObject({ is_frozen: true, global_prompt: 'One', nodes: created.nodes })
    expect(feature.followed).toEqual([{ workspaceId: 1, engineId: id, now: feature.time.clock.now() }])
  })

  test('clears with null and keeps absent fields', async () => {
    await using feature = await openFlows()
    const given = {
      start_speaker: 'user',
      global_prompt: 'Hi',
      model_choice: { type: 'cascading', model: 'acme/large' },
      model_temperature: 1,
      begin_after_user_silence_ms: 2_000,
      start_node_id: 'b',
      tools: [{ type: 'end_call', name: 'bye' }],
      mcps: [{ name: 'Shop', url: 'https://shop.example/mcp' }],
      components: [{ name: 'Ask', nodes: [{ id: 'a', type: 'end' }], tools: [], mcps: [] }],
      default_dynamic_variables: { a: '1' },
      notes: [{ id: 'n', content: 'Why' }],
      begin_tag_display_position: { x: 1, y: 2 },
    }
    const { response: created } = await feature.create(
      [buildConversationNode('a', 'b'), buildConversationNode('b', 'a')],
      given,
    )
    expect(created).toMatchObject(given)
    const id = created.conversation_flow_id
    expect((await feature.patch(id, { model_choice: { type: 'cascading' } })).response).toMatchObject(given)
    const { response } = await feature.patch(id, Object.fromEntries(Object.keys(given).map((key) => [key, null])))
    const cleared = {
      start_speaker: 'agent',
      global_prompt: '',
      model_temperature: null,
      start_node_id: 'a',
      tools: [],
      mcps: [],
      components: [],
      notes: [],
      begin_tag_display_position: null,
    }
    expect(response).toMatchObject({ ...cleared, model_choice: { model: 'offline' }, default_dynamic_variables: {} })
    expect(response.begin_after_user_silence_ms).toBeNull()
  })

  test('validates the resulting graph', async () => {
    await using feature = await openFlows()
    const { response: created } = await feature.create([buildConversationNode('a', 'b'), buildConversationNode('b')])
    const id = created.conversation_flow_id
    const refuses = (body: object, ...paths: string[]) =>
      expect(feature.patch(id, body)).rejects.toMatchObject({ details: paths.map((path) => ({ path })) })
    await refuses({ removeNodeIds: ['b'] }, 'nodes')
    await refuses(
      { nodes: [buildConversationNode('c', 'x'), { id: 'b', edges: [buildEdge('y')] }] },
      ...[1, 0].map((index) => `nodes[${index}].edges[0].destination_node_id`),
    )
    await refuses({ nodes: [{ id: 'new' }] }, 'nodes[0].type')
    await refuses({ start_node_id: 'x' }, 'start_node_id')
    await refuses({ nodes: [], replaceNodes: true }, 'nodes')
    const { editCount } = await feature.flows.get(1, id, 'latest')
    expect(editCount).toBe(1)
  })

  test('that removes the start node falls back to the first node with a warning', async () => {
    await using feature = await openFlows()
    const { response: created } = await feature.create([buildConversationNode('a', 'b'), buildConversationNode('b')])
    const { response } = await feature.patch(created.conversation_flow_id, { removeNodeIds: ['a'] })
    expect(response).toMatchObject({ start_node_id: 'b', nodes: [{ id: 'b' }] })
    expect(response.warnings).toEqual([expect.stringContaining('start at "b"')])
  })

  test('never grows a flow beyond the size limit of a body', async () => {
    await using feature = await openFlows()
    const large = (id: string) => ({
      id,
      type: 'conversation',
      instruction: { type: 'prompt', text: 'x'.repeat(130_000) },
    })
    const part = (first: number) => Array.from({ length: 20 }, (_, index) => large(`n${first + index}`))
    const { response } = await feature.create(part(0))
    await expect(feature.patch(response.conversation_flow_id, { nodes: part(20) })).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: 'nodes' }],
    })
  })
})

test('publishing freezes; reads return the newest unless they ask for the active version', async () => {
  await using feature = await openFlows()
  const { response: created } = await feature.create([buildConversationNode('a')])
  const id = created.conversation_flow_id
  const attempt = (target: Parameters<typeof feature.flows.publish>[0]) => feature.flows.publish(target, {})
  await expect(attempt(feature.target(id, 7))).rejects.toMatchObject({ code: 'version_conflict' })
  await expect(attempt({ ...feature.target(id), workspaceId: 2 })).rejects.toMatchObject({ code: 'not_found' })
  const published = await feature.flows.publish(feature.target(id), { title: 'First' })
  expect(published).toMatchObject({
    response: { is_published: true, is_frozen: true, version_title: 'First' },
    editCount: 2,
  })
  await feature.patch(id, { global_prompt: 'Two' })
  expect((await feature.flows.get(1, id, 'latest')).response.version).toBe(2)
  expect((await feature.flows.get(1, id, 'active')).response.version).toBe(1)
  const { items } = await feature.flows.listVersions(1, id, { limit: 10, after: null })
  expect(items.map(({ version, is_published }) => [version, is_published])).toEqual([
    [2, false],
    [1, true],
  ])
})

test('a flow with agents cannot be deleted, and its users are named', async () => {
  await using feature = await openFlows()
  const { response: created } = await feature.create([buildConversationNode('a')])
  feature.users.push({ id: 'agent_1', name: 'Desk' }, { id: 'agent_2', name: '' })
  await expect(feature.flows.remove(feature.target(created.conversation_flow_id))).rejects.toMatchObject({
    code: 'in_use',
    details: [{ message: 'used by "Desk" (agent_1)' }, { message: 'used by agent_2' }],
  })
})

test('reads a list of many flows in batches and pages', async () => {
  await using feature = await openFlows()
  const createdIds: string[] = []
  for (let index = 0; index < 120; index += 1) {
    createdIds.unshift((await feature.create([buildConversationNode('a')])).response.conversation_flow_id)
    await feature.time.advance(1)
  }
  const first = await feature.flows.list(1, { limit: 110, after: null })
  expect(first.items.map((item) => item.conversation_flow_id)).toEqual(createdIds.slice(0, 110))
  expect(first.items[0]).toEqual({
    conversation_flow_id: createdIds[0],
    display_name: '',
    version: 1,
    start_speaker: 'agent',
  })
  const second = await feature.flows.list(1, { limit: 110, after: first.next })
  expect(second.items.map((item) => item.conversation_flow_id)).toEqual(createdIds.slice(110))
  expect(second.next).toBeNull()
  expect((await feature.flows.list(1, { limit: 100, after: null })).items).toHaveLength(100)
})
