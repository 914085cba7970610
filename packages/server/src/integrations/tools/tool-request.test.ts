import type { HttpToolCall } from '@parley/engine/ports'
import { describe, expect, test } from 'vitest'
import { buildToolRequest } from './tool-request.ts'

const call: HttpToolCall = {
  toolCallId: 'tool_call_1',
  name: 'book_table',
  method: 'POST',
  url: 'https://tools.test/book?fixed=a%20b',
  headers: {},
  queryParams: {},
  args: { guests: 2, name: 'Zoë & Ann', vip: false, tags: ['a', 1], place: { city: 'Ulm' }, note: null },
  argsAtRoot: false,
  conversation: { chat: { chat_id: 'chat_1' } },
  timeoutMs: 1000,
  maxRetry: 0,
  signal: new AbortController().signal,
}

const build = (change: Partial<HttpToolCall> = {}) => buildToolRequest({ ...call, ...change }, 'Parley/1.2.3')

describe('the body', () => {
  test('is the name, the conversation and the args', () => {
    const request = build()
    expect(request?.body).toBe(JSON.stringify({ name: 'book_table', chat: { chat_id: 'chat_1' }, args: call.args }))
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.url).toBe(call.url)
  })

  test('is the bare args when they are at the root', () => {
    expect(build({ argsAtRoot: true, method: 'PATCH' })?.body).toBe(JSON.stringify(call.args))
  })

  test.each(['GET', 'DELETE'] as const)('is empty for %s, whose args are query parameters', (method) => {
    const request = build({ method, queryParams: { guests: '4', key: 'k' } })
    expect(request?.body).toBe('')
    expect(request?.headers).not.toHaveProperty('content-type')
    const parameters = new URL(request?.url ?? '').searchParams
    expect(Object.fromEntries(parameters)).toEqual({
      fixed: 'a b',
      guests: '4',
      key: 'k',
      name: 'Zoë & Ann',
      vip: 'false',
      tags: '["a",1]',
      place: '{"city":"Ulm"}',
    })
  })

  test('leaves a POST its configured query parameters', () => {
    const request = build({ queryParams: { fixed: 'new' } })
    expect(request?.url).toBe('https://tools.test/book?fixed=new')
  })

  test.each(['', 'tools.test', '{{base_url}}/x', 'http://'])('has no request for the address "%s"', (url) => {
    expect(build({ url })).toBeNull()
  })
})

describe('the headers', () => {
  test('name the product and the call', () => {
    expect(build()?.headers).toMatchObject({ 'user-agent': 'Parley/1.2.3', 'idempotency-key': 'tool_call_1' })
  })

  test('can be configured, except for ours', () => {
    const headers = {
      'User-Agent': 'mine',
      'Content-Type': 'application/vnd.api+json',
      'X-Key': 'k',
      'x-webhook-SIGNATURE': 'v=1,d=0',
      'Idempotency-key': 'theirs',
      'Content-Length': '1',
      HOST: 'internal',
    }
    expect(build({ headers })?.headers).toEqual({
      'user-agent': 'mine',
      accept: expect.any(String),
      'content-type': 'application/vnd.api+json',
      'x-key': 'k',
      'idempotency-key': 'tool_call_1',
    })
  })
})
