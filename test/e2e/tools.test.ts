import { createHmac } from 'node:crypto'
import { describe, expect } from 'vitest'
import { runServer } from '../../testing/running-server.ts'
import { expectBody, read, readChat, send } from '../../testing/server-test.ts'
import type { RecordedRequest } from '../../testing/tool-server/tool-server.ts'
import { chatOn, modelSettings, readMessageLines, runTurn, type ScriptedModel, test } from './scripted-model.ts'

const CALL = { toolCalls: [{ name: 'look_up', arguments: '{"city":"Zürich"}' }] }
const END = { toolCalls: [{ name: 'end_chat', arguments: '{}' }] }
const END_TOOL = { type: 'end_call', name: 'end_chat', description: 'Ends the chat.' }

describe('a custom tool', () => {
  test('is called once, signed, with its own key and the id of the chat', async ({ server, stage, tools }) => {
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
    const turn = await runTurn(server, chatId, { mode: 'plain' })
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
    const { secrets } = await expectBody(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    expect(digestsOf(request)).toEqual(secrets.map(({ secret }) => sign(secret, request)))
  })

  test('is signed with both secrets during a rotation', async ({ server, stage, tools }) => {
    await expectBody(200, send(server, 'POST', '/api/signing-secret/rotate'))
    const { secrets } = await expectBody(200, read<{ secrets: { secret: string }[] }>(server, '/api/signing-secret'))
    expect(secrets.length).toBeGreaterThanOrEqual(2)
    const model = stage.model('anthropic')
    model.script(CALL, { text: 'Done.' })
    await runTurn(server, await chatOn(server, model, { llm: { general_tools: [look(tools.url)] } }), {
      mode: 'plain',
    })
    const [request] = tools.requests
    expect(digestsOf(request)).toEqual(secrets.map(({ secret }) => sign(secret, request)))
  })

  test('sets variables for later turns', async ({ server, stage, tools }) => {
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
    await runTurn(server, chatId, { mode: 'streamed' })
    await runTurn(server, chatId, { mode: 'streamed', content: 'Who am I?' })
    expect(systemPrompt(model, 0)).toBe('Customer: {{customer_name}} with {{points}} points, {{none}}.')
    expect(systemPrompt(model, 2)).toBe('Customer: Ada {{secret}} with 7 points, {{none}}.')
    const chat = await readChat(server, chatId)
    expect(chat.collectedDynamicVariables).toEqual({ customer_name: 'Ada {{secret}}', points: '7' })
  })

  test('reports a failure to the model, which replies', async ({ server, stage, tools }) => {
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
    const defaultTimeoutChat = await chatWith({})
    const shortTimeoutChat = await chatWith({ timeout_ms: 1000 })
    for (const [index, [reply, expected]] of cases.entries()) {
      tools.script(reply)
      model.script(CALL, { text: 'I could not look it up.' })
      const chatId = reply.kind === 'hang' ? shortTimeoutChat : defaultTimeoutChat
      const turn = await runTurn(server, chatId, { mode: 'plain', content: `Again ${index}` })
      expect(turn.messages[1]?.content, reply.kind).toMatch(expected)
      expect(turn.messages.at(-1)?.content).toBe('I could not look it up.')
    }
    for (const chatId of [defaultTimeoutChat, shortTimeoutChat]) {
      expect(JSON.stringify((await readChat(server, chatId)).messages)).not.toContain('127.0.0.1')
    }
  })

  test('is retried up to its limit, with one key', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(CALL, { text: 'Done.' })
    tools.script({ kind: 'json', status: 503, body: {} }, { kind: 'json', body: { late: true } })
    const chatId = await chatOn(server, model, { llm: { general_tools: [look(tools.url, { max_retry: 1 })] } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages[1]?.content).toBe('{"late":true}')
    expect(new Set(tools.requests.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(tools.requests).toHaveLength(2)
  })

  test('keeps a 2 MB response whole and truncates it for the model', async ({ server, stage, tools }) => {
    const model = stage.model('anthropic')
    model.script(CALL, { text: 'A lot.' })
    const body = `start ${'ü'.repeat(1_000_000)} end`
    tools.script({ kind: 'raw', contentType: 'text/plain; charset=utf-8', body })
    const chatId = await chatOn(server, model, { llm: { general_tools: [look(tools.url)] } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages[1]?.content).toBe(body)
    expect(turn.messages.at(-1)?.content).toBe('A lot.')
    const shown = JSON.stringify(model.requests[1]?.body)
    expect(shown).toContain('start üüü')
    expect(shown).toMatch(/\[cut: the result has \d+ characters\]/)
    expect(shown.length).toBeLessThan(20_000)
    // The next turn sends the result again, also truncated.
    model.script({ text: 'Still.' })
    await runTurn(server, chatId, { mode: 'plain', content: 'And?' })
    expect(JSON.stringify(model.requests[2]?.body).length).toBeLessThan(20_000)
  })

  test('passes on a web page as text', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    model.script(CALL, { text: 'A page.' })
    tools.script({ kind: 'html' })
    const chatId = await chatOn(server, model, {
      llm: { general_tools: [look(tools.url, { response_variables: { a: '$.b' } })] },
    })
    const turn = await runTurn(server, chatId, { mode: 'streamed' })
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
      const turn = await runTurn(server, chatId, { mode: 'plain' })
      expect(turn.messages[1]?.content, target).toMatch(/^The tool failed \(blocked-target\)/)
      expect(turn.messages.at(-1)?.content).toBe('No.')
    }
    expect(tools.requests).toEqual([])
  })
})

describe('a tool that the channel does not support', () => {
  test.for([
    ['web_chat', 'a written chat'],
    ['sms_chat', 'a text message conversation'],
  ] as const)('fails with a message that names the channel: %s', async ([type, name], { server, stage }) => {
    const model = stage.model('openai')
    model.script({ toolCalls: [{ name: 'press', arguments: '{"digits":"1"}' }] }, { text: 'I cannot do that.' })
    const llm = { general_tools: [{ type: 'press_digit', name: 'press' }] }
    const chatId = await chatOn(server, model, { llm, chat: { type } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages[1]?.content).toBe(
      `Not available in this channel: this is ${name}; keypad tones (DTMF) cannot be sent here.`,
    )
  })
})

describe('end_call', () => {
  test.for(['plain', 'streamed'] as const)(
    'ends the chat after the last sentence, %s',
    async (mode, { server, stage }) => {
      const model = stage.model('openai')
      model.script({ ...END, text: 'Goodbye!' })
      const chatId = await chatOn(server, model, { llm: { general_tools: [END_TOOL] } })
      const turn = await runTurn(server, chatId, { mode, content: 'Bye' })
      expect(turn.turnStatus).toBe('completed')
      expect(turn.messages.map(({ role, content }) => [role, content])).toEqual([
        ['assistant', 'Goodbye!'],
        ['tool', 'success'],
      ])
      const chat = await readChat(server, chatId)
      expect(chat).toMatchObject({ status: 'completed', transcript: 'User: Bye\nAgent: Goodbye!' })
      expect(chat.endedAt).not.toBeNull()
      const late = await runTurn(server, chatId, { mode: 'plain', content: 'Wait' })
      expect([late.status, late.errorCode]).toEqual([422, 'chat_ended'])
      // The analysis may have run in between.
      const { chatAnalysis: _analysis, chatCost: _cost, ...same } = chat
      expect(await readChat(server, chatId)).toMatchObject(same)
    },
  )

  test('without a sentence asks the model for one', async ({ server, stage }) => {
    const model = stage.model('anthropic')
    model.script(END, { text: 'See you.' })
    const chatId = await chatOn(server, model, { llm: { general_tools: [END_TOOL] } })
    await runTurn(server, chatId, { mode: 'plain', content: 'Bye' })
    expect((await readMessageLines(server, chatId)).at(-1)).toBe('assistant: See you.')
    expect((await readChat(server, chatId)).status).toBe('completed')
  })
})

function look(url: string, fields: object = {}): object {
  return { type: 'custom', name: 'look_up', description: 'Looks something up.', url: `${url}/look-up`, ...fields }
}

/** Computes the signature as documented. */
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
