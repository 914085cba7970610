import { fileURLToPath } from 'node:url'
import type { AgentWritten } from '@parley/contract/agent'
import type { ToolTestResult } from '@parley/contract/tool-test'
import type { WebhookDeliveryDetail, WebhookWritten } from '@parley/contract/webhook'
import { describe, expect, test as plainTest } from 'vitest'
import { type RunningServer, runServer } from '../../../testing/running-server.ts'
import { createAgent, createChat, expectBody, read, readChat, send } from '../../../testing/server-test.ts'
import { startToolServer } from '../../../testing/tool-server/tool-server.ts'
import { runTurn } from '../scripted-model.ts'
import { flowAgent, says, to } from './dialogue-test-kit.ts'

/** Blocks connections to other machines, so that a broken guard fails its test without reaching them. */
const LOOPBACK_ONLY = fileURLToPath(new URL('../../../testing/loopback-only/main.ts', import.meta.url))

/** Blocked addresses in all spellings. */
const PRIVATE_HOSTS = [
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '100.64.0.1',
  '169.254.169.254',
  '0.0.0.0',
  '127.0.0.2',
  '0x0a000001',
  '167772161',
  '012.0.0.1',
  '[::1]',
  '[::]',
  '[fd00::1]',
  '[fe80::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:127.0.0.2]',
  '[64:ff9b::a00:1]',
  '[2002:a00:1::]',
]
const REDIRECTS = [
  'http://10.0.0.1/',
  'http://[::ffff:a00:1]/',
  'http://169.254.169.254/latest/meta-data',
  'file:///etc/passwd',
]
const REFUSED = 'Only public addresses can be called.'
/** Addresses that responses must not reveal. */
const ADDRESS = /\b(10\.0\.0\.1|169\.254|127\.0\.0|::)/

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('server', { scope: 'file' }, async ({}, { onCleanup }) => {
    const env = { ALLOW_PRIVATE_TARGETS: '127.0.0.1', NODE_OPTIONS: `--import=${LOOPBACK_ONLY}` }
    const server = await runServer({ env })
    onCleanup(() => server[Symbol.asyncDispose]())
    return server
  })
  // biome-ignore lint/correctness/noEmptyPattern: see above
  .extend('tools', { scope: 'test' }, async ({}, { onCleanup }) => {
    const tools = await startToolServer()
    onCleanup(() => tools.close())
    return tools
  })

describe('a tool', () => {
  const tryUrl = (server: RunningServer, url: string, fields: object = {}) => {
    const tool = { type: 'custom', name: 'look_up', url, ...fields }
    return expectBody(200, send<ToolTestResult>(server, 'POST', '/api/tools/test', { tool }))
  }

  test.for(PRIVATE_HOSTS)('cannot reach %s', async (host, { server }) => {
    for (const method of ['GET', 'POST']) {
      const { status, error } = await tryUrl(server, `http://${host}:8/`, { method })
      expect([status, error]).toEqual(['error', `The tool failed (blocked-target): ${REFUSED}`])
    }
  })

  test.for(REDIRECTS)('does not follow a redirect to %s', async (target, { server, tools }) => {
    tools.script(...[302, 307, 308].map((status) => ({ kind: 'redirect', to: target, status }) as const))
    for (const method of ['GET', 'POST', 'PUT']) {
      const { error } = await tryUrl(server, tools.url, { method })
      expect(error, method).toContain(target.startsWith('file') ? 'Only http and https addresses' : REFUSED)
      expect(error).not.toMatch(ADDRESS)
    }
    expect(tools.requests).toHaveLength(3)
  })

  test('of a flow takes the else edge when its target is refused, and records the reason', async ({ server }) => {
    const { agent } = await flowAgent(server, {
      start_speaker: 'user',
      tools: [{ type: 'custom', name: 'look_up', url: 'http://{{host}}/' }],
      nodes: [
        { id: 'look', type: 'function', tool_id: 'look_up', tool_type: 'local', else_edge: to('sorry') },
        says('sorry', 'Not now.'),
      ],
    })
    const { chatId } = await createChat(server, agent, { dynamicVariables: { host: '10.0.0.1' } })
    const turn = await runTurn(server, chatId, { mode: 'plain' })
    expect(turn.messages.at(-1)?.content).toBe('Not now.')
    const toolResult = (await readChat(server, chatId)).messages.find(({ role }) => role === 'tool')?.content
    expect(toolResult).toBe(`The tool failed (blocked-target): ${REFUSED}`)
  })
})

describe('an MCP server', () => {
  const toolsOf = async (server: RunningServer, url: string) => {
    const agent = await createAgent(server, {}, { mcps: [{ mcp_id: 'm', name: 'Menu', url }] })
    return await read(server, `/api/agents/${agent.agent_id}/mcp-tools`, { mcpId: 'm' })
  }

  test.for(PRIVATE_HOSTS)('cannot be located at %s', async (host, { server }) => {
    const { status, body } = await toolsOf(server, `http://${host}:8/mcp`)
    expect([status, body.code]).toEqual([502, 'provider_error'])
    expect(body.error).toBe(`The MCP server "Menu" did not list its tools. ${REFUSED}`)
  })

  test.for(REDIRECTS)('cannot redirect to %s', async (target, { server, tools }) => {
    tools.script({ kind: 'redirect', to: target, status: 307 }, { kind: 'redirect', to: target })
    for (let time = 0; time < 2; time += 1) {
      const { status, body } = await toolsOf(server, `${tools.url}/mcp`)
      expect([status, body.code]).toEqual([502, 'provider_error'])
      expect(String(body.error)).toMatch('responded with a redirect, which is not allowed')
      expect(String(body.error)).not.toMatch(ADDRESS)
    }
  })
})

describe('a custom language model', () => {
  const chatWithSocket = async (server: RunningServer, url: string) => {
    const agent = await createAgent(server, { response_engine: { type: 'custom-llm', llm_websocket_url: url } })
    const { chatId } = await createChat(server, agent)
    return await send(server, 'POST', `/api/chats/${chatId}/completions`, { content: 'Hello' })
  }

  test.for(PRIVATE_HOSTS)('cannot be located at %s', async (host, { server }) => {
    const { status, body } = await chatWithSocket(server, `ws://${host}:8/llm`)
    expect([status, body.code]).toEqual([502, 'provider_error'])
    expect(body.error).toContain(REFUSED)
  })

  test.for(REDIRECTS)('cannot redirect to %s', async (target, { server, tools }) => {
    tools.script(...Array.from({ length: 4 }, () => ({ kind: 'redirect', to: target.replace('http', 'ws') }) as const))
    const { status, body } = await chatWithSocket(server, tools.url.replace('http', 'ws'))
    expect([status, body.code]).toEqual([502, 'provider_error'])
    expect(String(body.error)).toContain('responded with a redirect, which is not allowed')
    expect(String(body.error)).not.toMatch(ADDRESS)
  })
})

describe('a webhook', () => {
  /** Outcome of the chat-ended webhook once it is decided. */
  async function sendDelivery(server: RunningServer, url: string, agent: AgentWritten): Promise<WebhookDeliveryDetail> {
    const made = await expectBody(
      201,
      send<WebhookWritten>(server, 'POST', '/api/webhooks', { url, events: ['chat_started'] }),
    )
    const { chatId } = await createChat(server, agent)
    const query = { webhookId: made.webhookId, chatId }
    for (let look = 0; look < 200; look += 1) {
      const [found] = (
        await read<{ deliveryId: string; attemptCount: number }[]>(server, '/api/webhook-deliveries', query)
      ).body
      if (found !== undefined && found.attemptCount > 0) {
        await server.call('DELETE', `/api/webhooks/${made.webhookId}`, { query: { workspaceId: server.workspaceId } })
        return await expectBody(200, read<WebhookDeliveryDetail>(server, `/api/webhook-deliveries/${found.deliveryId}`))
      }
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error(`Nothing was sent to ${url}.`)
  }

  test('is not delivered to private addresses, and not retried', async ({ server }) => {
    const agent = await createAgent(server)
    for (const host of ['10.0.0.1', '169.254.169.254', '[::ffff:10.0.0.1]', '167772161', '[fd00::1]']) {
      const { status, attempts, nextAttemptAt } = await sendDelivery(server, `http://${host}:8/hooks`, agent)
      expect([host, status, nextAttemptAt]).toEqual([host, 'failed', null])
      expect(attempts).toMatchObject([{ status: null, error: REFUSED, responseBody: '' }])
    }
    const warned = await send<WebhookWritten>(server, 'POST', '/api/webhooks', {
      url: 'http://10.0.0.1/',
      enabled: false,
    })
    expect(warned.body.warnings.join()).toContain('not public')
  })

  test('does not follow redirects', async ({ server, tools }) => {
    const agent = await createAgent(server)
    tools.script({ kind: 'redirect', to: 'http://10.0.0.1/', status: 307 })
    const delivery = await sendDelivery(server, `${tools.url}/hooks`, agent)
    expect(delivery.attempts).toMatchObject([{ status: 307, error: expect.stringContaining('not followed') }])
    expect(tools.requests).toHaveLength(1)
  })

  test('of an agent is guarded as well', async ({ server }) => {
    const agent = await createAgent(server, {
      webhook_url: 'http://10.0.0.1:8/agent',
      webhook_events: ['chat_started'],
    })
    const { chatId } = await createChat(server, agent)
    for (let look = 0; look < 200; look += 1) {
      const { body } = await read<{ status: string; lastError: string }[]>(server, '/api/webhook-deliveries', {
        chatId,
      })
      if (body[0]?.status === 'failed') return expect(body).toMatchObject([{ lastError: REFUSED, webhookId: null }])
      await new Promise((resolve) => setTimeout(resolve, 25))
    }
    throw new Error('Nothing was sent.')
  })
})
