import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { FlowComponent } from '@parley/contract/flow-component'
import type { Llm, LlmWritten } from '@parley/contract/llm'
import { STORED_VALUE } from '@parley/contract/secret-reference'
import type { ToolTestResult } from '@parley/contract/tool-test'
import { expect } from 'vitest'
import type { RunningServer } from '../../testing/running-server.ts'
import {
  createAgent,
  createChat,
  createLlm,
  expectBody,
  read,
  readChat,
  remove,
  send,
} from '../../testing/server-test.ts'
import type { ToolServer } from '../../testing/tool-server/tool-server.ts'
import { runTurn, type ScriptedModel, test } from './scripted-model.ts'

const CALL = { toolCalls: [{ name: 'look_up', arguments: '{"city":"Zürich"}' }] }
const SECRET = 'Bearer sk-very-secret'

function lookUpWithKey({ url }: ToolServer, fields: object = {}): Record<string, unknown> {
  return {
    type: 'custom',
    name: 'look_up',
    url: `${url}/look-up?api_key=sk-very-secret`,
    headers: { Authorization: SECRET, 'X-Account': '{{account}}' },
    ...fields,
  }
}

/** Returns the tool as responses show it. */
function masked(tool: Record<string, unknown>): Record<string, unknown> {
  return {
    ...tool,
    url: String(tool['url']).replace('sk-very-secret', STORED_VALUE),
    headers: { Authorization: STORED_VALUE, 'X-Account': '{{account}}' },
  }
}

/** Runs a turn of an agent and returns the request that its tool receives. */
async function requestOf(
  server: RunningServer,
  { model, tools, engine }: { model: ScriptedModel; tools: ToolServer; engine: object },
) {
  model.script(CALL, { text: 'Done.' })
  const chat = await createChat(server, await createAgent(server, { response_engine: engine }))
  const before = tools.requests.length
  await runTurn(server, chat.chatId, { mode: 'plain' })
  const request = tools.requests[before]
  return { path: request?.path, authorization: request?.headers['authorization'] }
}

const SENT = { path: '/look-up?api_key=sk-very-secret', authorization: SECRET }

test('secrets of an LLM configuration are never returned, survive being written back, and reach the tool', async ({
  server,
  stage,
  tools,
}) => {
  const model = stage.model('openai')
  const tool = lookUpWithKey(tools)
  const created = await createLlm(server, { model: model.name, general_tools: [tool] })
  const llmId = created.llm_id
  expect(created.general_tools).toEqual([masked(tool)])
  const engine = { type: 'llm', llm_id: llmId }
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const { version: _first, ...stored } = await expectBody(200, read<Llm>(server, `/api/llms/${llmId}`))
  expect(stored.general_tools).toEqual([masked(tool)])
  const same = await expectBody(200, send<LlmWritten>(server, 'PATCH', `/api/llms/${llmId}`, stored))
  expect(same.version).toBe(1)
  expect(
    (await expectBody(200, send<LlmWritten>(server, 'PATCH', `/api/llms/${llmId}`, { general_tools: [tool] }))).version,
  ).toBe(1)
  const edited = { ...masked(tool), description: 'Looks something up.' }
  const next = await expectBody(
    200,
    send<LlmWritten>(server, 'PATCH', `/api/llms/${llmId}`, { general_tools: [edited] }),
  )
  expect(next).toMatchObject({ version: 2, general_tools: [edited] })
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const unknown = { ...masked(tool), headers: { 'X-Other': STORED_VALUE } }
  expect(await send(server, 'PATCH', `/api/llms/${llmId}`, { general_tools: [unknown] })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', details: [{ path: 'general_tools[0].headers.X-Other' }] },
  })
  const copy = { model: model.name, general_tools: [masked(tool)] }
  expect((await send(server, 'POST', '/api/v1/llms', copy)).status).toBe(400)
  const duplicate = await createLlm(server, { ...copy, secrets_from: llmId })
  expect(await requestOf(server, { model, tools, engine: { type: 'llm', llm_id: duplicate.llm_id } })).toEqual(SENT)
  const before = tools.requests.length
  const trial = { tool: masked(tool), secrets_from: llmId }
  await expectBody(200, send<ToolTestResult>(server, 'POST', '/api/tools/test', trial))
  expect(tools.requests[before]?.headers).toMatchObject({ authorization: SECRET })
  expect(await send(server, 'POST', '/api/tools/test', { tool: masked(tool) })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'tool.headers.Authorization' }, { path: 'tool.url' }] },
  })
})

test('secrets of flows work the same in nodes and components, and a shared component can copy them', async ({
  server,
  stage,
  tools,
}) => {
  const model = stage.model('openai')
  const tool = lookUpWithKey(tools)
  const node = { id: 'talk', type: 'subagent', instruction: { type: 'prompt', text: 'Look it up.' }, tools: [tool] }
  const maskedNode = { ...node, tools: [masked(tool)] }
  const part = { name: 'Part', nodes: [{ ...node, id: 'inner' }] }
  const mcps = [{ name: 'Shop', url: 'https://user:pass@shop.example/mcp', headers: { 'X-Key': 'k' } }]
  const maskedMcps = [
    {
      name: 'Shop',
      url: `https://${STORED_VALUE}:${STORED_VALUE}@shop.example/mcp`,
      headers: { 'X-Key': STORED_VALUE },
    },
  ]
  const model_choice = { type: 'cascading', model: model.name }
  const given = { model_choice, nodes: [node], tools: [tool], mcps, components: [part] }
  const flow = await expectBody(201, send<ConversationFlow>(server, 'POST', '/api/conversation-flows', given))
  const path = `/api/conversation-flows/${flow.conversation_flow_id}`
  const hidden = {
    nodes: [maskedNode],
    tools: [masked(tool)],
    mcps: maskedMcps,
    components: [{ nodes: [{ ...maskedNode, id: 'inner' }] }],
  }
  expect(flow).toMatchObject(hidden)
  const engine = { type: 'conversation-flow', conversation_flow_id: flow.conversation_flow_id }
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const { version: _first, ...stored } = await expectBody(200, read<ConversationFlow>(server, path))
  expect(stored).toMatchObject(hidden)
  expect((await expectBody(200, send<ConversationFlow>(server, 'PATCH', path, stored))).version).toBe(1)
  const renamed = { nodes: [{ ...maskedNode, name: 'Renamed' }] }
  expect(await expectBody(200, send<ConversationFlow>(server, 'PATCH', path, renamed))).toMatchObject({ version: 2 })
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const check = (body: object) => expectBody(200, send(server, 'POST', '/api/conversation-flows/validate', body))
  expect(await check({ nodes: [maskedNode] })).toMatchObject({
    valid: false,
    errors: [{ path: 'nodes[0].tools[0].headers.Authorization' }, { path: 'nodes[0].tools[0].url' }],
  })
  const from = { secrets_from: flow.conversation_flow_id }
  expect(await check({ nodes: [maskedNode], ...from })).toMatchObject({ valid: true })
  const component = { name: 'Shared', nodes: [{ ...maskedNode, id: 'inner' }], mcps: maskedMcps, ...from }
  const shared = await expectBody(201, send<FlowComponent>(server, 'POST', '/api/flow-components', component))
  expect(shared).toMatchObject({ nodes: [{ ...maskedNode, id: 'inner' }], mcps: maskedMcps })
  const runs = [{ id: 'run', type: 'component', component_id: shared.flow_component_id }]
  const running = { model_choice, nodes: runs }
  const outer = await expectBody(201, send<ConversationFlow>(server, 'POST', '/api/conversation-flows', running))
  const outerEngine = { ...engine, conversation_flow_id: outer.conversation_flow_id }
  expect(await requestOf(server, { model, tools, engine: outerEngine })).toEqual(SENT)
})

test('a named secret reaches tools only; the next call uses a new value', async ({ server, stage, tools }) => {
  const model = stage.model('openai')
  const path = '/api/workspace-secrets/crm_key'
  const tool = lookUpWithKey(tools, {
    url: `${tools.url}/look-up?key={{secrets.crm_key}}`,
    headers: { Authorization: 'Bearer {{secrets.crm_key}}' },
    response_variables: { echoed: '$.echo' },
  })
  const general_prompt = 'The key is {{secrets.crm_key}}.'
  const created = await createLlm(server, { model: model.name, general_prompt, general_tools: [tool] })
  expect(created.general_tools).toEqual([tool])
  expect(created.warnings).toEqual([expect.stringContaining('The secret "crm_key" does not exist')])
  const agent = await createAgent(server, { response_engine: { type: 'llm', llm_id: created.llm_id } })
  const { chatId } = await createChat(server, agent)
  const take = async (echo?: string) => {
    model.script(CALL, { text: 'Done.' })
    if (echo !== undefined) tools.script({ kind: 'json', body: { echo } })
    const before = tools.requests.length
    const { messages } = await runTurn(server, chatId, { mode: 'plain' })
    return { content: messages[1]?.content, sent: tools.requests.slice(before) }
  }
  const unknown = await take()
  expect(unknown.content).toMatch(/^The tool failed \(unknown-secret\): No request was sent: the secret "crm_key"/)
  expect(unknown.sent).toEqual([])
  for (const value of ['first-value-of-it', 'second-value-of-it']) {
    const put = await expectBody(200, send(server, 'PUT', path, { value }))
    expect(put).toEqual({ name: 'crm_key', createdAt: expect.any(String), updatedAt: expect.any(String) })
    const { content, sent } = await take(`Bearer ${value}`)
    expect(sent).toMatchObject([{ path: `/look-up?key=${value}`, headers: { authorization: `Bearer ${value}` } }])
    expect(content).toBe('{"echo":"Bearer ***"}')
  }
  const transcript = JSON.stringify([model.requests.map(({ body }) => body), await readChat(server, chatId)])
  expect(transcript).not.toContain('-value-of-it')
  expect(transcript).toContain('The key is {{secrets.crm_key}}.')
  const listed = await expectBody(200, read<object[]>(server, '/api/workspace-secrets'))
  expect(listed).toEqual([{ name: 'crm_key', createdAt: expect.any(String), updatedAt: expect.any(String) }])
  const changed = await expectBody(
    200,
    send<LlmWritten>(server, 'PATCH', `/api/llms/${created.llm_id}`, { begin_message: '' }),
  )
  expect(changed.warnings).toEqual([])
  const audit = JSON.stringify(await expectBody(200, read(server, '/api/audit-log')))
  expect(audit).toContain('putWorkspaceSecret')
  expect(audit).not.toContain('-value-of-it')
  expect((await remove(server, path)).status).toBe(204)
  expect((await remove(server, path)).status).toBe(404)
  expect(await send(server, 'PUT', '/api/v1/workspace-secrets/Crm-Key', { value: 'x' })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'name' }] },
  })
  for (const value of ['', 'x'.repeat(8 * 1024 + 1)]) {
    expect(await send(server, 'PUT', path, { value })).toMatchObject({
      status: 400,
      body: { details: [{ path: 'value' }] },
    })
  }
})
