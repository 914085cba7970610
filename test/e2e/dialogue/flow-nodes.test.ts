import { describe, expect } from 'vitest'
import type { StreamedEvent } from '../../../testing/api-client.ts'
import { completeStreamed, readChat } from '../../../testing/server-test.ts'
import { runTurn, summarizeStream } from '../scripted-model.ts'
import {
  callsTool,
  chooses,
  edge,
  flowChat,
  formatTrail,
  readTurns,
  routingTiersOf,
  says,
  talks,
  test,
  to,
  when,
} from './dialogue-test-kit.ts'

const END = { id: 'end', type: 'end', instruction: { type: 'static_text', text: 'Goodbye, {{name}}.' } }

describe('a node of type function', () => {
  const tool = (url: string, fields: object = {}) => ({
    type: 'custom',
    tool_id: 'order',
    name: 'find_order',
    description: 'Finds an order.',
    url: `${url}/orders/{{customer}}`,
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    response_variables: { state: '$.order.state', name: '$.customer.name' },
    ...fields,
  })
  const nodes = [
    says('ask', 'Your order number?', { always_edge: to('find') }),
    {
      id: 'find',
      type: 'function',
      tool_id: 'order',
      tool_type: 'local',
      wait_for_result: true,
      edges: [when('state', '==', 'sent', 'sent'), when('state', 'exists', null, 'open')],
      else_edge: to('failed'),
    },
    says('sent', 'It is on its way, {{name}}.', { edges: [edge('end', 'The user has no further question.')] }),
    says('open', 'It is not sent yet.'),
    says('failed', 'I cannot find it.'),
    END,
  ]

  test('calls its HTTP tool, keeps variables, and follows an equation to the end', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    tools.script({ kind: 'json', body: { order: { state: 'sent' }, customer: { name: 'Ada {{state}}' } } })
    model.script(callsTool('find_order', { number: 'A7' }))
    const flow = { nodes, tools: [tool(tools.url)] }
    const chat = { dynamicVariables: { customer: 'c/1' }, metadata: { source: 'test' } }
    const { chatId } = await flowChat(server, model, { flow, chat })
    const turn = await runTurn(server, chatId, { mode: 'plain', content: 'A7' })
    const [call] = turn.messages.flatMap(({ tool_calls }) => tool_calls)
    expect(formatTrail(turn.messages)).toEqual([
      'ask => find',
      'find_order({"number":"A7"})',
      'find_order -> {"order":{"state":"sent"},"customer":{"name":"Ada {{state}}"}}',
      'find => sent',
      'agent: It is on its way, Ada {{state}}.',
    ])
    const [request] = tools.requests
    expect(request?.path).toContain('/orders/c')
    expect(JSON.parse(request?.rawBody.toString() ?? '')).toMatchObject({
      name: 'find_order',
      args: { number: 'A7' },
      chat: { chat_id: chatId, metadata: { source: 'test' } },
    })
    expect(request?.headers['idempotency-key']).toBe(call?.id)
    expect(request?.headers['x-webhook-signature']).toMatch(/^v=\d+,d=[0-9a-f]{64}/)
    expect((await readChat(server, chatId)).collectedDynamicVariables).toEqual({ state: 'sent', name: 'Ada {{state}}' })
    model.script(chooses('e1'))
    const last = await runTurn(server, chatId, { mode: 'plain', content: 'No, thank you.' })
    expect(formatTrail(last.messages)).toEqual(['sent => end', 'agent: Goodbye, Ada {{state}}.'])
    expect((await readChat(server, chatId)).status).toBe('completed')
  })

  test('takes other edges when the tool answers differently or fails', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    for (const [reply, heard] of [
      [{ kind: 'json', body: { order: { state: 'new' } } }, 'It is not sent yet.'],
      [{ kind: 'json', status: 404, body: {} }, 'I cannot find it.'],
      [{ kind: 'refuse' }, 'I cannot find it.'],
      [{ kind: 'html' }, 'I cannot find it.'],
    ] as const) {
      tools.script(reply)
      model.script(callsTool('find_order', { number: '1' }))
      const { chatId } = await flowChat(server, model, { flow: { nodes, tools: [tool(tools.url)] } })
      const turn = await runTurn(server, chatId, { mode: 'streamed', content: '1' })
      expect(turn.messages.at(-1)?.content, JSON.stringify(reply)).toBe(heard)
    }
  })

  test('lets the model correct its arguments, once', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(callsTool('find_order', { number: 7 }), callsTool('find_order', { number: '7' }))
    const { chatId } = await flowChat(server, model, { flow: { nodes, tools: [tool(tools.url)] } })
    const turn = await runTurn(server, chatId, { mode: 'plain', content: '7' })
    expect(turn.messages.map(({ role }) => role).filter((role) => role === 'tool')).toHaveLength(2)
    expect(tools.requests).toHaveLength(1)
    model.script(callsTool('find_order', {}), callsTool('find_order', {}), callsTool('find_order', { number: '7' }))
    const other = await flowChat(server, model, { flow: { nodes, tools: [tool(tools.url)] } })
    const failed = await runTurn(server, other.chatId, { mode: 'plain', content: '7' })
    expect(failed.messages.at(-1)?.content).toBe('I cannot find it.')
    expect(tools.requests).toHaveLength(1)
  })

  test('speaks before the tool answers', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const [ask, find, ...rest] = nodes
    const speaking = {
      ...find,
      speak_during_execution: true,
      instruction: { type: 'static_text', text: 'One moment.' },
    }
    const flow = { nodes: [ask, speaking, ...rest], tools: [tool(tools.url, { parameters: {} })] }
    const { chatId } = await flowChat(server, model, { flow })
    const events = await completeStreamed(server, chatId, 'Go')
    expect(namesOf(events)).toEqual([
      'turn.started',
      'message.completed system',
      'message.delta One moment.',
      'tool.call',
      'message.completed assistant',
      'tool.result',
      'message.completed tool',
      'message.completed system',
      'message.delta I cannot find it.',
      'message.completed assistant',
      'done',
    ])
    expect(summarizeStream(events).messages.at(-1)?.content).toBe('I cannot find it.')
  })
})

/** Summarizes a stream. Consecutive deltas count as one, since the server may send words together. */
function namesOf(events: readonly StreamedEvent[]): string[] {
  const names: string[] = []
  for (const [index, { event, data }] of events.entries()) {
    if (event === 'message.delta' && events[index - 1]?.event === event) names.push(`${names.pop()}${data.text}`)
    else if (event === 'message.delta') names.push(`${event} ${data.text}`)
    else if (event === 'message.completed') names.push(`${event} ${(data.message as { role: string }).role}`)
    else names.push(event)
  }
  return names
}

test('a stream has every event once, in order, and can be resumed anywhere', async ({ server, stage, tools }) => {
  const model = stage.model('openai')
  model.script(chooses('e1'), { text: 'It is all good.', delayPerWordMs: 5 })
  tools.script({ kind: 'json', body: { n: 1 } })
  const nodes = [
    says('ask', 'Go on?', { edges: [edge('work', 'Yes.')] }),
    { id: 'work', type: 'function', tool_id: 'ping', tool_type: 'local', else_edge: to('talk') },
    talks('talk', 'Sum up.'),
  ]
  const flow = { nodes, tools: [{ type: 'custom', name: 'ping', url: tools.url, response_variables: { n: '$.n' } }] }
  const { chatId } = await flowChat(server, model, { flow: { ...flow, start_speaker: 'agent' } })
  const events = await completeStreamed(server, chatId, 'Yes')
  expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1))
  expect(namesOf(events)).toEqual([
    'turn.started',
    'message.completed system',
    'tool.call',
    'message.completed assistant',
    'tool.result',
    'message.completed tool',
    'message.completed system',
    'message.delta It is all good.',
    'message.completed assistant',
    'done',
  ])
  expect(formatTrail(summarizeStream(events).messages)).toEqual([
    'ask => work',
    'ping({})',
    'ping -> {"n":1}',
    'work => talk',
    'agent: It is all good.',
  ])
  const turnId = String(events[0]?.data.turn_id)
  for (const last of [0, 1, 5, events.length - 1]) {
    const resumed = await server.stream('GET', `/api/chats/${chatId}/turns/${turnId}/events`, {
      query: { workspaceId: server.workspaceId },
      headers: { 'last-event-id': String(last) },
    })
    const rest = await Array.fromAsync(resumed.events)
    // An ended turn is replayed from its record: whole messages instead of deltas.
    const messagesOf = (list: readonly StreamedEvent[]) => summarizeStream(list).messages
    expect(messagesOf(rest)).toEqual(messagesOf(events.filter(({ id }) => id > last)))
    expect(rest.at(-1)).toMatchObject({ event: 'done', id: events.length })
  }
})

test('a node of type code computes from variables and metadata', async ({ server, stage }) => {
  const model = stage.model('openai')
  const code = 'const price = Number(dv.count) * metadata.price\nreturn { total: price, label: `${price} CHF` }'
  const nodes = [
    {
      id: 'sum',
      type: 'code',
      name: 'Sum up!',
      code,
      response_variables: { total: '$.total', label: '$.label' },
      edges: [when('total', '>=', 30, 'much')],
      else_edge: to('little'),
    },
    says('much', 'That is much: {{label}}.'),
    says('little', 'That is little: {{label}}.'),
  ]
  for (const [count, heard] of [
    ['4', 'That is much: 40 CHF.'],
    ['2', 'That is little: 20 CHF.'],
  ] as const) {
    const chat = { dynamicVariables: { count }, metadata: { price: 10 } }
    const { chatId } = await flowChat(server, model, { flow: { nodes }, chat })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(formatTrail(turn.messages)).toMatchObject(
      ['start => sum', 'Sum_up_({})', /^Sum_up_ -> /, /^sum => /, `agent: ${heard}`].map((part) =>
        typeof part === 'string' ? part : expect.stringMatching(part),
      ),
    )
  }
  expect(model.requests).toEqual([])
})

describe('a node of type mcp', () => {
  const nodes = [
    {
      id: 'add',
      type: 'mcp',
      mcp_id: 'calc',
      mcp_tool_name: 'add',
      response_variables: { sum: '$.sum' },
      edges: [when('sum', '==', 5, 'told')],
      else_edge: to('lost'),
    },
    says('told', 'The sum is {{sum}}.'),
    says('lost', 'I could not add.'),
  ]

  test('calls the tool of its server with the filled-in arguments and follows the result', async ({
    server,
    stage,
    mcp,
  }) => {
    const model = stage.model('openai')
    model.script(callsTool('add', { a: 2, b: 3 }))
    const mcps = [{ mcp_id: 'calc', name: 'Calculator', url: mcp.url, headers: { 'X-Who': '{{who}}' } }]
    const { chatId } = await flowChat(server, model, {
      flow: { nodes, mcps },
      chat: { dynamicVariables: { who: 'ada' } },
    })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(formatTrail(turn.messages)).toEqual([
      'start => add',
      'add({"a":2,"b":3})',
      'add -> {"sum":5}',
      'add => told',
      'agent: The sum is 5.',
    ])
    expect(mcp.listLabels()).toContain('POST tools/call')
    expect(mcp.requests.every(({ headers }) => headers['x-who'] === 'ada')).toBe(true)
  })

  test('continues when the server is unreachable, and asks for consent first where required', async ({
    server,
    stage,
    mcp,
  }) => {
    const model = stage.model('openai')
    const down = [{ mcp_id: 'calc', name: 'Calculator', url: 'http://127.0.0.1:1/mcp' }]
    model.script(callsTool('add', { a: 2, b: 3 }))
    const lost = await flowChat(server, model, { flow: { nodes, mcps: down } })
    const failed = await runTurn(server, lost.chatId, { mode: 'plain' })
    expect(failed.messages.at(-1)?.content).toBe('I could not add.')
    expect(failed.messages.find(({ role }) => role === 'tool')?.content).toMatch(/^The tool failed \(network\)/)

    const mcps = [{ mcp_id: 'calc', name: 'Calculator', url: mcp.url, require_approval: 'always' }]
    model.script(callsTool('add', { a: 2, b: 3 }), { text: 'Shall I add 2 and 3?' }, chooses('e1'))
    const { chatId } = await flowChat(server, model, { flow: { nodes, mcps } })
    const approvalTurn = await runTurn(server, chatId, { mode: 'plain' })
    expect(approvalTurn.messages.at(-1)?.content).toBe('Shall I add 2 and 3?')
    expect(mcp.listLabels()).not.toContain('POST tools/call')
    const agreed = await runTurn(server, chatId, { mode: 'plain', content: 'Yes' })
    expect(agreed.messages.at(-1)?.content).toBe('The sum is 5.')
    expect(mcp.listLabels().filter((label) => label === 'POST tools/call')).toHaveLength(1)
  })
})

test('a node of type sms records the message as unsent and takes the failed edge', async ({ server, stage }) => {
  const model = stage.model('openai')
  const sms = (instruction: object) => [
    { id: 'text', type: 'sms', instruction, success_edge: to('yes'), failed_edge: to('no') },
    says('yes', 'Sent.'),
    says('no', 'It could not be sent.'),
  ]
  model.script(callsTool('write_message', { text: 'Your table is at eight.' }))
  for (const [instruction, text] of [
    [{ type: 'static_text', text: 'Code {{code}}' }, 'Code 12'],
    [{ type: 'template', template: 'info_collection' }, null],
    [{ type: 'prompt', text: 'Confirm the table.' }, 'Your table is at eight.'],
  ] as const) {
    const chat = { dynamicVariables: { code: '12' } }
    const { chatId } = await flowChat(server, model, { flow: { nodes: sms(instruction) }, chat })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('It could not be sent.')
    const record = turn.messages.find(({ role, name }) => role === 'system' && name === 'sms')
    const storedResult = JSON.parse(record?.content ?? '{}')
    expect(storedResult).toMatchObject({ status: 'unsent', ...(text !== null && { text }) })
    expect(storedResult.reason).toMatch(/\w+.*\.$/)
    expect(routingTiersOf((await readTurns(server, chatId))[0] ?? { decisions: [] })).toEqual(['result'])
  }
  expect(model.requests).toHaveLength(1)
})
