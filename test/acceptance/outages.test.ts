import type { Llm } from '@parley/contract/llm'
import { describe, expect, test } from 'vitest'
import type { RunningServer } from '../../testing/running-server.ts'
import {
  complete,
  createAgent,
  createChat,
  createLlm,
  expectBody,
  read,
  readChat,
  send,
} from '../../testing/server-test.ts'
import { eventually, hasPostgres, hasRedis, startCluster } from '../full/cluster.ts'

const OUTAGE_MS = 30_000
/** Maximum response time during an outage. */
const MAX_RESPONSE_MS = 12_000

const ready = async (server: RunningServer) => await server.call('GET', '/readyz')

/** Timeout until all nodes are ready again. */
const areReady = async (nodes: readonly RunningServer[]): Promise<true | null> => {
  const answers = await Promise.all(nodes.map(ready))
  return answers.every(({ status, body }) => status === 200 && body.status === 'ready') ? true : null
}

describe.skipIf(!hasPostgres)('the database', () => {
  test('down for 30 s: 503 with Retry-After, then full recovery without data loss', async () => {
    await using cluster = await startCluster()
    const { nodes, postgres } = cluster
    const [first, second] = nodes
    const agent = await createAgent(first)
    const chat = await createChat(first, agent)
    const prompts = new Map<string, string>()
    let isDone = false

    /** Edits one configuration repeatedly and records the acknowledged edits. */
    const edit = async (server: RunningServer, index: number): Promise<number> => {
      const { llm_id } = await createLlm(server)
      let refused = 0
      for (let round = 0; !isDone; round += 1) {
        const general_prompt = `Prompt ${index}.${round}`
        const startedAt = Date.now()
        const answer = await send(server, 'PATCH', `/api/v1/llms/${llm_id}`, { general_prompt })
        expect(Date.now() - startedAt).toBeLessThan(MAX_RESPONSE_MS)
        if (answer.status === 200) prompts.set(llm_id, general_prompt)
        else {
          refused += 1
          expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 503, code: 'unavailable' })
          expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }
      return refused
    }
    const editing = [first, second, first, second].map((server, index) => edit(server, index))
    await eventually('first edits', 10_000, async () => (prompts.size === 4 ? true : null))

    await postgres.kill('SIGKILL')
    const downAt = Date.now()
    for (const server of nodes) {
      const { status, headers } = await eventually('not ready', 10_000, async () => {
        const answer = await ready(server)
        return answer.status === 503 ? answer : null
      })
      expect([status, headers.get('retry-after')]).toEqual([503, '1'])
      expect((await server.call('GET', '/healthz')).status).toBe(200)
    }
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS - (Date.now() - downAt)))
    await postgres.start()
    await eventually('well again', 15_000, () => areReady(nodes))
    const counts = new Map(prompts)
    await eventually('edits again', 10_000, async () =>
      [...prompts].every(([id, prompt]) => counts.get(id) !== prompt) ? true : null,
    )
    isDone = true
    for (const refused of await Promise.all(editing)) expect(refused).toBeGreaterThan(10)
    for (const [llmId, prompt] of prompts) {
      expect(await expectBody(200, read<Llm>(second, `/api/v1/llms/${llmId}`))).toMatchObject({
        general_prompt: prompt,
      })
    }
    expect((await complete(second, chat.chatId, 'Hello')).at(-1)?.role).toBe('assistant')
    expect((await complete(first, chat.chatId, 'Once more')).at(-1)?.role).toBe('assistant')
  })
})

describe.skipIf(!hasPostgres || !hasRedis)('Redis', () => {
  test('down: reported as degraded while everything works; back: ready again', async () => {
    await using cluster = await startCluster({ redis: true })
    const { nodes, redis } = cluster
    const [first, second] = nodes
    const agent = await createAgent(first)
    const chat = await createChat(first, agent)
    await eventually('well', 10_000, () => areReady(nodes))

    await redis?.kill('SIGKILL')
    for (const server of nodes) {
      const { body } = await eventually('degraded', 15_000, async () => {
        const answer = await ready(server)
        return answer.body.status === 'degraded' ? answer : null
      })
      expect(JSON.stringify(body.faults)).toContain('Redis')
      expect(JSON.stringify(body.faults)).not.toContain('127.0.0.1')
    }
    for (const [index, server] of [first, second, first, second].entries()) {
      expect((await complete(server, chat.chatId, `Hello ${index}`)).at(-1)?.role).toBe('assistant')
    }
    const token = await expectBody(
      201,
      first.call<{ token: string; tokenId: string }>('POST', '/api/tokens', { body: { name: 'short' } }),
    )
    const authorization = { headers: { authorization: `Bearer ${token.token}` } }
    expect((await second.call('GET', '/api/workspaces', authorization)).status).toBe(200)
    await first.call('DELETE', `/api/tokens/${token.tokenId}`)
    // Without the bus, nodes trust a credential for five seconds.
    await eventually('revoked everywhere', 7_000, async () =>
      (await second.call('GET', '/api/workspaces', authorization)).status === 401 ? true : null,
    )

    await redis?.start()
    await eventually('well again', 30_000, () => areReady(nodes))
    const messages = (await readChat(second, chat.chatId)).messages.filter(({ role }) => role === 'user')
    expect(messages.map(({ content }) => content)).toEqual(['Hello 0', 'Hello 1', 'Hello 2', 'Hello 3'])
  })
})
