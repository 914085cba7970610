import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { complete, createAgent, createChat, expectBody, readChat, send, VOICE } from '../../testing/server-test.ts'
import { makeDocuments, searchAllQuestions, uploadDocuments, waitUntilRead } from './knowledge-scene.ts'

/** Tests the bundle that `npm start` runs, including its threads, processes and lazily loaded modules. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const START_TIMEOUT_MS = 60_000
let server: RunningServer

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build.cjs'], { cwd: root, stdio: 'pipe' })
  server = await runServer({ program: `${root}packages/server/dist/main.js` })
})

afterAll(() => server[Symbol.asyncDispose]())

test('answers a chat in the offline model thread and redacts it in another thread', async () => {
  const chat = await createChat(server, await createAgent(server, { data_storage_setting: 'everything_except_pii' }))
  const said = await complete(server, chat.chatId, 'My name is Ana Petrov. What are your opening hours?')
  expect(said.map(({ role }) => role)).toContain('assistant')
  await expectBody(200, send(server, 'POST', `/api/chats/${chat.chatId}/end`))
  const transcript = async () => (await readChat(server, chat.chatId)).transcript
  await expect.poll(transcript, { timeout: START_TIMEOUT_MS }).toContain('[person_name]')
})

test('runs customer code in the sandbox', async () => {
  const tool = { type: 'code', name: 'add', description: 'Adds.', code: 'return 2 + 3' }
  const tried = await expectBody(200, send(server, 'POST', '/api/tools/test', { tool }))
  expect(tried).toMatchObject({ status: 'success', body: '5' })
})

test('ingests documents of every kind and finds their content', async () => {
  const base = await waitUntilRead(server, await uploadDocuments(server, await makeDocuments()), START_TIMEOUT_MS)
  expect(base.sources.filter(({ status }) => status !== 'ready')).toEqual([])
  const answers = await searchAllQuestions(server, base)
  expect(answers.filter((passages) => passages.length === 0)).toEqual([])
})

test('synthesizes speech with a built-in voice', async () => {
  const body = { workspaceId: server.workspaceId, text: 'Good morning.' }
  const heard = await server.call<string>('POST', `/api/voices/${VOICE}/preview`, { body })
  expect([heard.status, heard.headers.get('content-type'), heard.body.slice(0, 4)]).toEqual([200, 'audio/wav', 'RIFF'])
})

test('serves the pages, the browser client and the OpenAPI document', async () => {
  for (const path of ['/', '/call/call_x', '/sdk/index.js', '/openapi.json']) {
    const answer = await fetch(server.url + path)
    expect([path, answer.status]).toEqual([path, 200])
  }
})
