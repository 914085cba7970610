import type { McpClient, McpServer } from '@parley/engine/ports'
import { afterEach, expect, test } from 'vitest'
import { setUpMcp } from '../../integrations/mcp/mcp-test-kit.ts'
import { createMcpServerFinder } from '../agents/load-engine.ts'
import { wireFeatures } from '../features-test-kit.ts'
import { openRoutes } from '../route-test-kit.ts'
import { registerMcpToolsRoutes } from './mcp-tools-routes.ts'
import { createMcpToolsService } from './mcp-tools-service.ts'

type Listed = Awaited<ReturnType<McpClient['listTools']>>

const SHOP = {
  mcp_id: 'shop',
  name: 'Shop',
  url: 'https://{{host}}/mcp',
  headers: { authorization: 'Bearer {{key}}', 'x-unset': '{{unset}}' },
  query_params: { zone: '{{current_hour}}', key: '{{secrets.shop_key}}' },
}
const STOCK = { name: 'Stock', url: 'https://stock.example/mcp', timeout_ms: 2000 }
const FOUND: Listed = {
  ok: true,
  tools: [{ name: 'find', description: '', inputSchema: { type: 'object' } }],
  durationMs: 1,
}

/** Opens a server with the given MCP client, or one that responds with `answer`. */
async function openServer({ mcp, response = FOUND }: { mcp?: McpClient; response?: Listed } = {}) {
  const features = await wireFeatures()
  const asked: McpServer[] = []
  const scripted: Pick<McpClient, 'listTools'> = {
    listTools: async (server) => {
      asked.push(server)
      return response
    },
  }
  const { database, time, makeId, agentResolver } = features
  const readSecrets = () => ({ read: async () => new Map([['shop_key', 'sk-shop']]) })
  const servers = createMcpServerFinder({ agents: agentResolver })
  const service = createMcpToolsService({ servers, mcp: mcp ?? scripted, clock: time.clock, readSecrets })
  const routes = openRoutes({ database, clock: time.clock, makeId }, (api) => registerMcpToolsRoutes(api, service))
  opened.push(routes, features)
  const llm = async (mcps: readonly object[]) =>
    features.addLlm({ mcps, default_dynamic_variables: { host: 'shop.example', key: 'k' } })
  return {
    ...features,
    ...routes,
    asked,
    llm,
    list: (agentId: string, query: string) =>
      routes.send(`GET /api/agents/${agentId}/mcp-tools?workspaceId=1&${query}`),
  }
}

const opened: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of opened.splice(0)) await one[Symbol.asyncDispose]()
})

test('returns the tools of a server, with variables at their defaults', async () => {
  const { addAgent, addChatAgent, llm, list, asked } = await openServer()
  const llmId = await llm([SHOP, STOCK])
  for (const agentId of [await addAgent(llmId), await addChatAgent(llmId)]) {
    expect(await list(agentId, 'mcpId=shop')).toMatchObject({
      status: 200,
      body: [{ name: 'find', description: '', inputSchema: { type: 'object' } }],
    })
  }
  expect(asked[0]).toEqual({
    url: 'https://shop.example/mcp',
    headers: { authorization: 'Bearer k', 'x-unset': '{{unset}}' },
    queryParams: { zone: expect.stringMatching(/^\d+$/), key: 'sk-shop' },
    timeoutMs: 30_000,
  })
  await list(await addAgent(llmId), 'mcp_id=Stock')
  expect(asked.at(-1)).toMatchObject({ url: STOCK.url, timeoutMs: 2000 })
})

test('returns the tools of a real server end to end', async () => {
  await using mcp = await setUpMcp()
  const { addAgent, llm, list } = await openServer({ mcp: mcp.client })
  const agentId = await addAgent(await llm([{ name: 'Here', url: mcp.server.url }]))
  const listed = await list(agentId, 'mcpId=Here')
  expect(listed.body.map(({ name }: { name: string }) => name)).toContain('echo')
  mcp.server.script('tools/list', { kind: 'status', status: 500 })
  expect(await list(agentId, 'mcpId=Here')).toMatchObject({
    status: 502,
    body: { error: 'The MCP server "Here" did not list its tools. The MCP server responded with status 500.' },
  })
})

test('accepts an agent version without freezing it', async () => {
  const { addAgent, llm, patchLlm, pin, list, send } = await openServer()
  const llmId = await llm([SHOP])
  const agentId = await addAgent(llmId)
  await pin(agentId)
  await patchLlm(llmId, { mcps: [STOCK] })
  expect((await list(agentId, 'mcpId=Stock&version=1')).status).toBe(404)
  expect((await list(agentId, 'mcpId=shop&version=1')).status).toBe(200)
  expect((await list(agentId, 'mcpId=Stock&version=latest')).status).toBe(200)
  expect((await list(agentId, 'mcpId=Stock&version=9')).status).toBe(404)
  expect((await list(agentId, 'mcpId=Stock&version=newest')).status).toBe(400)
  expect(await patchLlm(llmId, { mcps: [] })).toMatchObject({ response: { version: 2 } })
  expect((await send(`GET /api/v1/agents/${agentId}/mcp-tools?workspaceId=2&mcpId=shop`)).status).toBe(404)
})

test('returns not_found with the field of the missing resource', async () => {
  const { addAgent, llm, list } = await openServer()
  const agentId = await addAgent(await llm([SHOP]))
  expect(await list(agentId, 'mcpId=other')).toMatchObject({
    status: 404,
    body: {
      code: 'not_found',
      details: [{ path: 'mcpId', message: expect.stringContaining('no MCP server "other"') }],
    },
  })
  expect(await list(agentId, 'mcpId=shop&componentId=c')).toMatchObject({
    status: 404,
    body: { error: expect.stringContaining('component "c"') },
  })
  expect((await list('agent_x', 'mcpId=shop')).status).toBe(404)
  expect((await list(agentId, '')).body).toMatchObject({ status: 400, details: [{ path: 'mcpId' }] })
})

test('a flow and each of its components have their own servers', async () => {
  const { addFlow, addChatAgent, list, asked } = await openServer()
  const hello = { id: 'hello', type: 'conversation', instruction: { type: 'static_text', text: 'Hello.' } } as const
  const part = { component_id: 'part', name: 'Part', nodes: [hello], start_node_id: 'hello', tools: [], notes: [] }
  const runs = { id: 'runs', type: 'component', component_id: 'part', component_type: 'local', edges: [] } as const
  const elseEdge = { id: 'edge_1', transition_condition: { type: 'prompt', prompt: 'Else' } } as const
  const flowId = await addFlow({
    nodes: [hello, { ...runs, else_edge: elseEdge }],
    mcps: [STOCK],
    components: [{ ...part, mcps: [{ name: 'Inner', url: 'https://inner.example/' }] }],
  } as Parameters<typeof addFlow>[0])
  const agentId = await addChatAgent('', {
    response_engine: { type: 'conversation-flow', conversation_flow_id: flowId },
  })
  expect((await list(agentId, 'mcpId=Stock')).status).toBe(200)
  expect((await list(agentId, 'mcpId=Inner')).status).toBe(404)
  expect((await list(agentId, 'mcpId=Inner&componentId=part')).status).toBe(200)
  expect((await list(agentId, 'mcpId=Stock&componentId=part')).status).toBe(404)
  expect((await list(agentId, 'mcpId=Inner&componentId=toString')).status).toBe(404)
  expect(asked.map(({ url }) => url)).toEqual([STOCK.url, 'https://inner.example/'])
})

test.each([
  ['timeout', 504, 'provider_timeout'],
  ['network', 502, 'provider_error'],
  ['blocked-target', 502, 'provider_error'],
  ['protocol', 502, 'provider_error'],
  ['too-large', 502, 'provider_error'],
  ['cancelled', 503, 'unavailable'],
] as const)('a server that fails by "%s" is responded with status %i', async (reason, status, code) => {
  const { addAgent, llm, list } = await openServer({ response: { ok: false, reason, message: 'No.', durationMs: 1 } })
  const agentId = await addAgent(await llm([STOCK]))
  expect(await list(agentId, 'mcpId=Stock')).toMatchObject({ status, body: { code } })
})

test('a reader cannot trigger requests with credentials', async () => {
  const { addAgent, llm, list, actAs } = await openServer()
  const agentId = await addAgent(await llm([SHOP]))
  actAs({ scopes: new Set(['read']) })
  expect((await list(agentId, 'mcpId=shop')).status).toBe(403)
})
