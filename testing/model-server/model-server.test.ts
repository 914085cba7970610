import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { startModelServer } from './model-server.ts'

const HEADERS = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }

function post(url: string, path: string, fields: object = {}): Promise<Response> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const body = JSON.stringify({ model: 'm', stream: true, max_tokens: 10, messages, ...fields })
  return fetch(url + path, { method: 'POST', headers: HEADERS, body })
}

test('sends scripted replies in order and then the default reply, in the format of the request', async () => {
  await using server = await startModelServer()
  server.script({ text: 'First' }, { fault: 'status', status: 529 })
  const first = await post(server.url, '/v1/chat/completions', { stream_options: { include_usage: true } })
  const chunks = await first.text()
  expect(chunks).toContain('"content":"First"')
  expect(chunks).toMatch(/"choices":\[\],"usage":\{"prompt_tokens":10,[^\n]+\n\ndata: \[DONE\]\n\n$/)
  const second = await post(server.url, '/v1/messages')
  expect(second.status).toBe(529)
  expect(await second.json()).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } })
  const third = await (await post(server.url, '/v1/messages')).text()
  expect(third).toMatch(/^event: message_start\ndata: \{"type":"message_start"/)
  expect(third).toContain('"text":" Hello."')
  expect(third).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/)
  expect(server.unusedReplies).toBe(0)
  expect(server.requests.map((request) => request.wire)).toEqual(['openai', 'anthropic', 'anthropic'])
  expect(await server.requests[2]?.closed).toBe('complete')
})

test('rejects requests that the real vendor rejects', async () => {
  await using server = await startModelServer()
  const assistantFirst = { messages: [{ role: 'assistant', content: 'Hi' }] }
  const orphanedResult = { messages: [{ role: 'tool', tool_call_id: 'x', content: 'Hi' }] }
  expect((await post(server.url, '/v1/messages', assistantFirst)).status).toBe(400)
  expect((await post(server.url, '/v1/messages', { max_tokens: undefined })).status).toBe(400)
  expect((await post(server.url, '/v1/chat/completions', orphanedResult)).status).toBe(400)
  expect((await post(server.url, '/v1/chat/completions', { stream: false })).status).toBe(400)
  expect((await post(server.url, '/v1/other')).status).toBe(404)
})

test('runs as a process with one reply for all requests', async () => {
  const main = new URL('./main.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [main, '--words', '7', '--pace-ms', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    for (let round = 0; round < 2; round += 1) {
      expect((await (await post(url, '/v1/chat/completions')).text()).match(/"delta":\{"content"/g)).toHaveLength(7)
      expect((await (await post(url, '/v1/messages')).text()).match(/text_delta/g)).toHaveLength(7)
    }
  } finally {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
  }
})
