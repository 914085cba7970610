import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import type { StreamedEvent } from '../../testing/api-client.ts'
import { type CallClient, CallRejectedError, joinCall, listenToCall } from '../../testing/call-client.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { execute, withDatabase } from '../../testing/server-database.ts'
import { expectBody, send } from '../../testing/server-test.ts'
import {
  checkTranscript,
  countLive,
  createCall,
  createSpeakingAgent,
  messagesIn,
  readCall,
  readTranscript,
  startCall,
} from './call-scene.ts'
import { type Cluster, eventually, hasPostgres, startCluster } from './cluster.ts'

const SHUTDOWN_MS = 4_000
const RACES = 10
/** Time within which a request to one node takes effect on the other. */
const PROPAGATION_TIMEOUT_MS = 5_000
/** Time within which a silent node is considered dead. */
const NODE_LOSS_TIMEOUT_MS = 15_000

/** A cluster for the whole file, started by the first test that needs it. */
let starting: Promise<{ readonly cluster: Cluster; readonly agentId: string }> | null = null
async function start() {
  const cluster = await startCluster({ env: { SHUTDOWN_TIMEOUT_MS: String(SHUTDOWN_MS) } })
  return { cluster, agentId: await createSpeakingAgent(cluster.nodes[0], null) }
}
async function scene() {
  starting ??= start()
  const { cluster, agentId } = await starting
  return { cluster, agentId, first: cluster.nodes[0], second: cluster.nodes[1] }
}
afterAll(async () => await (await starting)?.cluster[Symbol.asyncDispose]())

/** Returns the reason of a rejected join, or null if it was accepted. */
async function refusalOf(joining: Promise<unknown>): Promise<CallRejectedError | null> {
  try {
    await joining
    return null
  } catch (error) {
    if (error instanceof CallRejectedError) return error
    throw error
  }
}

async function waitForCallEnd(server: RunningServer, { callId }: Pick<CallClient, 'callId'>) {
  return await eventually('the end of the call', PROPAGATION_TIMEOUT_MS, async () => {
    const call = await readCall(server, callId)
    return call.status === 'ongoing' ? null : call
  })
}

describe.skipIf(!hasPostgres)('a call that another node holds', () => {
  test('is followed, controlled and ended from any node', async () => {
    const { agentId, first, second } = await scene()
    await using client = await startCall(first, agentId)
    const { callId } = client
    const { status, events } = await second.stream('GET', `/api/v1/calls/${callId}/events`, {
      query: { workspaceId: 1 },
    })
    expect(status).toBe(200)
    const followed: StreamedEvent[] = []
    const following = (async () => {
      for await (const event of events) followed.push(event)
    })()
    await client.waitForMessage('caption', ({ role, final }) => role === 'agent' && final)

    const control = `/api/v1/calls/${callId}/control`
    await expectBody(200, send(second, 'POST', control, { say: { text: 'A word from elsewhere.' } }))
    await client.waitForMessage('caption', ({ text, final }) => final && text === 'A word from elsewhere.')
    await expectBody(200, send(second, 'POST', control, { variables: { city: 'Oslo' } }))
    await expectBody(
      200,
      send(second, 'POST', control, { inject: { text: 'The caller is in a hurry.', respond: false } }),
    )
    client.type('Hello from the caller')
    await client.waitForMessage('caption', ({ role, text }) => role === 'user' && text === 'Hello from the caller')
    await eventually('its words at the other node', PROPAGATION_TIMEOUT_MS, async () => {
      const entries = await readTranscript(second, callId)
      return messagesIn(entries, 'user-message').includes('Hello from the caller') || null
    })
    expect((await readCall(second, callId)).overrideDynamicVariables).toEqual({ city: 'Oslo' })

    await expectBody(200, send(second, 'POST', `/api/v1/calls/${callId}/end`))
    expect(await client.ended).toBe('manual_stopped')
    expect(await waitForCallEnd(second, client)).toMatchObject({
      status: 'ended',
      disconnectionReason: 'manual_stopped',
    })
    await following
    const entries = await readTranscript(second, callId)
    checkTranscript(entries)
    expect(followed.map(({ event }) => event)).toEqual(entries.map(({ type }) => type))
    expect(followed.map(({ id }) => id)).toEqual(followed.map((_, index) => index + 1))
    expect(messagesIn(entries, 'agent-message')).toContain('A word from elsewhere.')
    expect(entries.filter(({ type }) => type === 'injected')).toHaveLength(1)
  })

  test('is monitored on its own node; other nodes ask the listener to retry', async () => {
    const { agentId, first, second } = await scene()
    await using client = await startCall(first, agentId)
    const listening = send<{ accessToken: string }>(second, 'POST', `/api/v1/calls/${client.callId}/listen`)
    const { accessToken } = await expectBody(200, listening)
    expect(await refusalOf(listenToCall(second.url, accessToken))).toMatchObject({
      code: 'held_elsewhere',
      retry: true,
    })
    await using listener = await listenToCall(first.url, accessToken)
    await listener.waitUntil('sound of both', () => listener.frames.length > 50)
    expect(listener.joined).toMatchObject({ callId: client.callId, listening: true })
    await client.leave()
    expect(await listener.ended).toBe('user_hangup')
  })

  test('is resumed on its own node', async () => {
    const { agentId, first, second } = await scene()
    await using client = await startCall(first, agentId)
    await client.waitForMessage('caption', ({ role }) => role === 'agent')
    client.disconnect()
    expect(await refusalOf(client.resume(second.url))).toMatchObject({ code: 'held_elsewhere', retry: true })
    await client.resume(first.url)
    const before = client.messages.length
    client.type('I am back')
    await client.waitForMessage('caption', ({ text }) => text === 'I am back', { from: before })
    await client.waitUntil('sound', () => client.frames.some(({ atMs }) => atMs > performance.now() - 100))
    await client.leave()
    const call = await waitForCallEnd(second, client)
    expect(call).toMatchObject({ status: 'ended', disconnectionReason: 'user_hangup' })
    checkTranscript(await readTranscript(second, client.callId))
  })
})

describe.skipIf(!hasPostgres)('callers who join on two nodes at once', () => {
  test('get in only once per token', async () => {
    const { agentId, first, second } = await scene()
    for (let race = 0; race < RACES; race += 1) {
      const { accessToken, callId } = await createCall(first, agentId)
      const joining = [first, second, second, first].map(({ url }) => joinCall(url, accessToken ?? ''))
      const results = await Promise.allSettled(joining)
      const [client, ...others] = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
      expect([client?.callId, others.length]).toEqual([callId, 0])
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'token_used', retry: false })
      }
      await client?.leave()
      expect(await waitForCallEnd(second, { callId })).toMatchObject({
        status: 'ended',
        disconnectionReason: 'user_hangup',
      })
    }
    expect(await countLive(first)).toBe(0)
  })

  test('fill the available slots; the others join later', async () => {
    const { agentId, first, second } = await scene()
    const limit = (baseConcurrency: number | null) =>
      expectBody(200, send(first, 'PATCH', '/api/concurrency', { baseConcurrency }))
    await limit(3)
    const calls = await Promise.all(Array.from({ length: 3 }, () => createCall(first, agentId)))
    const rejected = await send(second, 'POST', '/api/v1/calls/web', { agentId })
    expect([rejected.status, rejected.body.code]).toEqual([429, 'concurrency_limit_reached'])
    await limit(2)
    // Expires all reserved slots.
    await withDatabase(first, (database) => execute(database, sql`update leases set expires_at = 1`))

    const joining = calls.map(({ accessToken }, index) =>
      joinCall((index % 2 === 0 ? first : second).url, accessToken ?? ''),
    )
    const results = await Promise.allSettled(joining)
    const clients = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(clients).toHaveLength(2)
    expect(await countLive(second)).toBe(2)
    const late = results.findIndex(({ status }) => status === 'rejected')
    const why = { code: 'concurrency_limit_reached', retry: true }
    expect(results[late]).toMatchObject({ reason: why })
    const token = calls[late]?.accessToken ?? ''
    expect(await refusalOf(joinCall(second.url, token))).toMatchObject(why)

    await clients[0]?.leave()
    await eventually('a free slot', PROPAGATION_TIMEOUT_MS, async () => (await countLive(first)) === 1 || null)
    await using last = await joinCall(first.url, token)
    expect(last.callId).toBe(calls[late]?.callId)
    await Promise.all([last.leave(), clients[1]?.leave()])
    await eventually('no slot to be held', PROPAGATION_TIMEOUT_MS, async () => (await countLive(second)) === 0 || null)
    await limit(null)
  })
})

describe.skipIf(!hasPostgres)('a node that was suspended', () => {
  test('learns that its calls were lost, and notifies their callers', async () => {
    const { agentId, first, second } = await scene()
    await using client = await startCall(first, agentId)
    await using unaffectedCall = await startCall(second, agentId)
    client.type('Before it')
    await client.waitForMessage('caption', ({ text }) => text === 'Before it')
    await eventually('its words on record', PROPAGATION_TIMEOUT_MS, async () => {
      return messagesIn(await readTranscript(second, client.callId), 'user-message').length === 1 || null
    })
    const { pid } = first
    process.kill(pid, 'SIGSTOP')
    try {
      const call = await eventually('its end', NODE_LOSS_TIMEOUT_MS, async () => {
        const found = await readCall(second, client.callId)
        return found.status === 'ongoing' ? null : found
      })
      expect([call.status, call.disconnectionReason]).toEqual(['error', 'error_node_lost'])
      expect(await countLive(second)).toBe(1)
      client.type('Into the void')
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    expect(await client.ended).toBe('error_node_lost')
    await eventually('the node to be well', NODE_LOSS_TIMEOUT_MS, async () => {
      return (await first.call('GET', '/readyz')).status === 200 || null
    })
    const entries = await readTranscript(second, client.callId)
    checkTranscript(entries)
    expect(messagesIn(entries, 'user-message')).toEqual(['Before it'])
    expect(await countLive(first)).toBe(1)
    // The node accepts new calls.
    await using next = await startCall(first, agentId)
    await Promise.all([next.leave(), unaffectedCall.leave()])
    for (const each of [next, unaffectedCall]) {
      expect(await waitForCallEnd(second, each)).toMatchObject({ status: 'ended', disconnectionReason: 'user_hangup' })
    }
  })
})

describe.skipIf(!hasPostgres)('a node that is stopped', () => {
  test('lets its calls continue for a while, accepts no new ones, and then ends them', async () => {
    const { agentId, first, second } = await scene()
    await using staying = await startCall(first, agentId)
    await using leaving = await startCall(first, agentId)
    const waiting = await createCall(second, agentId)
    const { url } = first
    const stoppedAtMs = performance.now()
    const stopping = first.stop()
    await eventually('no others to be let in', PROPAGATION_TIMEOUT_MS, async () => {
      const call = await createCall(second, agentId)
      const rejected = await refusalOf(joinCall(url, call.accessToken ?? '').then((client) => client.leave()))
      return rejected === null ? null : expect(rejected).toMatchObject({ code: 'unavailable', retry: true })
    }).catch((error: unknown) => {
      // The stopping node may also refuse the connection entirely.
      expect(String(error)).toMatch(/503|ECONNREFUSED/)
    })
    await using otherNodeClient = await joinCall(second.url, waiting.accessToken ?? '')
    const before = staying.messages.length
    staying.type('Are you still there')
    await staying.waitForMessage('caption', ({ text }) => text.startsWith('Are you still there'), { from: before })
    await leaving.leave()
    const reason = await staying.ended
    const lastedMs = performance.now() - stoppedAtMs
    expect(lastedMs).toBeGreaterThan(SHUTDOWN_MS - 500)
    expect(lastedMs).toBeLessThan(SHUTDOWN_MS + 2_000)
    expect(await stopping).toEqual({ code: 0, signal: null })

    const disconnect = await readCall(second, staying.callId)
    expect([disconnect.status, disconnect.disconnectionReason]).toEqual(['error', reason])
    expect(await readCall(second, leaving.callId)).toMatchObject({
      status: 'ended',
      disconnectionReason: 'user_hangup',
    })
    for (const { callId } of [staying, leaving]) checkTranscript(await readTranscript(second, callId))
    await otherNodeClient.leave()
    await waitForCallEnd(second, otherNodeClient)
    await first.start()
  })
})
