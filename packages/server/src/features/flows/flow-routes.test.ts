import { expect, test } from 'vitest'
import type { CachedResponse } from '../../kernel/api/implement.ts'
import { createReadCache } from '../../kernel/storage/read-cache.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { registerComponentRoutes, registerFlowRoutes } from './flow-routes.ts'
import { buildConversationNode, buildEdge, openFlows } from './flows-test-kit.ts'

async function openServer() {
  const feature = await openFlows()
  const { database, time, makeId } = feature
  const answers = createReadCache<CachedResponse>({
    database,
    tables: ['resources', 'resource_versions'],
    maxCharacters: 1_000_000,
    countCharacters: ({ json }) => json.content.length,
  })
  const routes = openRoutes({ database, clock: time.clock, makeId }, (api) => {
    registerFlowRoutes({ api, responses: answers }, feature.flows)
    registerComponentRoutes(api, feature.components)
  })
  return {
    ...feature,
    ...routes,
    [Symbol.asyncDispose]: disposeAll(routes, feature),
  }
}

const PATH = '/api/conversation-flows'

test('creates, reads, updates, publishes and deletes a flow', async () => {
  await using server = await openServer()
  const { send, use } = server
  const created = await send(`POST ${PATH}`, {
    workspaceId: 1,
    start_speaker: 'user',
    nodes: [buildConversationNode('a', 'b'), buildConversationNode('b')],
  })
  expect(created).toMatchObject({
    status: 201,
    etag: '"1"',
    body: { version: 1, workspaceId: 1, start_speaker: 'user' },
  })
  const path = `${PATH}/${created.body.conversation_flow_id}`
  expect(await send(`GET ${path}?workspaceId=1`)).toMatchObject({
    status: 200,
    etag: '"1"',
    body: { start_node_id: 'a' },
  })

  const nodes = [{ id: 'b', instruction: { type: 'static_text', text: 'Bye' } }]
  const edited = await send(`PATCH ${path}`, { workspaceId: 1, version: 1, nodes }, { 'if-match': '"1"' })
  expect(edited).toMatchObject({ status: 200, etag: '"2"', body: { version: 1, warnings: [] } })
  expect(edited.body.nodes[1].instruction).toEqual({ type: 'static_text', text: 'Bye' })
  const stale = await send(`PATCH ${path}`, { workspaceId: 1, nodes }, { 'if-match': '"1"' })
  expect(stale).toMatchObject({ status: 412, body: { code: 'version_conflict' } })
  const two = await send(`PATCH ${path}?version=2`, { workspaceId: 1, version: 1 })
  expect(two).toMatchObject({ status: 400, body: { details: [{ path: 'version' }] } })

  await use(created.body.conversation_flow_id, 1)
  const frozen = await send(`PATCH ${path}?version=1`, { workspaceId: 1, global_prompt: 'x' })
  expect(frozen).toMatchObject({ status: 422, body: { code: 'version_frozen' } })
  const next = await send(`PATCH ${path}`, { workspaceId: 1, global_prompt: 'Two' })
  expect(next).toMatchObject({ status: 200, etag: '"3"', body: { version: 2, is_frozen: false } })
  expect((await send(`GET ${path}?workspaceId=1`)).body.version).toBe(2)
  expect((await send(`GET ${path}?workspaceId=1&version=1`)).body).toMatchObject({ version: 1, is_frozen: true })
  expect((await send(`GET ${path}?workspaceId=1&version=3`)).status).toBe(404)
  expect((await send(`GET ${path}?workspaceId=1&version=0`)).status).toBe(400)

  const published = await send(`POST ${path}/publish`, { workspaceId: 1, title: 'Second' })
  expect(published).toMatchObject({ status: 200, etag: '"4"', body: { version: 2, is_published: true } })
  const versions = await send(`GET ${path}/versions?workspaceId=1&limit=1`)
  expect(versions).toMatchObject({ status: 200, nextVersion: '2', body: [{ version: 2, version_title: 'Second' }] })

  server.users.push({ id: 'agent_1', name: '' })
  expect(await send(`DELETE ${path}?workspaceId=1`)).toMatchObject({ status: 422, body: { code: 'in_use' } })
  server.users.pop()
  expect((await send(`DELETE ${path}?workspaceId=1`, undefined, { 'if-match': '"1"' })).status).toBe(412)
  expect(await send(`DELETE ${path}?workspaceId=1`)).toMatchObject({ status: 204, body: null })
  expect((await send(`GET ${path}?workspaceId=1`)).status).toBe(404)
})

test('a client that knows only the specification can write any type of node', async () => {
  await using server = await openServer()
  const edge = { id: 'e', transition_condition: { type: 'prompt', prompt: 'Else' }, destination_node_id: 'a' }
  const types = 'conversation subagent function code transfer_call agent_swap press_digit branch sms'
  const others = 'extract_dynamic_variables mcp component end bridge_transfer cancel_transfer'
  const nodes = `${types} ${others}`.split(' ').map((type, index) => ({
    id: index === 0 ? 'a' : type,
    type,
    instruction: { type: 'prompt', text: 'Do.' },
    edges: [edge],
  }))
  const created = await server.send(`POST ${PATH}`, {
    workspaceId: 1,
    start_speaker: 'agent',
    nodes,
    global_prompt: '',
  })
  expect(created).toMatchObject({ status: 201, body: { nodes } })
})

test('a response can be written back or to another flow, in both spellings of names', async () => {
  await using server = await openServer()
  const { send } = server
  const nodes = [{ ...buildConversationNode('a', 'a'), skipResponseEdge: { destinationNodeId: 'a' }, mood: 'good' }]
  const created = await send(`POST ${PATH}`, { workspaceId: 1, nodes })
  expect(created.headers['x-ignored-fields']).toBe(encodeURIComponent('nodes[0].mood'))
  const read = (await send(`GET ${PATH}/${created.body.conversation_flow_id}?workspaceId=1`)).body
  expect(read.nodes[0].skip_response_edge).toEqual({ id: expect.stringMatching(/^edge_/), destination_node_id: 'a' })
  const same = await send(`PATCH ${PATH}/${read.conversation_flow_id}`, { workspaceId: 1, nodes: read.nodes })
  expect(same).toMatchObject({ status: 200, etag: '"1"', body: { nodes: read.nodes } })
  const copy = await send(`POST ${PATH}`, { workspaceId: 2, nodes: read.nodes })
  expect(copy).toMatchObject({ status: 201, body: { workspaceId: 2, nodes: read.nodes } })
})

test('components and servers of a flow round-trip in both spellings of names', async () => {
  await using server = await openServer()
  const { send } = server
  const parts = {
    mcps: [{ mcp_id: 'shop', name: 'Shop', url: 'https://{{shop}}.example/mcp', requireApproval: 'always' }],
    components: [
      {
        componentId: 'ask',
        name: 'Ask',
        startNodeId: 'x',
        nodes: [{ ...buildConversationNode('x', 'x'), else_edge: {} }],
        mood: 'good',
      },
    ],
    notes: [{ id: 'n', content: 'Why', displayPosition: { x: 0, y: 1 } }],
    beginTagDisplayPosition: { x: 2, y: 3 },
  }
  const nodes = [{ id: 'a', type: 'component', componentType: 'local', componentId: 'ask' }]
  const created = await send(`POST ${PATH}`, { workspaceId: 1, nodes, ...parts })
  expect(created.headers['x-ignored-fields']).toBe(encodeURIComponent('components[0].mood'))
  const { warnings, ...body } = created.body
  expect(warnings).toEqual([expect.stringContaining('"shop"')])
  expect(body).toMatchObject({
    mcps: [{ require_approval: 'always' }],
    components: [{ component_id: 'ask', start_node_id: 'x', tools: [], mcps: [] }],
    begin_tag_display_position: { x: 2, y: 3 },
  })
  const path = `${PATH}/${body.conversation_flow_id}`
  expect((await send(`GET ${path}?workspaceId=1`)).body).toEqual(body)
  const same = await send(`PATCH ${path}`, { workspaceId: 1, ...body })
  expect(same).toMatchObject({ status: 200, etag: '"1"' })
  const shared = `flow_component_${'0'.repeat(26)}`
  const refused = await send(`POST ${PATH}`, {
    workspaceId: 1,
    nodes,
    components: [
      { name: 'Ask', nodes: [buildConversationNode('x')] },
      { name: 'Ask', nodes: [buildConversationNode('x')] },
      { name: 'Other', component_id: shared, nodes: [buildConversationNode('x')] },
      { name: 'Empty', nodes: [] },
    ],
  })
  expect(refused.status).toBe(400)
  expect(refused.body.details.map((detail: { path: string }) => detail.path).sort()).toEqual([
    'components[1].name',
    'components[2].component_id',
    'components[3].nodes',
  ])
})

test('bad graphs are rejected with paths, or reported by validation', async () => {
  await using server = await openServer()
  const { send } = server
  const nodes = [buildConversationNode('a', 'x'), { id: 'b', type: 'branch' }]
  const refused = await send(`POST ${PATH}`, { workspaceId: 1, nodes })
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  const paths = ['nodes[0].edges[0].destination_node_id', 'nodes[1].else_edge']
  expect(refused.body.details.map((detail: { path: string }) => detail.path)).toEqual(paths)
  const validation = await send(`POST ${PATH}/validate`, { workspaceId: 1, nodes })
  expect(validation).toMatchObject({ status: 200, body: { valid: false, errors: refused.body.details } })
  expect(validation.body.warnings).toEqual(['No edge leads to "b".'])
  for (const wrong of [
    {},
    { nodes: [] },
    { nodes: [{ id: 'a', type: 'x' }] },
    { nodes: [{ ...buildConversationNode('a'), edges: [buildEdge('a'), 1] }] },
  ]) {
    for (const path of [PATH, `${PATH}/validate`]) {
      expect(await send(`POST ${path}`, { workspaceId: 1, ...wrong })).toMatchObject({ status: 400 })
    }
  }
  const equation = { transition_condition: { type: 'equation', prompt: 'age >' }, destination_node_id: 'a' }
  const unparsed = await send(`POST ${PATH}`, { workspaceId: 1, nodes: [{ id: 'a', type: 'end', edges: [equation] }] })
  expect(unparsed.body.details).toEqual([
    { path: 'nodes[0].edges[0].transition_condition.prompt', message: expect.stringMatching(/^must be an equation/) },
  ])
})

test("list items have exactly four fields and page with the previous response's key", async () => {
  await using server = await openServer()
  const { send, time } = server
  const ids: string[] = []
  for (let index = 0; index < 2; index += 1) {
    const body = { workspaceId: 1, displayName: `Flow ${index}`, nodes: [buildConversationNode('a')] }
    ids.push((await send(`POST ${PATH}`, body)).body.conversation_flow_id)
    await time.advance(1)
  }
  const first = await send(`GET ${PATH}?workspaceId=1&limit=1`)
  expect(first).toMatchObject({ status: 200, nextVersion: '1' })
  expect(first.body).toEqual([
    { conversation_flow_id: ids[1], display_name: 'Flow 1', version: 1, start_speaker: 'agent' },
  ])
  const second = await send(`GET ${PATH}?workspaceId=1&limit=1&paginationKey=${first.next}`)
  expect(second.body).toMatchObject([{ conversation_flow_id: ids[0] }])
  expect(second.next).toBeUndefined()
  expect((await send(`GET ${PATH}?workspaceId=1&limit=1001`)).status).toBe(400)
  expect((await send(`GET ${PATH}?workspaceId=2`)).body).toEqual([])
})

test('creates, reads, updates and deletes a shared component', async () => {
  await using server = await openServer()
  const { send } = server
  const created = await send('POST /api/flow-components', {
    workspaceId: 1,
    name: 'Ask',
    nodes: [{ ...buildConversationNode('a'), else_edge: {} }],
  })
  expect(created).toMatchObject({ status: 201, etag: '"1"', body: { name: 'Ask', start_node_id: 'a', warnings: [] } })
  const id = created.body.flow_component_id
  const path = `/api/v1/flow-components/${id}`
  const edited = await send(`PATCH ${path}`, { workspaceId: 1, name: 'Tell' }, { 'if-match': '"1"' })
  expect(edited).toMatchObject({ status: 200, etag: '"2"', body: { name: 'Tell' } })
  expect((await send(`PATCH ${path}`, { workspaceId: 1, name: 'x' }, { 'if-match': '"1"' })).status).toBe(412)
  expect(await send(`GET ${path}?workspaceId=1`)).toMatchObject({
    status: 200,
    etag: '"2"',
    body: { nodes: [{ id: 'a' }] },
  })
  expect((await send(`GET ${path}?workspaceId=2`)).status).toBe(404)
  expect((await send('GET /api/flow-components?workspaceId=1')).body).toMatchObject([{ flow_component_id: id }])

  const nodes = [{ id: 'a', type: 'component', component_id: id, component_type: 'shared' }]
  const flow = (await send(`POST ${PATH}`, { workspaceId: 1, nodes })).body.conversation_flow_id
  const inUse = await send(`DELETE ${path}?workspaceId=1`)
  expect(inUse).toMatchObject({ status: 422, body: { code: 'in_use', details: [{ message: `used by ${flow}` }] } })
  await send(`DELETE ${PATH}/${flow}?workspaceId=1`)
  expect((await send(`DELETE ${path}?workspaceId=1`)).status).toBe(204)
})

test('readers cannot write, and an unreachable workspace is rejected', async () => {
  await using server = await openServer()
  const { send, actAs } = server
  const { body } = await send(`POST ${PATH}`, { workspaceId: 1, nodes: [buildConversationNode('a')] })
  actAs({ role: 'end_user', workspaces: new Map([[1, { level: 'viewer', accountSid: 'x' }]]) })
  expect((await send(`GET ${PATH}/${body.conversation_flow_id}?workspaceId=1`)).status).toBe(200)
  expect((await send(`PATCH ${PATH}/${body.conversation_flow_id}`, { workspaceId: 1 })).status).toBe(403)
  expect((await send(`POST ${PATH}/validate`, { workspaceId: 1, nodes: [buildConversationNode('a')] })).status).toBe(
    403,
  )
  expect((await send(`GET ${PATH}?workspaceId=2`)).body).toMatchObject({ code: 'workspace_forbidden' })
})
