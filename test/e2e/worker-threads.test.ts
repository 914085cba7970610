import { describe, expect } from 'vitest'
import {
  complete,
  createAgent,
  createChat,
  expectBody,
  readChat,
  send,
  test,
  VOICE,
} from '../../testing/server-test.ts'

/** Tests that the worker threads and processes find their programs, also in the bundle that `npm start` runs. */
describe('worker threads', () => {
  test('answer a chat with the offline model and redact its transcript', async ({ server }) => {
    const chat = await createChat(server, await createAgent(server, { data_storage_setting: 'everything_except_pii' }))
    const messages = await complete(server, chat.chatId, 'My name is Ana Petrov. What are your opening hours?')
    expect(messages.map(({ role }) => role)).toContain('assistant')
    await expectBody(200, send(server, 'POST', `/api/chats/${chat.chatId}/end`))
    const readTranscript = async () => (await readChat(server, chat.chatId)).transcript
    await expect.poll(readTranscript, { timeout: 60_000 }).toContain('[person_name]')
  })

  test('synthesize a voice preview', async ({ server }) => {
    const body = { workspaceId: server.workspaceId, text: 'Good morning.' }
    const preview = await server.call<string>('POST', `/api/voices/${VOICE}/preview`, { body })
    expect([preview.status, preview.headers.get('content-type'), preview.body.slice(0, 4)]).toEqual([
      200,
      'audio/wav',
      'RIFF',
    ])
  })
})
