import type { Call } from '@parley/contract/call'
import type { CallEvent } from '@parley/contract/call-event'
import type { CallHistoryItem } from '@parley/contract/call-history'
import { sql } from 'kysely'
import { describe, expect, vi } from 'vitest'
import { type CallClient, type CallRejectedError, joinCall, listenToCall } from '../../testing/call-client.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { execute, readAllTables, withDatabase } from '../../testing/server-database.ts'
import { createAgent, expectBody, read, send, VOICE } from '../../testing/server-test.ts'
import { type ScriptedModel, test } from './scripted-model.ts'

const WEB = '/api/v1/calls/web'
const HELLO = 'Hello there.'

const LOOK_UP = { toolCalls: [{ name: 'look_up', arguments: '{"order":"7"}' }] }

async function createCall(server: RunningServer, fields: object): Promise<Call> {
  return (await expectBody(201, send<{ call: Call }>(server, 'POST', WEB, fields))).call
}

async function readCall(server: RunningServer, callId: string): Promise<Call> {
  return (await expectBody(200, server.call<{ call: Call }>('GET', `/api/v1/calls/${callId}`))).call
}

const act = (server: RunningServer, callId: string, what: string, body?: object) =>
  server.call<{ call: Call; code: string }>('POST', `/api/v1/calls/${callId}/${what}`, { ...(body && { body }) })

async function createCallAgent(server: RunningServer, model: ScriptedModel, llm: object = {}): Promise<string> {
  const settings = { model: model.name, general_prompt: 'Be brief.', begin_message: HELLO, ...llm }
  return (await createAgent(server, { agent_name: 'Ada' }, settings)).agent_id
}

/** Joins a new call and waits for the greeting. */
async function hold(server: RunningServer, fields: object): Promise<CallClient> {
  const { accessToken } = await createCall(server, fields)
  const caller = await joinCall(server.url, accessToken ?? '')
  await waitForAgentText(caller, HELLO)
  return caller
}

const waitForAgentText = (caller: CallClient, text: string) =>
  caller.waitForMessage('caption', (caption) => caption.role === 'agent' && caption.final && caption.text === text)

async function refusalOf(joining: Promise<CallClient>): Promise<string> {
  const [joined] = await Promise.allSettled([joining])
  if (joined.status === 'rejected') return (joined.reason as CallRejectedError).code
  await joined.value[Symbol.asyncDispose]()
  return 'joined'
}

async function follow(server: RunningServer, callId: string, lastEventId = 0): Promise<readonly CallEvent[]> {
  const headers = { 'last-event-id': String(lastEventId) }
  const { events } = await server.stream('GET', `/api/v1/calls/${callId}/events`, { headers })
  const seen: CallEvent[] = []
  for await (const { id, event, data } of events) {
    const storedEvent = data as CallEvent
    expect([id, event]).toEqual([storedEvent.position + 1, storedEvent.type])
    seen.push(storedEvent)
  }
  return seen
}

/** Counts the zero crossings of a channel, which shows that it contains sound. */
function countZeroCrossings(samples: Int16Array, channel: 0 | 1): number {
  let count = 0
  for (let at = channel + 2; at < samples.length; at += 2) {
    if (Math.sign(samples[at] ?? 0) * Math.sign(samples[at - 2] ?? 0) < 0) count += 1
  }
  return count
}

describe('a call in a browser', () => {
  test('runs from its creation to its records', async ({ server, stage, tools }) => {
    const model = stage.model('openai')
    const agentId = await createCallAgent(server, model, {
      general_tools: [{ type: 'custom', name: 'look_up', description: 'Looks up.', url: `${tools.url}/look-up` }],
    })
    const created = await createCall(server, { agentId, metadata: { order: 7 }, dynamicVariables: { name: 'Mia' } })
    expect(created).toMatchObject({ callType: 'web_call', status: 'registered', agentId, agentVersion: 1 })
    expect(created).toMatchObject({ metadata: { order: 7 }, service_dynamic_variables: { name: 'Mia' } })
    expect(created.webCallUrl).toBe(`${server.url}/call/${created.callId}#token=${created.accessToken}`)

    await using caller = await joinCall(server.url, created.accessToken ?? '')
    expect(caller.joined).toMatchObject({ callId: created.callId, agentName: 'Ada', recognition: 'browser' })
    const following = follow(server, created.callId)
    await waitForAgentText(caller, HELLO)
    expect(await readCall(server, created.callId)).toMatchObject({ status: 'ongoing', accessToken: null })

    model.script(LOOK_UP, { text: 'It is on its way.' })
    caller.type('Where is order 7?')
    await caller.waitForMessage('tool', ({ name, phase }) => name === 'look_up' && phase === 'ended')
    await waitForAgentText(caller, 'It is on its way.')
    expect(tools.requests).toHaveLength(1)
    await caller.waitForMessage('latency')

    expect((await act(server, created.callId, 'end')).status).toBe(200)
    expect(await caller.ended).toBe('manual_stopped')
    const events = await following
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['call-started', 'user-message', 'tool-call', 'tool-result', 'agent-message', 'turn']),
    )
    expect(events.at(-1)).toMatchObject({ type: 'call-ended', reason: 'manual_stopped' })
    expect(await follow(server, created.callId, events.length - 2)).toEqual(events.slice(-2))

    const call = await readCall(server, created.callId)
    expect(call).toMatchObject({ status: 'ended', disconnectionReason: 'manual_stopped', accessToken: null })
    expect(call.transcript).toBe(`Agent: ${HELLO}\nUser: Where is order 7?\nAgent: It is on its way.`)
    expect(call.durationMs).toBeGreaterThan(1_000)
    expect(call.latency.e2e).toMatchObject({ num: 1 })
    expect(call.agentPath).toMatchObject([{ agentId, agentVersion: 1 }])
    const path = `/api/calls/${created.callId}/transcript`
    const transcript = await expectBody(200, read<{ transcript: string; entries: CallEvent[] }>(server, path))
    expect(transcript).toEqual({ success: true, transcript: call.transcript, entries: events })
    const spoken = transcript.entries.filter((entry) => entry.type === 'agent-message')
    for (const { content, words } of spoken) expect(words.map(({ word }) => word).join(' ')).toBe(content)

    const { calls } = await expectBody(
      200,
      read<{ calls: CallHistoryItem[] }>(server, '/api/calls/history', { search: created.callId }),
    )
    expect(calls).toMatchObject([{ callSid: created.callId, callStatus: 'ended', agentName: 'Ada', direction: null }])
    await checkRecording(server, call)
  })

  async function checkRecording(server: RunningServer, { callId, recordingUrl, durationMs }: Call): Promise<void> {
    const fullResponse = await fetch(recordingUrl ?? '')
    expect([fullResponse.status, fullResponse.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    const bytes = Buffer.from(await fullResponse.arrayBuffer())
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt16LE(22), bytes.readUInt32LE(24)]).toEqual(['RIFF', 2, 8_000])
    const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset + 44, bytes.byteOffset + bytes.length))
    expect(Math.abs(samples.length / 2 / 8 - (durationMs ?? 0))).toBeLessThan(1_000)
    expect(countZeroCrossings(samples, 0)).toBe(0)
    expect(countZeroCrossings(samples, 1)).toBeGreaterThan(500)
    const part = await fetch(recordingUrl ?? '', { headers: { range: 'bytes=0-43' } })
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 0-43/${bytes.length}`])
    expect((await fetch(`${recordingUrl}x`)).status).toBe(403)
    const { peaks } = await expectBody(
      200,
      read<{ peaks: number[][] }>(server, `/api/v1/calls/${callId}/recording/peaks`),
    )
    expect(Math.max(...(peaks[1] ?? []))).toBeGreaterThan(1_000)
  }

  test('rejects tools that need a phone call', async ({ server, stage }) => {
    const model = stage.model('openai')
    const transfer = {
      type: 'transfer_call',
      name: 'to_desk',
      transfer_destination: { type: 'predefined', number: '+14155550123' },
      transfer_option: { type: 'cold_transfer' },
    }
    const agentId = await createCallAgent(server, model, { general_tools: [transfer] })
    await using caller = await hold(server, { agentId })
    model.script({ toolCalls: [{ name: 'to_desk', arguments: '{}' }] }, { text: 'I cannot do that.' })
    caller.type('To the desk, please.')
    await waitForAgentText(caller, 'I cannot do that.')
    const { callId } = caller.joined
    await act(server, callId, 'end')
    const events = await follow(server, callId)
    expect(events.find(({ type }) => type === 'tool-result')).toMatchObject({
      content: 'Not available in this channel: this is a web call in the browser; calls cannot be transferred here.',
    })
  })

  test('can be joined once, with a valid token that has not expired', async ({ server, stage }) => {
    const agentId = await createCallAgent(server, stage.model('openai'))
    expect(await refusalOf(joinCall(server.url, 'x'))).toBe('token_invalid')
    const used = await createCall(server, { agentId })
    await using caller = await joinCall(server.url, used.accessToken ?? '')
    expect(await refusalOf(joinCall(server.url, used.accessToken ?? ''))).toBe('token_used')
    await caller.leave()
    expect(await readSettled(server, used.callId)).toMatchObject({
      status: 'ended',
      disconnectionReason: 'user_hangup',
    })
    expect(await refusalOf(joinCall(server.url, used.accessToken ?? ''))).toBe('call_ended')

    const late = await createCall(server, { agentId })
    await withDatabase(server, (database) =>
      execute(database, sql`update calls set expires_at = 1 where call_id = ${late.callId}`),
    )
    expect(await refusalOf(joinCall(server.url, late.accessToken ?? ''))).toBe('token_expired')
    const lapsed = { status: 'not_connected', disconnectionReason: 'registered_call_timeout', recordingUrl: null }
    expect(await readCall(server, late.callId)).toMatchObject(lapsed)

    const stopped = await createCall(server, { agentId })
    expect((await act(server, stopped.callId, 'end')).body.call.status).toBe('not_connected')
    expect(await refusalOf(joinCall(server.url, stopped.accessToken ?? ''))).toBe('call_ended')
  })

  /** Reads a call after its event stream ends, since its record is written shortly after the caller leaves. */
  async function readSettled(server: RunningServer, callId: string): Promise<Call> {
    await follow(server, callId)
    return await readCall(server, callId)
  }

  test('uses a concurrency slot from its creation to its end', async ({ server, stage }) => {
    const tenant = await expectBody(
      201,
      server.call<{ tenantId: string }>('POST', '/api/tenants', { body: { name: 'Own' } }),
    )
    const body = { name: 'One line', tenantId: tenant.tenantId }
    const { id } = await expectBody(201, server.call<{ id: number }>('POST', '/api/workspaces', { body }))
    const limit = { workspaceId: id, baseConcurrency: 1 }
    await expectBody(200, server.call('PATCH', '/api/concurrency', { body: limit }))
    const llm = { workspaceId: id, model: stage.model('openai').name, begin_message: HELLO }
    const { llm_id } = await expectBody(201, server.call<{ llm_id: string }>('POST', '/api/v1/llms', { body: llm }))
    const agent = { workspaceId: id, voice_id: VOICE, response_engine: { type: 'llm', llm_id } }
    const { agent_id: agentId } = await expectBody(
      201,
      server.call<{ agent_id: string }>('POST', '/api/agents', { body: agent }),
    )
    const create = () => server.call<{ call: Call; code: string }>('POST', WEB, { body: { agentId } })
    const { call } = (await create()).body
    const full = await create()
    expect([full.status, full.body.code]).toEqual([429, 'concurrency_limit_reached'])
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
    await using caller = await joinCall(server.url, call.accessToken ?? '')
    expect((await create()).status).toBe(429)
    const usage = () => server.call<{ currentUsage: number }>('GET', '/api/concurrency', { query: { workspaceId: id } })
    expect((await usage()).body.currentUsage).toBe(1)
    await caller.leave()
    await follow(server, call.callId)
    expect((await create()).status).toBe(201)
  })

  test('is controlled and monitored over the API', async ({ server, stage }) => {
    const model = stage.model('openai')
    const agentId = await createCallAgent(server, model, { general_prompt: 'The price is {{price}}.' })
    const waiting = await createCall(server, { agentId })
    expect((await act(server, waiting.callId, 'control', { say: { text: 'Hm.' } })).body.code).toBe('call_not_live')
    await act(server, waiting.callId, 'end')
    await using caller = await hold(server, { agentId })
    const { callId } = caller
    const limits = { name: 'Supervisor', scopes: ['read', 'calls'] }
    const made = await expectBody(
      201,
      server.call<{ token: string; tokenId: string }>('POST', '/api/tokens', { body: limits }),
    )
    const headers = { authorization: `Bearer ${made.token}` }
    const { accessToken } = await expectBody(
      200,
      server.call<{ accessToken: string }>('POST', `/api/v1/calls/${callId}/listen`, { headers }),
    )
    const { events } = await server.stream('GET', `/api/v1/calls/${callId}/events`, { headers })
    await using listener = await listenToCall(server.url, accessToken)
    expect(listener.joined).toMatchObject({ callId, listening: true })

    expect((await act(server, callId, 'control', { say: { text: 'One moment, please.' } })).status).toBe(200)
    await waitForAgentText(caller, 'One moment, please.')
    await waitForAgentText(listener, 'One moment, please.')
    expect(listener.frames.some(({ samples }) => samples.some((sample) => Math.abs(sample) > 1_000))).toBe(true)
    listener.type('Can you hear me?')

    model.script({ text: 'It costs nine dollars now.' })
    const command = { inject: { text: 'The price has changed.', respond: true }, variables: { price: '$9' } }
    expect((await act(server, callId, 'control', command)).body.call.overrideDynamicVariables).toEqual({ price: '$9' })
    await waitForAgentText(caller, 'It costs nine dollars now.')
    expect(JSON.stringify((await model.request(0)).body)).toContain('The price is $9.')
    expect(JSON.stringify((await model.request(0)).body)).toContain('The price has changed.')
    expect(caller.getCaptions('user')).toEqual([])
    const cleared = await act(server, callId, 'control', { variables: { price: null, more: 1 } })
    expect(cleared.body.call.overrideDynamicVariables).toEqual({ price: null, more: '1' })

    // Revoked access closes open streams; the caller has no account and stays connected.
    expect((await server.call('DELETE', `/api/tokens/${made.tokenId}`)).status).toBe(204)
    expect((await Array.fromAsync(events)).at(-1)).toMatchObject({
      event: 'access-ended',
      data: { code: 'unauthorized' },
    })
    await vi.waitFor(() => expect(listener.closeCode).toBe(1008))
    expect(await refusalOf(listenToCall(server.url, accessToken))).toBe('token_revoked')
    expect(caller.isOpen).toBe(true)

    const changes = { metadata: { stage: 2 } }
    const path = `/api/v1/calls/${callId}`
    const changed = await expectBody(200, server.call<{ call: Call }>('PATCH', path, { body: changes }))
    expect(changed.call).toMatchObject({ status: 'ongoing', metadata: { stage: 2 } })
    await caller.leave()
    expect(await readSettled(server, callId)).toMatchObject({ metadata: { stage: 2 } })
    expect((await act(server, callId, 'control', { say: { text: 'Hm.' } })).body.code).toBe('call_not_live')
    expect((await act(server, callId, 'listen')).body.code).toBe('call_not_live')
    expect((await server.call('DELETE', path)).status).toBe(204)
    expect((await server.call('GET', `${path}/recording`)).status).toBe(404)
  })

  test('continues after a lost connection', async ({ server, stage }) => {
    const model = stage.model('openai')
    await using caller = await hold(server, { agentId: await createCallAgent(server, model) })
    caller.disconnect()
    await caller.resume()
    expect(caller.joined.elapsedMs).toBeGreaterThan(0)
    model.script({ text: 'Still here.' })
    caller.type('Are you there?')
    await waitForAgentText(caller, 'Still here.')
    await caller.leave()
    const { transcript } = await readSettled(server, caller.callId)
    expect(transcript).toBe(`Agent: ${HELLO}\nUser: Are you there?\nAgent: Still here.`)
  })

  test('stores nothing that was said when storage is turned off', async ({ server, stage }) => {
    const model = stage.model('openai')
    const fields = { agentId: await createCallAgent(server, model), optOutSensitiveDataStorage: true }
    await using caller = await hold(server, fields)
    model.script({ text: 'Noted.' })
    caller.type('My name is Zebulon Quint.')
    await waitForAgentText(caller, 'Noted.')
    await caller.leave()
    await readSettled(server, caller.callId)
    const recording = () => server.call('GET', `/api/v1/calls/${caller.callId}/recording`)
    await vi.waitFor(async () => expect((await recording()).status).toBe(404), { timeout: 10_000, interval: 50 })
    const call = await readCall(server, caller.callId)
    expect(call).toMatchObject({ transcript: '', recordingUrl: null, optOutSensitiveDataStorage: true })
    const tables = JSON.stringify(await readAllTables(server))
    expect(tables).toContain(caller.callId)
    expect(tables).not.toContain('Zebulon')
  })

  test('can be joined on a page of the server', async ({ server }) => {
    const page = await fetch(`${server.url}/call/call_1`)
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    const client = await fetch(`${server.url}/sdk/index.js`)
    expect([client.status, await client.text()]).toEqual([
      200,
      expect.stringMatching(/^export \* from '\.\/\w+\/index\.js'/),
    ])
  })
})
