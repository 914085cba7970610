import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startCartesiaServer } from './cartesia-server.ts'

const REQUEST = {
  context_id: 'reply-1',
  model_id: 'sonic-3',
  voice: 'a0e99841',
  output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 8_000 },
  language: 'en',
  add_timestamps: true,
}

/** Sends messages and returns the types of the answers, with the message of an error, until `count` contexts have ended. */
async function exchange(messages: readonly object[], count: number): Promise<string[]> {
  await using server = await startCartesiaServer()
  const socket = new WebSocket(`${server.baseUrl.replace('http', 'ws')}/tts/websocket?cartesia_version=2026-08-14`, {
    headers: { authorization: 'Bearer key' },
  })
  const answers: string[] = []
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => {
      for (const message of messages) socket.send(JSON.stringify(message))
    })
    socket.on('message', (data) => {
      const { type, message = '' } = JSON.parse(String(data)) as { readonly type: string; readonly message?: string }
      if (answers.at(-1) !== type) answers.push(`${type}${message === '' ? '' : `: ${message}`}`)
      if (answers.filter((answer) => /^(?:done|error)/.test(answer)).length === count) resolve()
    })
  })
  socket.terminate()
  return answers
}

test('continues a context until its last message', async () => {
  const messages = [
    { ...REQUEST, transcript: 'Hello, ', continue: true },
    { ...REQUEST, transcript: 'world.', continue: true },
    { ...REQUEST, transcript: '', continue: false },
  ]
  expect(await exchange(messages, 1)).toEqual(['timestamps', 'chunk', 'done'])
})

test('sends word times only on request', async () => {
  const message = { ...REQUEST, add_timestamps: false, transcript: 'Hello.', continue: false }
  expect(await exchange([message], 1)).toEqual(['chunk', 'done'])
})

test('rejects a message for a finished context', async () => {
  const messages = [
    { ...REQUEST, transcript: 'Hello.', continue: false },
    { ...REQUEST, transcript: ' Again.', continue: false },
  ]
  expect(await exchange(messages, 2)).toEqual(['timestamps', 'chunk', 'done', 'error: the context is finished'])
})

test.each([
  [{ language: 'en', locale: 'en-US' }, 'language and locale exclude each other'],
  [{ max_buffer_delay_ms: 6_000 }, 'max_buffer_delay_ms is out of range'],
  [{ voice: { mode: 'embedding' } }, 'voice is missing'],
  [{ generation_config: { speed: 2 } }, 'speed is out of range'],
  [{ output_format: { container: 'raw', encoding: 'pcm_s16le', sample_rate: 12_000 } }, 'sample_rate is unsupported'],
])('rejects %j', async (fields, problem) => {
  expect(await exchange([{ ...REQUEST, transcript: 'Hi', ...fields }], 1)).toEqual([`error: ${problem}`])
})

test('rejects a continuation with other fields', async () => {
  const messages = [
    { ...REQUEST, transcript: 'Hello, ', continue: true },
    { ...REQUEST, voice: 'other', transcript: 'world.', continue: false },
  ]
  expect(await exchange(messages, 1)).toEqual(['error: the context has other fields'])
})
