import { describe, expect } from 'vitest'
import { startCustomLlmServer } from '../../../testing/custom-llm-server/custom-llm-server.ts'
import {
  createCompleteResponse,
  createConfigFrame,
  createPartialResponse,
  type LlmAction,
} from '../../../testing/custom-llm-server/llm-action.ts'
import type { RunningServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, expectBody, readChat, send } from '../../../testing/server-test.ts'
import { readMessageLines, runTurn } from '../scripted-model.ts'
import { callsTool, formatTrail, readTurns, test } from './dialogue-test-kit.ts'

async function chatWith(server: RunningServer, url: string, fields: object = {}, chat: object = {}): Promise<string> {
  const agent = await createAgent(server, {
    response_engine: { type: 'custom-llm', llm_websocket_url: url },
    ...fields,
  })
  return (await createChat(server, agent, chat)).chatId
}

describe.concurrent('an agent on a language model of the customer', () => {
  test.for(['plain', 'streamed'] as const)('answers over one socket, %s', async (mode, { server }) => {
    await using llm = await startCustomLlmServer()
    llm.greeting = [createConfigFrame({ auto_reconnect: true, call_details: true })]
    llm.script(createCompleteResponse('Hello ', 'Ada.'), createCompleteResponse('Goodbye.'))
    const chat = { dynamicVariables: { name: 'Ada' }, metadata: { order: 7 } }
    const chatId = await chatWith(server, `${llm.url}/llm`, {}, chat)
    const first = await runTurn(server, chatId, { mode, content: 'I am Ada' })
    expect(first).toMatchObject({ turnStatus: 'completed', messages: [{ role: 'assistant', content: 'Hello Ada.' }] })
    if (mode === 'streamed') expect(first.streamedText).toBe('Hello Ada.')
    await runTurn(server, chatId, { mode, content: 'Bye' })
    expect(await readMessageLines(server, chatId)).toEqual([
      'user: I am Ada',
      'assistant: Hello Ada.',
      'user: Bye',
      'assistant: Goodbye.',
    ])
    expect(llm.connections.map(({ path }) => path)).toEqual([`/llm/${chatId}`])
    expect(llm.getFrames('response_required').at(-1)?.transcript).toEqual([
      { role: 'user', content: 'I am Ada' },
      { role: 'agent', content: 'Hello Ada.' },
      { role: 'user', content: 'Bye' },
    ])
    expect(JSON.stringify(llm.getFrames('call_details'))).toContain('"order":7')
    expect(await readChat(server, chatId)).toMatchObject({
      responseEngine: { type: 'custom-llm', id: null, version: null },
      status: 'ongoing',
    })
  })

  test('ends the chat when it says so', async ({ server }) => {
    await using llm = await startCustomLlmServer()
    llm.script([{ kind: 'response', content: 'Bye now.', complete: true, endCall: true }])
    const chatId = await chatWith(server, llm.url)
    await runTurn(server, chatId, { mode: 'plain' })
    expect((await readChat(server, chatId)).status).toBe('completed')
    const late = await runTurn(server, chatId, { mode: 'plain', content: 'Wait' })
    expect([late.status, late.errorCode]).toEqual([422, 'chat_ended'])
    expect(llm.getFrames('response_required')).toHaveLength(1)
  })

  test('that is down is answered by the fallback message, and works again in the next turn', async ({ server }) => {
    const llm = await startCustomLlmServer()
    const { url } = llm
    await llm.close()
    const bare = await chatWith(server, url)
    const failed = await runTurn(server, bare, { mode: 'plain' })
    expect([failed.status, failed.errorCode]).toEqual([502, 'provider_error'])
    expect(await readMessageLines(server, bare)).toEqual(['user: Hello'])
    const chatId = await chatWith(
      server,
      url,
      { fallback_message: 'Please call {{number}}.' },
      { dynamicVariables: { number: '117' } },
    )
    const turn = await runTurn(server, chatId, { mode: 'streamed' })
    expect(turn).toMatchObject({ streamedText: 'Please call 117.', turnStatus: 'completed' })
    const [turnRecord] = await readTurns(server, chatId)
    expect(turnRecord?.decisions.map(({ type }) => type)).toEqual(['model-retry', 'fallback-message'])
  })

  const faults: Readonly<Record<string, { move: readonly LlmAction[]; status: number; lines: readonly string[] }>> = {
    'loses its connection in the middle': {
      move: [...createPartialResponse('One two'), { kind: 'drop' }],
      status: 502,
      lines: ['user: Hello', 'assistant: One two*'],
    },
    'sends what is no JSON': { move: [{ kind: 'raw', data: '{"response_' }], status: 502, lines: ['user: Hello'] },
    'falls silent': { move: createPartialResponse('One'), status: 504, lines: ['user: Hello', 'assistant: One*'] },
  }
  test.for(Object.entries(faults))(
    'that %s fails the turn, and a retry goes on',
    async ([, fault], { server: defaultServer, shortTimeoutServer }) => {
      const server = fault.status === 504 ? shortTimeoutServer : defaultServer
      await using llm = await startCustomLlmServer()
      llm.script(fault.move, ...(fault.lines.length === 1 ? [fault.move] : []))
      const chatId = await chatWith(server, llm.url)
      const turn = await runTurn(server, chatId, { mode: 'plain' })
      expect(turn.status).toBe(fault.status)
      expect(await readMessageLines(server, chatId)).toEqual(fault.lines)
      llm.script(createCompleteResponse('Here I am.'))
      const retried = await runTurn(server, chatId, { mode: 'plain' })
      expect(retried.messages.at(-1)?.content).toBe('Here I am.')
      expect(await readMessageLines(server, chatId)).toEqual([...fault.lines, 'assistant: Here I am.'])
    },
  )

  test('is asked again after an empty answer', async ({ server }) => {
    await using llm = await startCustomLlmServer()
    llm.script(
      createCompleteResponse(' \n'),
      createCompleteResponse('Yes?'),
      createCompleteResponse(''),
      createCompleteResponse(''),
    )
    const chatId = await chatWith(server, llm.url)
    expect((await runTurn(server, chatId, { mode: 'plain' })).messages.at(-1)?.content).toBe('Yes?')
    const blank = await runTurn(server, chatId, { mode: 'plain', content: 'Again' })
    expect(blank.messages.at(-1)?.content).toBe('Sorry, I did not catch that. Could you say it again?')
  })

  test('is canceled immediately', async ({ server }) => {
    await using llm = await startCustomLlmServer()
    llm.script(createPartialResponse('One '))
    const chatId = await chatWith(server, llm.url)
    const running = runTurn(server, chatId, { mode: 'streamed' })
    await llm.received(1)
    const [turn] = await readTurns(server, chatId)
    await expectBody(200, send(server, 'POST', `/api/chats/${chatId}/turns/${turn?.turnId}/cancel`))
    expect((await running).turnStatus).toBe('cancelled')
    llm.script(createCompleteResponse('Two.'))
    const next = await runTurn(server, chatId, { mode: 'plain', content: 'Go on' })
    expect(next.messages.at(-1)?.content).toBe('Two.')
  })

  test('takes over from another engine with the history', async ({ server, stage }) => {
    await using llm = await startCustomLlmServer()
    llm.script(createCompleteResponse('Mine now.'))
    const engine = { type: 'custom-llm', llm_websocket_url: llm.url }
    const target = await createAgent(server, { response_engine: engine, agent_name: 'Own' })
    const model = stage.model('openai')
    model.script(callsTool('over'))
    const general_tools = [{ type: 'agent_swap', name: 'over', agent_id: target.agent_id }]
    const { chatId } = await createChat(server, await createAgent(server, {}, { model: model.name, general_tools }))
    const turn = await runTurn(server, chatId, { mode: 'plain', content: 'Hello' })
    expect(formatTrail(turn.messages).slice(-2)).toEqual(['swap to Own', 'agent: Mine now.'])
    expect(llm.getFrames('response_required')[0]?.transcript).toEqual([{ role: 'user', content: 'Hello' }])
  })
})
