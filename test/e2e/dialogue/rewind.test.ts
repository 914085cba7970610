import type { Chat } from '@parley/contract/chat'
import { describe, expect } from 'vitest'
import type { RunningServer } from '../../../testing/running-server.ts'
import { createAgent, expectBody, read, readChat, send } from '../../../testing/server-test.ts'
import { chatOn, runTurn } from '../scripted-model.ts'
import { flowChat, readTrail, readTurns, routingTiersOf, says, systemPromptOf, test, to } from './dialogue-test-kit.ts'

function rewind(server: RunningServer, chatId: string, turnId: string) {
  return send<Chat>(server, 'POST', `/api/chats/${chatId}/rewind`, { turnId })
}

/** A flow that counts turns in a variable and cycles through two nodes, then hands off to another agent. */
function counting(agentId: string): object {
  const count = (id: string, next: string) => ({
    id,
    type: 'code',
    name: 'count',
    code: 'return { n: Number(dv.n ?? 0) + 1 }',
    response_variables: { n: '$.n' },
    else_edge: to(next),
  })
  return {
    nodes: [
      says('a', 'At a, {{n}}.', { always_edge: to('count') }),
      count('count', 'b'),
      says('b', 'At b, {{n}}.', { always_edge: to('count2') }),
      count('count2', 'c'),
      says('c', 'At c, {{n}}.', { always_edge: to('over') }),
      { id: 'over', type: 'agent_swap', agent_id: agentId, edge: to('a') },
    ],
  }
}

describe('rewinding', () => {
  test('restores position, variables, handovers and messages, and continues from there', async ({ server, stage }) => {
    const model = stage.model('openai')
    const other = await createAgent(
      server,
      { agent_name: 'Other' },
      { model: model.name, general_prompt: 'n is {{n}}' },
    )
    const { chatId } = await flowChat(server, model, {
      flow: counting(other.agent_id),
      chat: { metadata: { kept: 1 } },
    })
    const say = (content: string) => runTurn(server, chatId, { mode: 'plain', content })
    const chatByTurn: Chat[] = [await readChat(server, chatId)]
    for (const content of ['One', 'Two', 'Three', 'Four']) {
      // Only the other agent uses a model.
      if (content === 'Three' || content === 'Four') model.script({ text: `Other, ${content}.` })
      await say(content)
      chatByTurn.push(await readChat(server, chatId))
    }
    const receivedMessages = chatByTurn.at(-1)?.messages.map(({ content }) => content)
    expect(receivedMessages).toContain('At b, 1.')
    expect(receivedMessages).toContain('Other, Three.')
    expect(chatByTurn.at(-1)?.agentPath).toHaveLength(2)
    const turns = await readTurns(server, chatId)
    expect(turns.map(routingTiersOf)).toEqual([['always', 'else'], ['always', 'else'], ['always'], []])

    const back = await expectBody(200, rewind(server, chatId, turns[0]?.turnId ?? ''))
    const comparable = ({ messages, transcript, collectedDynamicVariables, agentPath, status, metadata }: Chat) => {
      return { messages, transcript, collectedDynamicVariables, agentPath, status, metadata }
    }
    expect(comparable(back)).toEqual(comparable(chatByTurn[1] ?? back))
    expect(await readChat(server, chatId)).toEqual(back)
    expect((await readTurns(server, chatId)).map(({ turnId }) => turnId)).toEqual([turns[0]?.turnId])

    // Repeating the same text starts a new turn.
    await say('Two')
    expect(comparable(await readChat(server, chatId))).toMatchObject({
      collectedDynamicVariables: { n: '2' },
      transcript: chatByTurn[2]?.transcript,
      agentPath: [{ agentId: back.agentId }],
    })
    const requests = model.requests.length
    model.script({ text: 'Other again.' })
    await say('Three')
    expect(systemPromptOf(model, requests)).toBe('n is 2')
    expect((await readChat(server, chatId)).agentPath).toHaveLength(2)
    expect((await readTrail(server, chatId)).filter((line) => line.startsWith('swap'))).toEqual(['swap to Other'])
  })

  test('to the newest turn changes nothing', async ({ server, stage }) => {
    const model = stage.model('openai')
    const chatId = await chatOn(server, model)
    model.script({ text: 'One.' }, { text: 'Two.' })
    for (const content of ['A', 'B']) await runTurn(server, chatId, { mode: 'plain', content })
    const before = await readChat(server, chatId)
    const [, newest] = await readTurns(server, chatId)
    const { messages, transcript } = await expectBody(200, rewind(server, chatId, newest?.turnId ?? ''))
    expect({ messages, transcript }).toEqual({ messages: before.messages, transcript: before.transcript })
  })

  test('cancels the running turn and the queued ones', async ({ server, stage }) => {
    const model = stage.model('openai')
    const chatId = await chatOn(server, model)
    model.script({ text: 'One.' })
    await runTurn(server, chatId, { mode: 'plain', content: 'A' })
    const [first] = await readTurns(server, chatId)
    const requestCount = model.requests.length
    model.script({ fault: 'hang', after: 'words', words: 3 }, { text: 'Again.' })
    const running = runTurn(server, chatId, { mode: 'streamed', content: 'B' })
    const request = await model.request(requestCount)
    const waiting = runTurn(server, chatId, { mode: 'plain', content: 'C' })
    const back = await expectBody(200, rewind(server, chatId, first?.turnId ?? ''))
    expect(await request.closed).toBe('early')
    expect((await running).turnStatus).toBe('cancelled')
    const left = await waiting
    // The queued message was canceled or came later; either way the chat has no partial turn.
    expect([201, 422, 409, 503]).toContain(left.status)
    const after = new Set(left.messages.map(({ turn_id }) => turn_id))
    const before = back.messages.filter(({ turn_id }) => !after.has(turn_id))
    expect(before.map(({ content }) => content)).toEqual(['A', 'One.'])
    await runTurn(server, chatId, { mode: 'plain', content: 'D' })
    const lines = await readTrail(server, chatId)
    expect(lines.slice(0, 2)).toEqual(['user: A', 'agent: One.'])
    expect(lines).not.toContain('user: B')
    expect(lines.filter((line) => line === 'user: D')).toHaveLength(1)
  })

  test('refuses unknown and running turns', async ({ server, stage }) => {
    const model = stage.model('openai')
    const chatId = await chatOn(server, model)
    const other = await chatOn(server, model)
    await runTurn(server, chatId, { mode: 'plain' })
    const [turn] = await readTurns(server, chatId)
    const turnId = turn?.turnId ?? ''
    const codeOf = async (answer: ReturnType<typeof rewind>) => {
      const { status, body } = await answer
      return [status, (body as unknown as { code: string }).code]
    }
    expect(await codeOf(rewind(server, chatId, 'turn_0000'))).toEqual([404, 'not_found'])
    expect(await codeOf(rewind(server, other, turnId))).toEqual([404, 'not_found'])
    expect(await codeOf(rewind(server, 'chat_0000', turnId))).toEqual([404, 'not_found'])
    await expectBody(200, send(server, 'POST', `/api/chats/${chatId}/end`))
    expect(await codeOf(rewind(server, chatId, turnId))).toEqual([422, 'chat_ended'])
    const missing = await read(server, '/api/chats/chat_0000/turns')
    expect([missing.status, missing.body.code]).toEqual([404, 'not_found'])
    const bad = await send(server, 'POST', `/api/chats/${other}/rewind`, {})
    expect([bad.status, bad.body.code]).toEqual([400, 'invalid_request'])
  })
})

test('turns are listed in pages, newest first, with their usage', async ({ server, stage }) => {
  const model = stage.model('openai')
  const chatId = await chatOn(server, model)
  model.script(
    { text: 'One.', usage: { inputTokens: 7, outputTokens: 2 } },
    { fault: 'status', status: 500 },
    { text: 'Two.' },
    { fault: 'status', status: 401 },
  )
  await runTurn(server, chatId, { mode: 'plain', content: 'A' })
  await runTurn(server, chatId, { mode: 'plain', content: 'B' })
  await runTurn(server, chatId, { mode: 'plain', content: 'C' })
  const turns = await readTurns(server, chatId)
  expect(turns.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed'])
  expect(turns[0]).toMatchObject({ usage: [{ model: model.name, inputTokens: 7, outputTokens: 2 }], error: null })
  expect(turns[0]?.firstTextMs).toBeGreaterThanOrEqual(0)
  expect(turns[1]?.decisions).toMatchObject([{ type: 'model-retry', model: model.name }])
  expect(turns[2]).toMatchObject({ firstTextMs: null, error: { code: 'provider_error' } })
  const page = await read<{ turnId: string }[]>(server, `/api/chats/${chatId}/turns`, { limit: 2 })
  expect(page.body.map(({ turnId }) => turnId)).toEqual([turns[2]?.turnId, turns[1]?.turnId])
  const paginationKey = page.headers.get('x-next-pagination-key') ?? ''
  const rest = await read<{ turnId: string }[]>(server, `/api/chats/${chatId}/turns`, { limit: 2, paginationKey })
  expect(rest.body.map(({ turnId }) => turnId)).toEqual([turns[0]?.turnId])
})
