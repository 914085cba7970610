import type { Chat } from '@parley/contract/chat'
import { describe, expect } from 'vitest'
import type { StreamedEvent } from '../../testing/api-client.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { completeStreamed, expectBody, read, readChat, remove, send } from '../../testing/server-test.ts'
import { chatOn, readMessageLines, runTurn, summarizeStream, test } from './scripted-model.ts'

const HANG = { fault: 'hang', after: 'words', words: 3 } as const
const PACED = { text: 'One two three four five six.', delayPerWordMs: 30 }

/** Starts a streamed turn and waits for three words. Returns the events so far. */
async function hangingTurn(server: RunningServer, chatId: string, headers: Record<string, string> = {}) {
  const { events } = await server.stream('POST', `/api/chats/${chatId}/completions`, {
    body: { workspaceId: server.workspaceId, content: 'Hello' },
    headers,
  })
  const seen: StreamedEvent[] = []
  for (;;) {
    const { value, done } = await events.next()
    if (done === true) throw new Error('The turn ended.')
    seen.push(value)
    if (summarizeStream(seen).streamedText?.startsWith('One two three') === true) break
  }
  return { turnId: String(seen[0]?.data.turn_id), seen, events }
}

describe('cancelling', () => {
  test.for(['openai', 'anthropic'] as const)(
    'closes the upstream at once and keeps the partial reply, %s',
    async (wire, { server, stage }) => {
      const model = stage.model(wire)
      model.script(HANG, { text: 'Fine.' })
      const chatId = await chatOn(server, model)
      const { turnId, seen, events } = await hangingTurn(server, chatId)
      const path = `/api/chats/${chatId}/turns/${turnId}/cancel`
      const cancelled = await send(server, 'POST', path)
      expect([cancelled.status, cancelled.body]).toEqual([200, { turn_id: turnId, status: 'cancelled' }])
      expect(await (await model.request(0)).closed).toBe('early')
      seen.push(...(await Array.fromAsync(events)))
      expect(summarizeStream(seen)).toMatchObject({ turnStatus: 'cancelled', errorCode: null })
      expect(await readMessageLines(server, chatId)).toEqual(['user: Hello', 'assistant: One two three*'])
      expect((await send(server, 'POST', path)).status).toBe(200)
      await runTurn(server, chatId, { mode: 'plain', content: 'Go on' })
      expect((await readMessageLines(server, chatId)).slice(2)).toEqual(['user: Go on', 'assistant: Fine.'])
      expect(JSON.stringify(model.requests[1]?.body)).toContain('One two three')
      const unknownTurn = await send(server, 'POST', path.replace(turnId, 'turn_no'))
      expect([unknownTurn.status, unknownTurn.body.code]).toEqual([404, 'not_found'])
    },
  )

  test('of an ended turn is refused', async ({ server, stage }) => {
    const chatId = await chatOn(server, stage.model('openai'))
    const events = await completeStreamed(server, chatId, 'Hello')
    const refused = await send(server, 'POST', `/api/chats/${chatId}/turns/${String(events[0]?.data.turn_id)}/cancel`)
    expect([refused.status, refused.body.code]).toEqual([422, 'turn_not_running'])
  })

  test('deleting the agent completes the chat and stops its turn', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(HANG)
    const chatId = await chatOn(server, model)
    const { events } = await hangingTurn(server, chatId)
    const { agentId } = await readChat(server, chatId)
    expect((await remove(server, `/api/agents/${agentId}`)).status).toBe(204)
    expect((await Array.fromAsync(events)).at(-1)?.data).toMatchObject({ status: 'cancelled' })
    expect(await (await model.request(0)).closed).toBe('early')
    expect(await readChat(server, chatId)).toMatchObject({ status: 'completed', agentId })
  })

  test('ending the chat cancels its turn', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(HANG)
    const chatId = await chatOn(server, model)
    const { seen, events } = await hangingTurn(server, chatId)
    const ended = await expectBody(200, send<Chat>(server, 'POST', `/api/chats/${chatId}/end`))
    expect(ended.status).toBe('completed')
    seen.push(...(await Array.fromAsync(events)))
    expect(summarizeStream(seen).turnStatus).toBe('cancelled')
    expect(await (await model.request(0)).closed).toBe('early')
    const chat = await readChat(server, chatId)
    expect(chat.status).toBe('completed')
    expect(chat.endedAt).toBe(ended.endedAt)
    expect(await readMessageLines(server, chatId)).toEqual(['user: Hello', 'assistant: One two three*'])
  })

  test('deleting the chat ends its turn for every listener', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(HANG)
    const chatId = await chatOn(server, model)
    const { events } = await hangingTurn(server, chatId)
    expect((await remove(server, `/api/chats/${chatId}`)).status).toBe(204)
    expect((await Array.fromAsync(events)).at(-1)?.event).toBe('done')
    expect(await (await model.request(0)).closed).toBe('early')
    expect((await read(server, `/api/chats/${chatId}`)).status).toBe(404)
    expect(server.output).not.toContain('"level":50')
  })
})

describe('listeners', () => {
  test('can disconnect and resume at their position', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script({ text: 'One two three four five six seven eight nine ten.', delayPerWordMs: 40 })
    const chatId = await chatOn(server, model)
    const { turnId, seen, events } = await hangingTurn(server, chatId)
    await events.return()
    const last = seen.at(-1)?.id ?? 0
    const resumed = await server.stream('GET', `/api/chats/${chatId}/turns/${turnId}/events`, {
      query: { workspaceId: server.workspaceId },
      headers: { 'last-event-id': String(last) },
    })
    const rest = await Array.fromAsync(resumed.events)
    expect(rest[0]?.id).toBe(last + 1)
    const all = [...seen, ...rest]
    expect(all.map(({ id }) => id)).toEqual(all.map((_event, index) => index + 1))
    expect(summarizeStream(all)).toMatchObject({
      streamedText: 'One two three four five six seven eight nine ten.',
      turnStatus: 'completed',
    })
    expect(await (await model.request(0)).closed).toBe('complete')
  })

  test('with one Idempotency-Key share the running turn', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(PACED)
    const chatId = await chatOn(server, model)
    const headers = { 'idempotency-key': 'shared' }
    const first = completeStreamed(server, chatId, 'Hello', headers)
    await model.request(0)
    const [streamed, joinedStream, plain] = await Promise.all([
      first,
      completeStreamed(server, chatId, 'Hello', headers),
      send(server, 'POST', `/api/chats/${chatId}/completions`, { content: 'Hello' }, { headers }),
    ])
    expect(joinedStream).toEqual(streamed)
    expect(plain.headers.get('idempotent-replayed')).toBe('true')
    expect(plain.body).toEqual({ messages: summarizeStream(streamed).messages })
    const other = await send(server, 'POST', `/api/chats/${chatId}/completions`, { content: 'Other' }, { headers })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect(model.requests).toHaveLength(1)
    expect(await readMessageLines(server, chatId)).toEqual(['user: Hello', `assistant: ${PACED.text}`])
  })

  test('with one key at the same moment share one turn', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(PACED)
    const chatId = await chatOn(server, model)
    const headers = { 'idempotency-key': 'same-time' }
    const turns = await Promise.all(
      Array.from({ length: 6 }, () => runTurn(server, chatId, { mode: 'plain', headers })),
    )
    for (const turn of turns) expect(turn).toEqual(turns[0])
    expect(model.requests).toHaveLength(1)
    expect(await readMessageLines(server, chatId)).toEqual(['user: Hello', `assistant: ${PACED.text}`])
  })

  test('a past turn can be followed from any event, also after a restart', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script({ text: 'We open at nine.' })
    const chatId = await chatOn(server, model)
    const events = await completeStreamed(server, chatId, 'What are your opening hours?')
    const turnId = String(events[0]?.data.turn_id)
    const path = `/api/chats/${chatId}/turns/${turnId}/events`
    const query = { workspaceId: server.workspaceId }
    const follow = async (lastEventId?: number) => {
      const headers: Record<string, string> = lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }
      return await Array.fromAsync((await server.stream('GET', path, { query, headers })).events)
    }
    expect(await follow()).toEqual(events)
    expect(await follow(2)).toEqual(events.slice(2))
    expect(await follow(events.length)).toEqual([])
    expect(await follow(events.length + 100)).toEqual([])
    await server.restart()
    const replayed = await follow()
    // If nodes share events, recent deltas are still available; otherwise, the messages contain the same text.
    const eventNames = replayed.map(({ event }) => event).filter((event) => event !== 'message.delta')
    expect(eventNames).toEqual(['turn.started', 'message.completed', 'done'])
    expect(await follow(events.length - 2)).toEqual(events.slice(-2))
    expect((await server.call('GET', path, { query, headers: { 'last-event-id': 'x' } })).status).toBe(400)
    expect((await server.call('GET', path.replace(turnId, 'turn_no'), { query })).status).toBe(404)
  })
})

describe('two messages at once', () => {
  test('get replies one after the other, in order', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script(PACED, { text: 'Second.' }, { text: 'Third.' })
    const chatId = await chatOn(server, model)
    const first = runTurn(server, chatId, { mode: 'streamed', content: 'A' })
    await model.request(0)
    const second = runTurn(server, chatId, { mode: 'plain', content: 'B' })
    const third = runTurn(server, chatId, { mode: 'streamed', content: 'A' })
    expect((await Promise.all([first, second, third])).map(({ turnStatus }) => turnStatus)).toEqual([
      'completed',
      'completed',
      'completed',
    ])
    const lines = await readMessageLines(server, chatId)
    expect(lines.slice(0, 2)).toEqual(['user: A', `assistant: ${PACED.text}`])
    expect([...lines].sort()).toEqual(
      ['user: A', `assistant: ${PACED.text}`, 'user: B', 'assistant: Second.', 'user: A', 'assistant: Third.'].sort(),
    )
    for (const [index, line] of lines.entries())
      expect(line.startsWith(index % 2 === 0 ? 'user' : 'assistant')).toBe(true)
    expect(JSON.stringify(model.requests[2]?.body.messages)).toContain('Second.')
  })

  test('end cleanly when the first ends the chat', async ({ server, stage }) => {
    const model = stage.model('openai')
    model.script({ ...PACED, toolCalls: [{ name: 'bye', arguments: '{}' }] })
    const chatId = await chatOn(server, model, { llm: { general_tools: [{ type: 'end_call', name: 'bye' }] } })
    const first = runTurn(server, chatId, { mode: 'plain', content: 'A' })
    await model.request(0)
    const second = await runTurn(server, chatId, { mode: 'plain', content: 'B' })
    const third = runTurn(server, chatId, { mode: 'plain', content: 'C' })
    expect((await first).turnStatus).toBe('completed')
    expect([second.status, second.errorCode]).toEqual([422, 'chat_ended'])
    expect((await third).errorCode).toBe('chat_ended')
    expect(await readMessageLines(server, chatId)).toEqual(['user: A', `assistant: ${PACED.text}`, 'tool: success'])
  })

  test('in many chats run concurrently', async ({ server, stage }) => {
    const model = stage.model('openai')
    const chats = await Promise.all(Array.from({ length: 20 }, () => chatOn(server, model)))
    model.script(...chats.map(() => PACED))
    const turns = await Promise.all(chats.map((chatId) => runTurn(server, chatId, { mode: 'streamed' })))
    for (const turn of turns) expect(turn).toMatchObject({ streamedText: PACED.text, turnStatus: 'completed' })
  })
})

describe('variables and costs', () => {
  test('an override applies from the next turn on; usage adds up', async ({ server, stage }) => {
    const model = stage.model('openai')
    const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 40 }
    model.script({ text: 'A.', usage }, { text: 'B.', usage }, { text: 'C.', usage })
    const chatId = await chatOn(server, model, {
      llm: { general_prompt: 'Name: {{name}}', default_dynamic_variables: { name: 'default' } },
      chat: { dynamicVariables: { name: 'given' } },
    })
    await runTurn(server, chatId, { mode: 'plain' })
    for (const name of ['override', null]) {
      const changes = { override_dynamic_variables: { name } }
      const changed = await expectBody(200, send<Chat>(server, 'PATCH', `/api/chats/${chatId}`, changes))
      expect(changed.overrideDynamicVariables).toEqual({ name })
      await runTurn(server, chatId, { mode: 'plain' })
    }
    expect(model.requests.map(({ body }) => (body.messages as { content: string }[])[0]?.content)).toEqual([
      'Name: given',
      'Name: override',
      'Name: {{name}}',
    ])
    const { chatCost } = await readChat(server, chatId)
    expect(chatCost).toEqual({
      total: null,
      currency: 'USD',
      items: [
        { product: 'llm', model: model.name, inputTokens: 300, cachedInputTokens: 120, outputTokens: 15, cost: null },
      ],
    })
  })
})

describe('text that some databases cannot store', () => {
  test.for(['x \ud800 y', 'end \ud83d', 'a\u0000b'])(
    'is returned as it is stored: %j',
    async (text, { server, stage }) => {
      const model = stage.model('openai')
      model.script({ text, chunks: 3 }, { text, chunks: 3 })
      const chatId = await chatOn(server, model)
      const plain = await runTurn(server, chatId, { mode: 'plain', content: 'One' })
      const streamed = await runTurn(server, chatId, { mode: 'streamed', content: 'Two' })
      const { messages } = await readChat(server, chatId)
      expect([...plain.messages, ...streamed.messages]).toEqual(messages.filter(({ role }) => role === 'assistant'))
      for (const { content } of messages) {
        expect(content.isWellFormed()).toBe(true)
        expect(content).not.toContain('\u0000')
      }
      expect(streamed.streamedText?.toWellFormed()).toBe(streamed.messages[0]?.content)
    },
  )

  test('in a message does not prevent the replay of its retry', async ({ server, stage }) => {
    const model = stage.model('openai')
    const failing = { fault: 'status', status: 401 } as const
    model.script(failing, failing, { text: 'Fine.' })
    const chatId = await chatOn(server, model)
    const body = `{"workspaceId": ${server.workspaceId}, "content": "Half \\ud83d"}`
    const ask = () =>
      server.call('POST', `/api/chats/${chatId}/completions`, { body, headers: { 'idempotency-key': 'half' } })
    expect((await ask()).status).toBe(502)
    expect((await ask()).status).toBe(502)
    const answered = await ask()
    expect(answered.status).toBe(201)
    expect(await ask()).toMatchObject({ status: 201, body: answered.body })
    expect(await readMessageLines(server, chatId)).toEqual(['user: Half \ufffd', 'assistant: Fine.'])
  })
})
