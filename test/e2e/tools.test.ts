import { createHmac } from 'node:crypto'
import type { ConversationFlow } from '@parley/contract/conversation-flow'
import type { FlowComponent } from '@parley/contract/flow-component'
import type { Llm, LlmWritten } from '@parley/contract/llm'
import { STORED_VALUE } from '@parley/contract/secret-reference'
import type { ToolTestResult } from '@parley/contract/tool-test'
import { describe, expect } from 'vitest'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { bodyOf, createAgent, createChat, createLlm, read, readChat, remove, send } from '../../testing/server-test.ts'
import type { RecordedRequest, ToolServer } from '../../testing/tool-server/tool-server.ts'
import { chatOn, modelSettings, type ScriptedModel, storedLines, takeTurn, test } from './scripted-model.ts'

const CALL = { toolCalls: [{ name: 'look_up', arguments: '{"city":"Zürich"}' }] }
const END = { toolCalls: [{ name: 'end_chat', arguments: '{}' }] }
const END_TOOL = { type: 'end_call', name: 'end_chat', description: 'Ends the chat.' }

describe('a custom tool', () => {
  test('is called once, signed, under its own key, and told what chat it is for', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(CALL, { text: 'It rains.' })
    const chatId = await chatOn(server, model, {
      llm: {
        general_tools: [
          look(tools.url, { headers: { 'X-Account': '{{account}}' }, query_params: { q: '{{account}} &' } }),
        ],
      },
      chat: { metadata: { order: 7 }, dynamicVariables: { account: 'acme' } },
    })
    const turn = await takeTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
    const [call] = turn.messages[0]?.tool_calls ?? []
    expect(turn.messages[1]).toMatchObject({ name: 'look_up', tool_call_id: call?.id, content: '{"ok":true}' })
    expect(tools.requests).toHaveLength(1)
    const [request] = tools.requests
    const url = new URL(request?.path ?? '', tools.url)
    expect([request?.method, url.pathname, url.searchParams.get('q')]).toEqual(['POST', '/look-up', 'acme &'])
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      'idempotency-key': call?.id,
      'x-account': 'acme',
    })
    expect(JSON.parse(request?.rawBody.toString() ?? '')).toMatchObject({
      name: 'look_up',
      args: { city: 'Zürich' },
      chat: { chat_id: chatId, metadata: { order: 7 } },
    })
    const { secrets } = await bodyOf(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    expect(digestsOf(request)).toEqual(secrets.map(({ secret }) => sign(secret, request)))
  })

  test('is signed with both secrets while a rotation lasts', async ({ server, stage, tools }) => {
    await bodyOf(200, send(server, 'POST', '/api/signing-secret/rotate'))
    const { secrets } = await bodyOf(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    expect(secrets.length).toBeGreaterThanOrEqual(2)
    const model = stage.model('anthropic')
    model.script(CALL, { text: 'Done.' })
    await takeTurn(server, await chatOn(server, model, { llm: { general_tools: [look(tools.url)] } }), {
      mode: 'plain',
    })
    const [request] = tools.requests
    expect(digestsOf(request)).toEqual(secrets.map(({ secret }) => sign(secret, request)))
  })

  test('gives variables to later turns', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    tools.script({ kind: 'json', body: { customer: { name: 'Ada {{secret}}', points: 7, tags: ['a'] } } })
    model.script(CALL, { text: 'Found.' }, { text: 'Hello Ada.' })
    const response_variables = { customer_name: '$.customer.name', points: '$.customer.points', none: '$.nothing' }
    const chatId = await chatOn(server, model, {
      llm: {
        general_prompt: 'Customer: {{customer_name}} with {{points}} points, {{none}}.',
        general_tools: [look(tools.url, { response_variables })],
      },
      chat: { dynamicVariables: { secret: 'never' } },
    })
    await takeTurn(server, chatId, { mode: 'streamed' })
    await takeTurn(server, chatId, { mode: 'streamed', content: 'Who am I?' })
    expect(systemPrompt(model, 0)).toBe('Customer: {{customer_name}} with {{points}} points, {{none}}.')
    expect(systemPrompt(model, 2)).toBe('Customer: Ada {{secret}} with 7 points, {{none}}.')
    const chat = await readChat(server, chatId)
    expect(chat.collectedDynamicVariables).toEqual({ customer_name: 'Ada {{secret}}', points: '7' })
  })

  test('that fails is told to the model, which answers', async ({ server, stage, tools }) => {
    const cases = [
      [
        { kind: 'raw', status: 500, contentType: 'text/plain', body: 'Out of order' },
        /^The tool failed \(http-status\).*500.*Out of order/,
      ],
      [{ kind: 'html', status: 404 }, /^The tool failed \(http-status\).*404/],
      [{ kind: 'hang' }, /^The tool failed \(timeout\)/],
      [{ kind: 'refuse' }, /^The tool failed \(network\)/],
      [{ kind: 'cut' }, /^The tool failed \(network\)/],
      [{ kind: 'garbage' }, /^The tool failed \(network\)/],
      [{ kind: 'flood', sizeBytes: 50_000_000 }, /^The tool failed \(too-large\)/],
      [
        { kind: 'redirect', to: 'http://169.254.169.254/latest/meta-data' },
        /^The tool failed \((blocked-target|http-status)\)/,
      ],
    ] as const
    const model = stage.model('openai')
    const chatWith = (fields: object) => chatOn(server, model, { llm: { general_tools: [look(tools.url, fields)] } })
    const patient = await chatWith({})
    const impatient = await chatWith({ timeout_ms: 1000 })
    for (const [index, [reply, expected]] of cases.entries()) {
      tools.script(reply)
      model.script(CALL, { text: 'I could not look it up.' })
      const chatId = reply.kind === 'hang' ? impatient : patient
      const turn = await takeTurn(server, chatId, { mode: 'plain', content: `Again ${index}` })
      expect(turn.messages[1]?.content, reply.kind).toMatch(expected)
      expect(turn.messages.at(-1)?.content).toBe('I could not look it up.')
    }
    for (const chatId of [patient, impatient]) {
      expect(JSON.stringify((await readChat(server, chatId)).messages)).not.toContain('127.0.0.1')
    }
  })

  test('is tried again as often as it allows, under one key', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(CALL, { text: 'Done.' })
    tools.script({ kind: 'json', status: 503, body: {} }, { kind: 'json', body: { late: true } })
    const chatId = await chatOn(server, model, { llm: { general_tools: [look(tools.url, { max_retry: 1 })] } })
    const turn = await takeTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages[1]?.content).toBe('{"late":true}')
    expect(new Set(tools.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(tools.requests).toHaveLength(2)
  })

  test('that answers 2 MB is kept whole and cut for the model', async ({ server, stage, tools }) => {
    const model = stage.model('anthropic')
    model.script(CALL, { text: 'A lot.' })
    const body = `start ${'ü'.repeat(1_000_000)} end`
    tools.script({ kind: 'raw', contentType: 'text/plain; charset=utf-8', body })
    const chatId = await chatOn(server, model, { llm: { general_tools: [look(tools.url)] } })
    const turn = await takeTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages[1]?.content).toBe(body)
    expect(turn.messages.at(-1)?.content).toBe('A lot.')
    const shown = JSON.stringify(model.requests[1]?.body)
    expect(shown).toContain('start üüü')
    expect(shown).toMatch(/\[cut: the result has \d+ characters\]/)
    expect(shown.length).toBeLessThan(20_000)
    // The next turn sends it again from the record, cut in the same way.
    model.script({ text: 'Still.' })
    await takeTurn(server, chatId, { mode: 'plain', content: 'And?' })
    expect(JSON.stringify(model.requests[2]?.body).length).toBeLessThan(20_000)
  })

  test('that answers a web page is passed on as text', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(CALL, { text: 'A page.' })
    tools.script({ kind: 'html' })
    const chatId = await chatOn(server, model, {
      llm: { general_tools: [look(tools.url, { response_variables: { a: '$.b' } })] },
    })
    const turn = await takeTurn(server, chatId, { mode: 'streamed' })
    expect(turn.messages[1]?.content).toContain('<!doctype html>')
    expect(turn.turnStatus).toBe('completed')
  })

  test('cannot reach private addresses unless the operator allows them', async ({ stage, tools }) => {
    const { ALLOW_PRIVATE_TARGETS: _allowed, ...settings } = modelSettings(stage)
    await using server = await runServer({ env: settings })
    const targets = [
      tools.url,
      `http://localhost:${tools.port}`,
      'http://[::ffff:127.0.0.1]:1',
      'http://169.254.169.254',
      'http://0.0.0.0:1',
    ]
    for (const target of targets) {
      const model = stage.model('openai')
      model.script(CALL, { text: 'No.' })
      const chatId = await chatOn(server, model, { llm: { general_tools: [look(target)] } })
      const turn = await takeTurn(server, chatId, { mode: 'plain' })
      expect(turn.messages[1]?.content, target).toMatch(/^The tool failed \(blocked-target\)/)
      expect(turn.messages.at(-1)?.content).toBe('No.')
    }
    expect(tools.requests).toEqual([])
  })
})

describe('a tool that the channel has no use for', () => {
  test.for([
    ['web_chat', 'a written chat'],
    ['sms_chat', 'a text message conversation'],
  ] as const)('is refused in words about the channel: %s', async ([type, name], { server, stage }) => {
    const model = stage.model('openai')
    model.script({ toolCalls: [{ name: 'press', arguments: '{"digits":"1"}' }] }, { text: 'I cannot do that.' })
    const llm = { general_tools: [{ type: 'press_digit', name: 'press' }] }
    const chatId = await chatOn(server, model, { llm, chat: { type } })
    const turn = await takeTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages[1]?.content).toBe(
      `Not available in this channel: this is ${name}; keypad tones (DTMF) cannot be sent here.`,
    )
  })
})

describe('end_call', () => {
  test.for(['plain', 'streamed'] as const)('ends the chat with its last words, %s', async (mode, { server, stage }) => {
    const model = stage.model('openai')
    model.script({ ...END, text: 'Goodbye!' })
    const chatId = await chatOn(server, model, { llm: { general_tools: [END_TOOL] } })
    const turn = await takeTurn(server, chatId, { mode, content: 'Bye' })
    expect(turn.turnStatus).toBe('completed')
    expect(turn.messages.map(({ role, content }) => [role, content])).toEqual([
      ['assistant', 'Goodbye!'],
      ['tool', 'success'],
    ])
    const chat = await readChat(server, chatId)
    expect(chat).toMatchObject({ status: 'completed', transcript: 'User: Bye\nAgent: Goodbye!' })
    expect(chat.endedAt).not.toBeNull()
    const late = await takeTurn(server, chatId, { mode: 'plain', content: 'Wait' })
    expect([late.status, late.errorCode]).toEqual([422, 'chat_ended'])
    // Meanwhile it may have been analysed.
    const { chatAnalysis: _analysis, chatCost: _cost, ...same } = chat
    expect(await readChat(server, chatId)).toMatchObject(same)
  })

  test('without a word asks for one', async ({ server, stage }) => {
    const model = stage.model('anthropic')
    model.script(END, { text: 'See you.' })
    const chatId = await chatOn(server, model, { llm: { general_tools: [END_TOOL] } })
    await takeTurn(server, chatId, { mode: 'plain', content: 'Bye' })
    expect((await storedLines(server, chatId)).at(-1)).toBe('assistant: See you.')
    expect((await readChat(server, chatId)).status).toBe('completed')
  })
})

const SECRET = 'Bearer sk-very-secret'

function lookWithKey({ url }: ToolServer, fields: object = {}): Record<string, unknown> {
  return {
    type: 'custom',
    name: 'look_up',
    url: `${url}/look-up?api_key=sk-very-secret`,
    headers: { Authorization: SECRET, 'X-Account': '{{account}}' },
    ...fields,
  }
}

/** The tool as answers show it. */
function shown(tool: Record<string, unknown>): Record<string, unknown> {
  return {
    ...tool,
    url: String(tool['url']).replace('sk-very-secret', STORED_VALUE),
    headers: { Authorization: STORED_VALUE, 'X-Account': '{{account}}' },
  }
}

/** What the tool is sent when an agent on the engine calls it. */
async function requestOf(
  server: RunningServer,
  { model, tools, engine }: { model: ScriptedModel; tools: ToolServer; engine: object },
) {
  model.script(CALL, { text: 'Done.' })
  const chat = await createChat(server, await createAgent(server, { response_engine: engine }))
  const before = tools.requests.length
  await takeTurn(server, chat.chatId, { mode: 'plain' })
  const request = tools.requests[before]
  return { path: request?.path, authorization: request?.headers['authorization'] }
}

const SENT = { path: '/look-up?api_key=sk-very-secret', authorization: SECRET }

test('secrets of an LLM configuration are never answered, kept when written back, and reach the tool', async ({
  server,
  stage,
  tools,
}) => {
  const model = stage.model('openai')
  const tool = lookWithKey(tools)
  const created = await createLlm(server, { model: model.name, general_tools: [tool] })
  const llmId = created.llm_id
  expect(created.general_tools).toEqual([shown(tool)])
  const engine = { type: 'llm', llm_id: llmId }
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const { version: _first, ...stored } = await bodyOf(200, read<Llm>(server, `/api/llms/${llmId}`))
  expect(stored.general_tools).toEqual([shown(tool)])
  const same = await bodyOf(200, send<LlmWritten>(server, 'PATCH', `/api/llms/${llmId}`, stored))
  expect(same.version).toBe(1)
  expect(
    (await bodyOf(200, send<LlmWritten>(server, 'PATCH', `/api/llms/${llmId}`, { general_tools: [tool] }))).version,
  ).toBe(1)
  const edited = { ...shown(tool), description: 'Looks something up.' }
  const next = await bodyOf(200, send<LlmWritten>(server, 'PATCH', `/api/llms/${llmId}`, { general_tools: [edited] }))
  expect(next).toMatchObject({ version: 2, general_tools: [edited] })
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const unknown = { ...shown(tool), headers: { 'X-Other': STORED_VALUE } }
  expect(await send(server, 'PATCH', `/api/llms/${llmId}`, { general_tools: [unknown] })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request', details: [{ path: 'general_tools[0].headers.X-Other' }] },
  })
  const copy = { model: model.name, general_tools: [shown(tool)] }
  expect((await send(server, 'POST', '/api/v1/llms', copy)).status).toBe(400)
  const duplicate = await createLlm(server, { ...copy, secrets_from: llmId })
  expect(await requestOf(server, { model, tools, engine: { type: 'llm', llm_id: duplicate.llm_id } })).toEqual(SENT)
  const before = tools.requests.length
  const trial = { tool: shown(tool), secrets_from: llmId }
  await bodyOf(200, send<ToolTestResult>(server, 'POST', '/api/tools/test', trial))
  expect(tools.requests[before]?.headers).toMatchObject({ authorization: SECRET })
  expect(await send(server, 'POST', '/api/tools/test', { tool: shown(tool) })).toMatchObject({
    status: 400,
    body: { details: [{ path: 'tool.headers.Authorization' }, { path: 'tool.url' }] },
  })
})

test('secrets of flows are treated alike in nodes, local and shared components, and follow into a component', async ({
  server,
  stage,
  tools,
}) => {
  const model = stage.model('openai')
  const tool = lookWithKey(tools)
  const node = { id: 'talk', type: 'subagent', instruction: { type: 'prompt', text: 'Look it up.' }, tools: [tool] }
  const shownNode = { ...node, tools: [shown(tool)] }
  const part = { name: 'Part', nodes: [{ ...node, id: 'inner' }] }
  const mcps = [{ name: 'Shop', url: 'https://user:pass@shop.example/mcp', headers: { 'X-Key': 'k' } }]
  const shownMcps = [
    {
      name: 'Shop',
      url: `https://${STORED_VALUE}:${STORED_VALUE}@shop.example/mcp`,
      headers: { 'X-Key': STORED_VALUE },
    },
  ]
  const model_choice = { type: 'cascading', model: model.name }
  const given = { model_choice, nodes: [node], tools: [tool], mcps, components: [part] }
  const flow = await bodyOf(201, send<ConversationFlow>(server, 'POST', '/api/conversation-flows', given))
  const path = `/api/conversation-flows/${flow.conversation_flow_id}`
  const hidden = {
    nodes: [shownNode],
    tools: [shown(tool)],
    mcps: shownMcps,
    components: [{ nodes: [{ ...shownNode, id: 'inner' }] }],
  }
  expect(flow).toMatchObject(hidden)
  const engine = { type: 'conversation-flow', conversation_flow_id: flow.conversation_flow_id }
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const { version: _first, ...stored } = await bodyOf(200, read<ConversationFlow>(server, path))
  expect(stored).toMatchObject(hidden)
  expect((await bodyOf(200, send<ConversationFlow>(server, 'PATCH', path, stored))).version).toBe(1)
  const renamed = { nodes: [{ ...shownNode, name: 'Renamed' }] }
  expect(await bodyOf(200, send<ConversationFlow>(server, 'PATCH', path, renamed))).toMatchObject({ version: 2 })
  expect(await requestOf(server, { model, tools, engine })).toEqual(SENT)
  const check = (body: object) => bodyOf(200, send(server, 'POST', '/api/conversation-flows/validate', body))
  expect(await check({ nodes: [shownNode] })).toMatchObject({
    valid: false,
    errors: [{ path: 'nodes[0].tools[0].headers.Authorization' }, { path: 'nodes[0].tools[0].url' }],
  })
  const from = { secrets_from: flow.conversation_flow_id }
  expect(await check({ nodes: [shownNode], ...from })).toMatchObject({ valid: true })
  const component = { name: 'Shared', nodes: [{ ...shownNode, id: 'inner' }], mcps: shownMcps, ...from }
  const shared = await bodyOf(201, send<FlowComponent>(server, 'POST', '/api/flow-components', component))
  expect(shared).toMatchObject({ nodes: [{ ...shownNode, id: 'inner' }], mcps: shownMcps })
  const runs = [{ id: 'run', type: 'component', component_id: shared.flow_component_id }]
  const running = { model_choice, nodes: runs }
  const outer = await bodyOf(201, send<ConversationFlow>(server, 'POST', '/api/conversation-flows', running))
  const outerEngine = { ...engine, conversation_flow_id: outer.conversation_flow_id }
  expect(await requestOf(server, { model, tools, engine: outerEngine })).toEqual(SENT)
})

test('a named secret reaches tools and nobody else; a new value is used by the next call', async ({
  server,
  stage,
  tools,
}) => {
  const model = stage.model('openai')
  const path = '/api/workspace-secrets/crm_key'
  const tool = lookWithKey(tools, {
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
    const { messages } = await takeTurn(server, chatId, { mode: 'plain' })
    return { content: messages[1]?.content, sent: tools.requests.slice(before) }
  }
  const unknown = await take()
  expect(unknown.content).toMatch(/^The tool failed \(unknown-secret\): No request was sent: the secret "crm_key"/)
  expect(unknown.sent).toEqual([])
  for (const value of ['first-value-of-it', 'second-value-of-it']) {
    const put = await bodyOf(200, send(server, 'PUT', path, { value }))
    expect(put).toEqual({ name: 'crm_key', createdAt: expect.any(String), updatedAt: expect.any(String) })
    const { content, sent } = await take(`Bearer ${value}`)
    expect(sent).toMatchObject([{ path: `/look-up?key=${value}`, headers: { authorization: `Bearer ${value}` } }])
    expect(content).toBe('{"echo":"Bearer ***"}')
  }
  const told = JSON.stringify([model.requests.map(({ body }) => body), await readChat(server, chatId)])
  expect(told).not.toContain('-value-of-it')
  expect(told).toContain('The key is {{secrets.crm_key}}.')
  const listed = await bodyOf(200, read<object[]>(server, '/api/workspace-secrets'))
  expect(listed).toEqual([{ name: 'crm_key', createdAt: expect.any(String), updatedAt: expect.any(String) }])
  const changed = await bodyOf(
    200,
    send<LlmWritten>(server, 'PATCH', `/api/llms/${created.llm_id}`, { begin_message: '' }),
  )
  expect(changed.warnings).toEqual([])
  const audit = JSON.stringify(await bodyOf(200, read(server, '/api/audit-log')))
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

function look(url: string, fields: object = {}): object {
  return { type: 'custom', name: 'look_up', description: 'Looks something up.', url: `${url}/look-up`, ...fields }
}

/** The signature as the documentation describes it, made anew. */
function sign(secret: string, request: RecordedRequest | undefined): string {
  const time = /^v=(\d+),/.exec(request?.headers['x-webhook-signature'] ?? '')?.[1] ?? ''
  expect(Math.abs(Date.now() - Number(time))).toBeLessThan(60_000)
  return createHmac('sha256', secret)
    .update(`${request?.rawBody.toString() ?? ''}${time}`)
    .digest('hex')
}

function digestsOf(request: RecordedRequest | undefined): string[] {
  return (request?.headers['x-webhook-signature'] ?? '')
    .split(',')
    .filter((part) => part.startsWith('d='))
    .map((part) => part.slice(2))
}

function systemPrompt(model: ScriptedModel, index: number): unknown {
  const messages = model.requests[index]?.body.messages as { role: string; content: string }[] | undefined
  return messages?.[0]?.content
}
