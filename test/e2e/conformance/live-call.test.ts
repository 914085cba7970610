import { expect, test } from 'vitest'
import { joinCall } from '../../../testing/call-client.ts'
import { expectBody } from '../../../testing/server-test.ts'
import { openScene, type Scene } from './scene.ts'
import { shapeProblems } from './shape-problems.ts'
import { CALL, HISTORY_ITEM } from './specification-fields.ts'

/** Tests operations 26 to 28 during a live call. The operation tables cover stored calls. */

interface Lists {
  readonly calls: readonly { readonly callId?: string; readonly callSid?: string }[]
}

/** Checks all responses about a call under both prefixes. */
async function readAll({ server, workspaceId }: Scene, callId: string): Promise<void> {
  const query = { workspaceId }
  for (const prefix of ['/api/v1', '/api']) {
    const one = await expectBody(200, server.call('GET', `${prefix}/calls/${callId}`))
    expect(shapeProblems(one, { success: 'boolean', call: CALL })).toEqual([])
    const listed = await expectBody(200, server.call<Lists>('GET', `${prefix}/calls`, { query }))
    const item = listed.calls.find((call) => call.callId === callId)
    expect(shapeProblems(item, CALL)).toEqual([])
    const history = await expectBody(200, server.call<Lists>('GET', `${prefix}/calls/history`, { query }))
    const entry = history.calls.find((call) => call.callSid === callId)
    expect(shapeProblems(entry, HISTORY_ITEM)).toEqual([])
  }
}

test('responses about a call match the specification before, during and after it', async () => {
  await using scene = await openScene()
  const { server, ids } = scene
  const body = { agentId: ids.agentId, metadata: { order: 17 }, service_dynamic_variables: { name: 'Ada' } }
  const created = await expectBody(
    201,
    server.call<{ call: { callId: string; accessToken: string } }>('POST', '/api/v1/calls/web', { body }),
  )
  const waiting = { ...CALL, accessToken: 'string', expiresAt: 'date-time', webCallUrl: 'string' } as const
  expect(shapeProblems(created, { success: 'boolean', call: waiting })).toEqual([])
  expect(created).toMatchObject({
    success: true,
    call: {
      callType: 'web_call',
      status: 'registered',
      agentId: ids.agentId,
      agentVersion: 1,
      optOutSensitiveDataStorage: false,
      metadata: { order: 17 },
      service_dynamic_variables: { name: 'Ada' },
    },
  })
  const { callId, accessToken } = created.call
  await readAll(scene, callId)

  await using caller = await joinCall(server.url, accessToken)
  await caller.waitForMessage('caption', ({ role, final }) => role === 'agent' && final)
  expect(await statusOf(scene, callId)).toBe('ongoing')
  await readAll(scene, callId)

  caller.type('When do you open?')
  await caller.waitForMessage('latency')
  await caller.leave()
  const { events } = await server.stream('GET', `/api/v1/calls/${callId}/events`)
  // When the stream ends, all effects of the last event are stored.
  let last = ''
  for await (const { event } of events) last = event
  expect(last).toBe('call-ended')
  expect(await statusOf(scene, callId)).toBe('ended')
  await readAll(scene, callId)
  const found = { agentId: ids.agentId, status: 'ended', search: callId }
  const { calls } = await expectBody(200, server.call<Lists>('GET', '/api/v1/calls/history', { query: found }))
  expect(calls).toMatchObject([{ callSid: callId, callStatus: 'ended', direction: null, fromNumber: null }])
})

async function statusOf({ server }: Scene, callId: string): Promise<string> {
  const { call } = await expectBody(200, server.call<{ call: { status: string } }>('GET', `/api/v1/calls/${callId}`))
  return call.status
}
