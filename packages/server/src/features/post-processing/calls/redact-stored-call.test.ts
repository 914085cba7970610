import { Call } from '@parley/contract/call'
import type { WebhookEventName } from '@parley/contract/webhook-event'
import { expect, test } from 'vitest'
import { createCallService } from '../../calls/call-service.ts'
import { RECORDS_ONLY } from '../../calls/call-test-kit.ts'
import { buildAgentMessage, buildSwap, buildUserMessage, openCallEndings } from './call-lifecycle-test-kit.ts'
import { createWebhookCallReader } from './redact-stored-call.ts'

const EVENTS = [buildAgentMessage('Your name?'), buildUserMessage('Ana Petrov'), buildAgentMessage('Thanks, Ana.')]
const GIVEN = { given_variables: '{"email":"ana@example.com"}', metadata: '{"crm":"kept@example.com"}' }

async function openWebhookCalls(storage: 'everything' | 'everything_except_pii' | 'basic_attributes_only') {
  const opened = await openCallEndings()
  opened.addAgent('agent_1', { storage })
  await opened.addCall('call_1', 'agent_1', EVENTS, GIVEN)
  const readForWebhook = createWebhookCallReader({
    ...opened,
    readCall: createCallService({ ...opened, ...RECORDS_ONLY }).describe,
  })
  return {
    ...opened,
    async readForWebhook(event: WebhookEventName, workspaceId = 1) {
      const call = await readForWebhook(workspaceId, 'call_1', event)
      if (call !== null) expect(Call.safeParse(call).success).toBe(true)
      return call
    },
  }
}

test('webhooks before the analysis contain none of its results', async () => {
  await using opened = await openWebhookCalls('everything')
  expect(await opened.readForWebhook('transcript_updated')).toMatchObject({
    status: 'ongoing',
    transcript: 'Agent: Your name?\nUser: Ana Petrov\nAgent: Thanks, Ana.',
    service_dynamic_variables: { email: 'ana@example.com' },
    accessToken: null,
  })
  await opened.endAndFinalize('call_1')
  const ended = await opened.readForWebhook('call_ended')
  expect(ended).toMatchObject({ status: 'ended', sentiment: null, successful: null, summary: null })
  const analyzed = await opened.readForWebhook('call_analyzed')
  expect(analyzed?.sentiment).toBe('Neutral')
  expect(analyzed?.summary).not.toBeNull()
})

test('webhooks contain nothing personal that is not stored in the end, before and after redaction', async () => {
  await using opened = await openWebhookCalls('everything_except_pii')
  const expected = {
    transcript: 'Agent: Your name?\nUser: [person_name]\nAgent: Thanks, [person_name].',
    service_dynamic_variables: { email: '[email]' },
    metadata: { crm: 'kept@example.com' },
    recordingUrl: null,
  }
  expect(await opened.readForWebhook('transcript_updated')).toMatchObject(expected)
  await opened.end('call_1')
  expect(await opened.readForWebhook('call_ended')).toMatchObject(expected)
  await opened.finalize('call_1')
  expect(await opened.readForWebhook('call_analyzed')).toMatchObject(expected)
})

test('webhooks omit the content of a call that takes too long to redact', async () => {
  await using opened = await openWebhookCalls('everything_except_pii')
  opened.redactions.failWithTimeout = true
  const webhookCall = await opened.readForWebhook('transcript_updated')
  expect(webhookCall).toMatchObject({
    transcript: '',
    service_dynamic_variables: {},
    metadata: { crm: 'kept@example.com' },
  })
  expect(JSON.stringify(webhookCall)).not.toContain('Petrov')
})

test('webhooks contain nothing said in a call that stores nothing', async () => {
  await using opened = await openWebhookCalls('basic_attributes_only')
  await opened.end('call_1')
  for (const event of ['call_ended', 'call_analyzed'] as const) {
    expect(await opened.readForWebhook(event)).toMatchObject({
      transcript: '',
      summary: null,
      service_dynamic_variables: {},
    })
  }
  await opened.finalize('call_1')
  expect(await opened.readForWebhook('call_analyzed')).toMatchObject({
    transcript: '',
    summary: null,
    sentiment: 'Neutral',
  })
})

test('webhooks contain nothing that the second agent does not store, however soon the call ended', async () => {
  await using opened = await openWebhookCalls('everything')
  opened.addAgent('agent_2', { storage: 'basic_attributes_only' })
  await opened.addEvents('call_1', EVENTS.length, [buildSwap('agent_2')])
  await opened.end('call_1')
  // The node that handled the call reports the handoff only now.
  await opened.handOver('call_1', 'agent_2')
  expect(await opened.readForWebhook('call_ended')).toMatchObject({ transcript: '', service_dynamic_variables: {} })
})

test('returns null for a call of another workspace and for a deleted one', async () => {
  await using opened = await openWebhookCalls('everything')
  expect(await opened.readForWebhook('call_ended', 2)).toBeNull()
  const { database } = opened
  await database.batch([{ query: database.queryBuilder.deleteFrom('calls').compile() }])
  expect(await opened.readForWebhook('call_ended')).toBeNull()
})
