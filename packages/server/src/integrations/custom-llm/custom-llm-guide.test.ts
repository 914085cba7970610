import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../testing/advance-until.ts'
import { createTestClient, read, requestOf, textOf } from './custom-llm-test-kit.ts'

const root = fileURLToPath(new URL('../../../../../', import.meta.url))
const guide = readFileSync(`${root}docs/guides/custom-llm.md`, 'utf8')

let server: ChildProcess
let port: number

beforeAll(async () => {
  const [, example = ''] = /```js\n([\s\S]*?)```/.exec(guide) ?? []
  server = spawn(process.execPath, ['--input-type=module', '--eval', example], {
    cwd: root,
    env: { ...process.env, PORT: '0', LLM_KEY: 'secret' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (server.stdout === null) throw new Error('no output')
  for await (const line of createInterface(server.stdout)) {
    port = Number(/\d+$/.exec(line)?.[0])
    break
  }
})
afterAll(async () => {
  if (server.exitCode !== null) return
  const ended = once(server, 'exit')
  server.kill()
  await ended
})

/** What the example of the guide answers to one message. */
async function ask(content: string, key = 'secret') {
  const { client, time } = createTestClient(port)
  const request = requestOf(`ws://127.0.0.1:${port}?key=${key}`, {
    transcript: [{ role: 'user', content }],
    conversation: { chat_id: 'chat_1', dynamic_variables: { name: 'Ada' } },
  })
  const events = await advanceUntil(time, read(client.respond(request)).all, 0)
  await advanceUntil(time, client.close(), 100)
  return events
}

test('the server of the guide answers, knows the conversation, and calls its tool', async () => {
  expect(textOf(await ask('Hi'))).toBe('Hello Ada. Which order is it?')
  expect(await ask('Where is order 1042?')).toMatchObject([
    { type: 'text-delta', text: 'One moment. ' },
    { type: 'tool-call', call: { name: 'find_order', argumentsText: '{"number":1042}' } },
    { type: 'tool-result', toolCallId: '1042', content: 'out for delivery' },
    { type: 'text-delta', text: 'The order is out for delivery.' },
    { type: 'complete', endCall: false },
  ])
})

test('the server of the guide ends a conversation, and refuses whoever has not its key', async () => {
  expect((await ask('Bye')).at(-1)).toEqual({ type: 'complete', endCall: true })
  expect((await ask('Hi', 'guessed')).at(-1)).toMatchObject({ type: 'failed', failure: { kind: 'unavailable' } })
})
