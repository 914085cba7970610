import { describe, expect } from 'vitest'
import type { ModelReply } from '../../testing/model-server/reply.ts'
import { readChat } from '../../testing/server-test.ts'
import { chatOn, readMessageLines, runTurn, test } from './scripted-model.ts'

const FIVE_WORDS = { text: 'One two three four five.' }
const BLANK_LINE = 'Sorry, I did not catch that. Could you say it again?'
const WAYS = (['openai', 'anthropic'] as const).flatMap((wire) =>
  (['plain', 'streamed'] as const).map((mode) => ({ wire, mode })),
)

interface Case {
  readonly replies: readonly ModelReply[]
  /** Transcript, or null if the turn fails before its first word. */
  readonly expectedText: string | null
  readonly requests: number
  readonly code?: 'provider_error' | 'provider_timeout'
  /** Text after which the turn fails. */
  readonly isInterrupted?: boolean
  readonly agent?: object
}

const overloadedReply = { fault: 'status', status: 529 } as const
const limit = { fault: 'status', status: 429, retryAfterMs: 20 } as const
const broken = { fault: 'status', status: 500 } as const
const silent = { fault: 'hang', after: 'accept' } as const
const headersOnly = { fault: 'hang', after: 'headers' } as const

/** Each case applies to both wire formats, with and without streaming. */
const CASES: Readonly<Record<string, Case>> = {
  'a good answer': { replies: [FIVE_WORDS], expectedText: FIVE_WORDS.text, requests: 1 },
  'keep-alive comments and thinking': {
    replies: [{ ...FIVE_WORDS, keepAliveComments: true, thinking: 'Hmm.' }],
    expectedText: FIVE_WORDS.text,
    requests: 1,
  },
  'a refusal': {
    replies: [{ text: 'I cannot help with that.', refusal: true }],
    expectedText: 'I cannot help with that.',
    requests: 1,
  },
  'an answer cut by its length': {
    replies: [{ text: 'One two', finish: 'length' }],
    expectedText: 'One two',
    requests: 1,
  },
  'an answer without an end mark': {
    replies: [{ text: 'One two', ending: 'no-done' }],
    expectedText: 'One two',
    requests: 1,
  },
  '429 once': { replies: [limit, FIVE_WORDS], expectedText: FIVE_WORDS.text, requests: 2 },
  '429 with seconds to wait, once': {
    replies: [{ fault: 'status', status: 429, retryAfter: '1' }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
  '429 for ever': { replies: [limit, limit, limit], expectedText: null, requests: 2, code: 'provider_error' },
  '500 once': { replies: [broken, FIVE_WORDS], expectedText: FIVE_WORDS.text, requests: 2 },
  '500 for ever': { replies: [broken, broken, broken], expectedText: null, requests: 2, code: 'provider_error' },
  'overloaded, then fine': { replies: [overloadedReply, FIVE_WORDS], expectedText: FIVE_WORDS.text, requests: 2 },
  '401 is not tried again': {
    replies: [{ fault: 'status', status: 401 }],
    expectedText: null,
    requests: 1,
    code: 'provider_error',
  },
  '400 is not tried again': {
    replies: [{ fault: 'status', status: 400 }],
    expectedText: null,
    requests: 1,
    code: 'provider_error',
  },
  'silence once': { replies: [silent, FIVE_WORDS], expectedText: FIVE_WORDS.text, requests: 2 },
  'silence for ever': {
    replies: [silent, headersOnly, silent],
    expectedText: null,
    requests: 2,
    code: 'provider_timeout',
  },
  'a cut before the first word': {
    replies: [{ fault: 'cut', afterWords: 0 }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
  'a cut after ten words': {
    replies: [{ fault: 'cut', afterWords: 10 }],
    expectedText: 'One two three four five six seven eight nine ten',
    requests: 1,
    code: 'provider_error',
    isInterrupted: true,
  },
  'silence in the middle': {
    replies: [{ fault: 'hang', after: 'words', words: 3 }],
    expectedText: 'One two three',
    requests: 1,
    code: 'provider_timeout',
    isInterrupted: true,
  },
  'a line of garbage at first': {
    replies: [{ fault: 'garbage-line', afterWords: 0 }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
  'a line of garbage later': {
    replies: [{ fault: 'garbage-line', afterWords: 3 }],
    expectedText: 'One two three',
    requests: 1,
    code: 'provider_error',
    isInterrupted: true,
  },
  'a line of 10 MB': {
    replies: [{ fault: 'huge-line', sizeBytes: 10_000_000 }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
  'a web page for ever': {
    replies: [{ fault: 'html' }, { fault: 'html' }],
    expectedText: null,
    requests: 2,
    code: 'provider_error',
  },
  'an error inside the stream at first': {
    replies: [{ fault: 'error-event', afterWords: 0, kind: 'overloaded' }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
  'an error inside the stream later': {
    replies: [{ fault: 'error-event', afterWords: 2, kind: 'overloaded' }],
    expectedText: 'One two',
    requests: 1,
    code: 'provider_error',
    isInterrupted: true,
  },
  'an empty answer once': { replies: [{ text: '' }, FIVE_WORDS], expectedText: FIVE_WORDS.text, requests: 2 },
  'a blank answer once': {
    replies: [{ text: ' \n ', chunks: 3 }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
  'blank answers for ever': {
    replies: [{ text: '' }, { text: ' \n' }, FIVE_WORDS],
    expectedText: BLANK_LINE,
    requests: 2,
  },
  'blank answers with a line of the agent': {
    replies: [{ text: '' }, { text: '' }],
    expectedText: 'Come again?',
    requests: 2,
    agent: { fallback_message: 'Come again?' },
  },
  'failure with a line of the agent': {
    replies: [broken, broken],
    expectedText: 'Please call us.',
    requests: 2,
    agent: { fallback_message: 'Please call us.' },
  },
  'no such tool': {
    replies: [{ toolCalls: [{ name: 'no_such', arguments: '{}' }] }, FIVE_WORDS],
    expectedText: FIVE_WORDS.text,
    requests: 2,
  },
}

describe.concurrent.for(WAYS)('$wire, $mode', ({ wire, mode }) => {
  test.for(Object.entries(CASES))(
    '%s',
    async ([, { replies, expectedText, requests, code, isInterrupted, agent }], {
      server: defaultServer,
      shortTimeoutServer,
      stage,
    }) => {
      const server = replies.some((reply) => 'fault' in reply && reply.fault === 'hang')
        ? shortTimeoutServer
        : defaultServer
      const model = stage.model(wire)
      model.script(...replies)
      const chatId = await chatOn(server, model, { agent: agent ?? {} })
      const turn = await runTurn(server, chatId, { mode })
      const expectsFailure = code !== undefined
      expect(turn.errorCode).toBe(code ?? null)
      expect(turn.turnStatus).toBe(expectsFailure ? 'failed' : 'completed')
      if (mode === 'plain') expect(turn.status).toBe(statusOf(code))
      else expect(turn.streamedText).toBe(expectedText ?? '')
      expect(model.requests).toHaveLength(requests)
      const { messages } = await readChat(server, chatId)
      expect(messages[0]).toMatchObject({ role: 'user', content: 'Hello', incomplete: false })
      const last = messages.at(-1)
      if (expectedText === null) expect(messages).toHaveLength(1)
      else expect(last).toMatchObject({ role: 'assistant', content: expectedText, incomplete: isInterrupted === true })
      const expectedMessages = mode === 'plain' && expectsFailure ? [] : messages.slice(1)
      expect(turn.messages).toEqual(expectedMessages)
      // Connections are reused or closed.
      for (const request of model.requests) await request.closed
    },
  )

  test('deltas of tool calls split anywhere', async ({ server, stage, tools }) => {
    const text = JSON.stringify({ city: 'Zürich 🎉 "x\\', days: [1, 2], deep: { a: null } })
    const everywhere = Array.from({ length: text.length }, (_, index) => index)
    const replies = [[], [1], [7, 8, 9], everywhere].map((splits) => ({
      toolCalls: [
        { id: '', name: 'look_up', arguments: text, splits },
        { name: 'look_up', arguments: '{}', splits: [1] },
      ],
    }))
    const model = stage.model(wire)
    const chatId = await chatOn(server, model, { llm: { general_tools: [customTool(tools.url)] } })
    for (const [index, reply] of replies.entries()) {
      model.script(reply, { text: `Answer ${index}.` })
      const turn = await runTurn(server, chatId, { mode, content: `Question ${index}` })
      expect(turn.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'assistant'])
      const bodies = tools.requests
        .slice(-2)
        .map((request) => JSON.parse(request.rawBody.toString()) as { args: object })
      expect(bodies.map(({ args }) => JSON.stringify(args)).sort()).toEqual([text, '{}'].sort())
      expect(turn.messages[0]?.tool_calls.map((call) => call.function.arguments)).toEqual([text, '{}'])
    }
    const ids = tools.requests.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(ids).size).toBe(8)
  })

  test.for(['{"city": 5}', '{"city": "x"', '[]', 'null', ''])(
    'arguments %s are told to the model',
    async (given, { server, stage, tools }) => {
      const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
      const model = stage.model(wire)
      model.script({ toolCalls: [{ name: 'look_up', arguments: given }] }, FIVE_WORDS)
      const chatId = await chatOn(server, model, { llm: { general_tools: [customTool(tools.url, { parameters })] } })
      const turn = await runTurn(server, chatId, { mode })
      expect(turn.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'assistant'])
      expect(turn.messages[1]?.content).toMatch(/^The arguments are not (a )?valid/)
      expect(tools.requests).toEqual([])
      expect(JSON.stringify(model.requests[1]?.body)).toContain('The arguments are not')
    },
  )

  test('a model that keeps calling tools is made to answer', async ({ server, stage, tools }) => {
    const model = stage.model(wire)
    const again = { toolCalls: [{ name: 'look_up', arguments: '{}' }] }
    model.script(...Array.from({ length: 8 }, () => again), FIVE_WORDS)
    const chatId = await chatOn(server, model, { llm: { general_tools: [customTool(tools.url)] } })
    const turn = await runTurn(server, chatId, { mode })
    expect(turn.messages.at(-1)?.content).toBe(FIVE_WORDS.text)
    expect(tools.requests).toHaveLength(8)
  })

  test('the next model answers when the first cannot', async ({ server, stage }) => {
    const first = stage.model(wire)
    const second = stage.model(wire === 'openai' ? 'anthropic' : 'openai')
    first.script(broken, broken)
    second.script(FIVE_WORDS)
    const chatId = await chatOn(server, first, { agent: { fallback_models: ['nobody/none', second.name] } })
    expect((await runTurn(server, chatId, { mode })).messages[0]?.content).toBe(FIVE_WORDS.text)
    expect([first.requests.length, second.requests.length]).toEqual([2, 1])
  })

  test('the offline model answers when no provider does', async ({ server, stage }) => {
    const model = stage.model(wire)
    model.script(broken, broken)
    const chatId = await chatOn(server, model, {
      agent: { fallback_models: ['offline'] },
      llm: { general_prompt: '- Opening hours: 9 to 17' },
    })
    const turn = await runTurn(server, chatId, { mode, content: 'What are your opening hours?' })
    expect(turn.messages[0]?.content).toContain('9 to 17')
  })

  test('a retry answers a failed message, with or without its key, and the message is stored once', async ({
    server,
    stage,
  }) => {
    const model = stage.model(wire)
    for (const headers of [{}, { 'idempotency-key': 'again' }]) {
      const chatId = await chatOn(server, model)
      model.script(broken, broken, FIVE_WORDS)
      expect((await runTurn(server, chatId, { mode, headers })).errorCode).toBe('provider_error')
      expect(await readMessageLines(server, chatId)).toEqual(['user: Hello'])
      expect((await runTurn(server, chatId, { mode, headers })).turnStatus).toBe('completed')
      expect(await readMessageLines(server, chatId)).toEqual(['user: Hello', `assistant: ${FIVE_WORDS.text}`])
    }
  })

  test('a partial answer is kept and the retry answers again', async ({ server, stage }) => {
    const model = stage.model(wire)
    const chatId = await chatOn(server, model)
    model.script({ fault: 'cut', afterWords: 2 }, FIVE_WORDS, FIVE_WORDS)
    await runTurn(server, chatId, { mode })
    await runTurn(server, chatId, { mode })
    const lines = ['user: Hello', 'assistant: One two*', `assistant: ${FIVE_WORDS.text}`]
    expect(await readMessageLines(server, chatId)).toEqual(lines)
    expect(JSON.stringify(model.requests[1]?.body)).not.toContain('One two')
    await runTurn(server, chatId, { mode })
    expect(await readMessageLines(server, chatId)).toEqual([...lines, 'user: Hello', `assistant: ${FIVE_WORDS.text}`])
  })

  test('another message after a failure is a new one', async ({ server, stage }) => {
    const model = stage.model(wire)
    const chatId = await chatOn(server, model)
    model.script(broken, broken, FIVE_WORDS)
    await runTurn(server, chatId, { mode })
    await runTurn(server, chatId, { mode, content: 'Something else' })
    expect(await readMessageLines(server, chatId)).toEqual([
      'user: Hello',
      'user: Something else',
      `assistant: ${FIVE_WORDS.text}`,
    ])
  })
})

test('no failure reveals the vendor key', async ({ server, stage }) => {
  const model = stage.model('openai')
  model.script({ fault: 'status', status: 401, body: '{"error":{"message":"Incorrect API key: sk-never-to-be-seen"}}' })
  const chatId = await chatOn(server, model)
  const { body } = await server.call('POST', `/api/chats/${chatId}/completions`, {
    body: { workspaceId: server.workspaceId, content: 'Hello' },
  })
  expect(body).toMatchObject({ code: 'provider_error', status: 502, details: [] })
  expect(body.error).toContain('401')
  expect(JSON.stringify(body) + server.output).not.toContain('never-to-be-seen')
})

function statusOf(code: Case['code']): number {
  if (code === undefined) return 201
  return code === 'provider_timeout' ? 504 : 502
}

function customTool(url: string, fields: object = {}): object {
  return { type: 'custom', name: 'look_up', description: 'Looks something up.', url: `${url}/look-up`, ...fields }
}
