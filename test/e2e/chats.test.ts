import type { Chat, ChatSummary } from '@parley/contract/chat'
import type { ChatMessage } from '@parley/contract/chat-message'
import { describe, expect } from 'vitest'
import {
  complete,
  completeStreamed,
  createAgent,
  createChat,
  expectBody,
  read,
  readChat,
  remove,
  send,
  test,
  waitForNextMillisecond,
} from '../../testing/server-test.ts'

const LLM = { begin_message: 'Hello {{name}}.', general_prompt: '- Opening hours: 9 to 17\n- Phone: 555 0100' }

describe('creating', () => {
  test('returns the chat with its opening message', async ({ server }) => {
    const agent = await createAgent(server, { agent_name: 'Desk' }, LLM)
    const { status, body } = await send<Chat>(server, 'POST', '/api/chats', {
      agentId: agent.agent_id,
      metadata: { order_id: 7, orderId: [1, { a: null }] },
      customAttributes: { vip: true },
      dynamicVariables: { name: 'Ada', count: 3, flag: true },
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      chatId: expect.stringMatching(/^chat_[0-9a-f]{26}$/),
      agentId: agent.agent_id,
      agentName: 'Desk',
      version: 1,
      status: 'ongoing',
      type: 'web_chat',
      metadata: { order_id: 7, orderId: [1, { a: null }] },
      customAttributes: { vip: true },
      service_dynamic_variables: { name: 'Ada', count: '3', flag: 'true' },
      collectedDynamicVariables: {},
      overrideDynamicVariables: {},
      chatCost: { total: 0, currency: 'USD', items: [] },
      chatAnalysis: { summary: null, sentiment: null, successful: null, customData: {} },
      transcript: 'Agent: Hello Ada.',
    })
    expect(body.messages[0]).toMatchObject({ role: 'assistant', content: 'Hello Ada.', name: '', tool_calls: [] })
    expect(await readChat(server, body.chatId)).toEqual(body)
    expect(await expectBody(200, read(server, `/api/v1/chats/${body.chatId}`))).toEqual(body)
  })

  test('accepts alternative field names', async ({ server }) => {
    const agent = await createAgent(server, {}, LLM)
    for (const variables of [
      { dynamic_variables: { name: 'Bo' } },
      { service_dynamic_variables: { name: 'Bo' } },
      { serviceDynamicVariables: { name: 'Bo' } },
    ]) {
      const body = {
        agent_id: agent.agent_id,
        agent_version: 1,
        custom_attributes: { a: 1 },
        type: 'api_chat',
        ...variables,
      }
      const chat = await expectBody(201, send<Chat>(server, 'POST', '/api/v1/chats', body))
      expect(chat).toMatchObject({ type: 'api_chat', customAttributes: { a: 1 }, transcript: 'Agent: Hello Bo.' })
    }
  })

  test('lets the user speak first without an opening message', async ({ server }) => {
    for (const begin_message of ['', null]) {
      const chat = await createChat(server, await createAgent(server, {}, { begin_message }))
      expect(chat).toMatchObject({ messages: [], transcript: '' })
    }
  })

  test('refuses unknown agents and versions', async ({ server }) => {
    expect((await send(server, 'POST', '/api/chats', { agentId: 'agent_no' })).status).toBe(404)
    const { agent_id } = await createAgent(server)
    expect((await send(server, 'POST', '/api/chats', { agentId: agent_id, agentVersion: 2 })).status).toBe(404)
    expect((await send(server, 'POST', '/api/chats')).status).toBe(400)
  })
})

describe('changing', () => {
  test('replaces whole objects, clears null fields and keeps omitted ones', async ({ server }) => {
    const agent = await createAgent(server, {}, LLM)
    const chat = await createChat(server, agent, { metadata: { a: 1, b: 2 }, customAttributes: { c: 3 } })
    const path = `/api/chats/${chat.chatId}`
    const first = await send<Chat>(server, 'PATCH', path, {
      metadata: { z: 'ü' },
      override_dynamic_variables: { name: 'Cy', n: 1 },
    })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({ customAttributes: { c: 3 }, overrideDynamicVariables: { name: 'Cy', n: '1' } })
    expect(first.body.metadata).toEqual({ z: 'ü' })
    const second = await expectBody(200, send<Chat>(server, 'PATCH', path, { metadata: null, customAttributes: {} }))
    expect(second).toMatchObject({
      metadata: {},
      customAttributes: {},
      overrideDynamicVariables: { name: 'Cy', n: '1' },
    })
    expect(await expectBody(200, send(server, 'PATCH', path))).toEqual(second)
    expect((await send(server, 'PATCH', path, { metadata: [] })).status).toBe(400)
    expect((await send(server, 'PATCH', path, { metadata: { x: 'x'.repeat(52_000) } })).status).toBe(400)
    expect((await send(server, 'PATCH', '/api/chats/chat_no', {})).status).toBe(404)
  })
})

describe('completing', () => {
  test('returns only the new messages and stores the input too', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, {}, LLM))
    const path = `/api/chats/${chat.chatId}/completions`
    const { status, headers, body } = await send<{ messages: ChatMessage[] }>(server, 'POST', path, {
      content: 'What are your opening hours?',
    })
    expect(status).toBe(201)
    expect(headers.get('x-ignored-fields')).toBeNull()
    expect(Object.keys(body)).toEqual(['messages'])
    const [answer] = body.messages
    expect(answer).toMatchObject({ role: 'assistant', incomplete: false })
    expect(answer?.content).toContain('9 to 17')
    const stored = await readChat(server, chat.chatId)
    expect(stored.messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant'])
    expect(stored.messages[2]).toEqual(answer)
    expect(stored.messages[1]?.turn_id).toBe(answer?.turn_id)
    expect(stored.transcript).toBe(`${chat.transcript}\nUser: What are your opening hours?\nAgent: ${answer?.content}`)
    expect((await send(server, 'POST', path.replace('/api/', '/api/v1/'), { content: 'Your phone?' })).status).toBe(201)
  })

  test('refuses blank, missing and overlong content', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server))
    const path = `/api/chats/${chat.chatId}/completions`
    for (const content of [undefined, null, '', ' \n', 7, 'x'.repeat(32 * 1024 + 1), 'a\u0000b']) {
      const { status, body } = await send(server, 'POST', path, { content })
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    }
    expect((await send(server, 'POST', '/api/chats/chat_no/completions', { content: 'Hi' })).status).toBe(404)
    expect((await readChat(server, chat.chatId)).messages).toEqual([])
  })

  test('refuses an unknown model and stores nothing', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, {}, { model: 'openai/gpt-4.1' }))
    const { status, body } = await send(server, 'POST', `/api/chats/${chat.chatId}/completions`, { content: 'Hi' })
    expect([status, body.code]).toEqual([422, 'model_not_configured'])
    expect(body.error).toContain('offline')
    expect((await readChat(server, chat.chatId)).messages).toEqual([])
  })

  test('streams the turn if the header or the body requests it', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, {}, LLM))
    const events = await completeStreamed(server, chat.chatId, 'What are your opening hours?')
    expect(events.map(({ id }) => id)).toEqual(events.map((_event, index) => index + 1))
    expect(events[0]).toMatchObject({ event: 'turn.started', data: { turn_id: expect.stringMatching(/^turn_/) } })
    const deltas = events.filter(({ event }) => event === 'message.delta').map(({ data }) => data.text)
    const [completed] = events.filter(({ event }) => event === 'message.completed')
    const message = completed?.data.message as ChatMessage
    expect(deltas.join('')).toBe(message.content)
    expect(events.at(-1)).toMatchObject({ event: 'done', data: { turn_id: message.turn_id, status: 'completed' } })
    const inBody = await server.stream('POST', `/api/chats/${chat.chatId}/completions`, {
      headers: { accept: 'application/json' },
      body: { workspaceId: server.workspaceId, content: 'Your phone?', stream: true },
    })
    expect(inBody.status).toBe(200)
    expect((await Array.fromAsync(inBody.events)).at(-1)?.event).toBe('done')
    const plain = await server.call('POST', `/api/chats/${chat.chatId}/completions`, {
      headers: { accept: 'text/event-stream' },
      body: { workspaceId: server.workspaceId, content: 'Thanks', stream: false },
    })
    expect(plain.status).toBe(201)
  })

  test('returns the same turn for a repeated Idempotency-Key and refuses another message', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, {}, LLM))
    const path = `/api/chats/${chat.chatId}/completions`
    const headers = { 'idempotency-key': 'turn-1' }
    const first = await send(server, 'POST', path, { content: 'Your phone?' }, { headers })
    const second = await send(server, 'POST', path, { content: 'Your phone?' }, { headers })
    expect([first.status, second.status]).toEqual([201, 201])
    expect([first, second].map((answer) => answer.headers.get('idempotent-replayed'))).toEqual([null, 'true'])
    expect(second.body).toEqual(first.body)
    const other = await send(server, 'POST', path, { content: 'Something else' }, { headers })
    expect([other.status, other.body.code]).toEqual([422, 'idempotency_key_reused'])
    expect((await readChat(server, chat.chatId)).messages).toHaveLength(3)
  })
})

describe('ending and deleting', () => {
  test('ends permanently', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, {}, LLM))
    await complete(server, chat.chatId, 'Your phone?')
    const path = `/api/chats/${chat.chatId}`
    const first = await send<Chat>(server, 'POST', `${path}/end`)
    expect(first.status).toBe(200)
    expect(first.body.status).toBe('completed')
    const second = await send<Chat>(server, 'POST', `/api/v1/chats/${chat.chatId}/end`)
    // The analysis may have run in between.
    const { chatAnalysis: _analysis, ...same } = first.body
    expect(second).toMatchObject({ status: 200, body: same })
    const refused = await send(server, 'POST', `${path}/completions`, { content: 'Still there?' })
    expect([refused.status, refused.body.code]).toEqual([422, 'chat_ended'])
    const changed = await send<Chat>(server, 'PATCH', path, { metadata: { late: true } })
    expect([changed.status, changed.body.metadata]).toEqual([200, { late: true }])
    expect((await send(server, 'POST', '/api/chats/chat_no/end')).status).toBe(404)
  })

  test('deletes permanently', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, {}, LLM))
    await complete(server, chat.chatId, 'Your phone?')
    expect((await remove(server, `/api/chats/${chat.chatId}`)).status).toBe(204)
    expect((await read(server, `/api/chats/${chat.chatId}`)).status).toBe(404)
    expect((await remove(server, `/api/chats/${chat.chatId}`)).status).toBe(404)
    expect((await send(server, 'POST', `/api/chats/${chat.chatId}/end`)).status).toBe(404)
  })
})

describe('lists', () => {
  test('filter by agent, status, dates and text', async ({ server }) => {
    const agent = await createAgent(server, { agent_name: 'Filter desk' }, LLM)
    const other = await createAgent(server, {}, LLM)
    const chats: Chat[] = []
    for (const name of ['one', 'two', 'Ärger 100\\']) {
      waitForNextMillisecond()
      chats.unshift(await createChat(server, agent, { dynamicVariables: { name } }))
    }
    const [third, second, first] = chats
    await createChat(server, other)
    await expectBody(200, send(server, 'POST', `/api/chats/${second?.chatId}/end`))
    const ids = async (query: Record<string, string | number>) =>
      (await expectBody(200, read<ChatSummary[]>(server, '/api/chats', { agent_id: agent.agent_id, ...query }))).map(
        ({ chatId }) => chatId,
      )
    const all = [third?.chatId, second?.chatId, first?.chatId]
    expect(await ids({})).toEqual(all)
    expect(await ids({ status: 'ongoing' })).toEqual([third?.chatId, first?.chatId])
    expect(await ids({ status: 'completed' })).toEqual([second?.chatId])
    expect(await ids({ search: 'HELLO TWO' })).toEqual([second?.chatId])
    expect(await ids({ search: 'HELLO Ärger' })).toEqual([third?.chatId])
    expect(await ids({ search: '100\\' })).toEqual([third?.chatId])
    expect(await ids({ q: '100%' })).toEqual([])
    expect(await ids({ searchText: 'filter DESK' })).toEqual(all)
    const dayOf = (chat: Chat | undefined) => chat?.startedAt.slice(0, 10) ?? ''
    expect(await ids({ startDate: dayOf(first), to: dayOf(third) })).toEqual(all)
    expect(await ids({ end_date: '2020-01-01' })).toEqual([])
    expect(await ids({ from: '2999-01-01T00:00:00Z' })).toEqual([])
    expect(await ids({ startDate: second?.startedAt ?? '', endDate: second?.startedAt ?? '' })).toContain(
      second?.chatId,
    )
    for (const query of [{ status: 'over' }, { startDate: 'yesterday' }, { startDate: '2024-02-30' }, { search: '' }]) {
      expect((await read(server, '/api/chats', query)).status, JSON.stringify(query)).toBe(400)
    }
  })

  test('return 50 chats by default', async ({ server }) => {
    const agent = await createAgent(server)
    for (let batch = 0; batch < 6; batch += 1) {
      await Promise.all(Array.from({ length: 10 }, () => createChat(server, agent)))
    }
    const { agent_id: agentId } = agent
    expect((await read<ChatSummary[]>(server, '/api/chats')).body).toHaveLength(50)
    const first = await read<ChatSummary[]>(server, '/api/chats', { agentId })
    expect(first.body).toHaveLength(50)
    const paginationKey = first.headers.get('x-next-pagination-key') ?? ''
    const second = await read<ChatSummary[]>(server, '/api/chats', { agentId, paginationKey })
    expect(new Set([...first.body, ...second.body].map(({ chatId }) => chatId)).size).toBe(60)
    expect((await read<ChatSummary[]>(server, '/api/chats', { agentId, limit: 1000 })).body).toHaveLength(60)
  })
})
