import type { CallEventEntry } from '@parley/contract/call-event'
import type { ModelUsage } from '@parley/engine/ports'
import { createScriptedModel, failWith, type ScriptedStep } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../../testing/advance-until.ts'
import { buildInvalidReport, buildReportStep, createSimultaneousModel, RATING } from '../post-processing-test-kit.ts'
import {
  buildAgentMessage,
  buildSwap,
  buildUsage,
  buildUserMessage,
  openCallEndings,
} from './call-lifecycle-test-kit.ts'

const EVENTS: readonly CallEventEntry[] = [
  { type: 'call-started' },
  buildAgentMessage('Hello, this is Robin. May I have your name?', { kind: 'opening' }),
  buildUserMessage('Ana Petrov'),
  buildAgentMessage('Thank you, Ana! And your phone number?', {
    content: 'Thank you, Ana!',
    interrupted: true,
    words: [],
  }),
  buildUserMessage('It is 415 555 0104 thanks'),
  { type: 'tool-call', turnId: 'turn_1', toolCallId: 'call_1', name: 'book', arguments: '{"email":"ana@example.com"}' },
  {
    type: 'tool-result',
    turnId: 'turn_1',
    toolCallId: 'call_1',
    name: 'book',
    content: '{"booking":{"name":"Ana Petrov","price":119}}',
    successful: true,
    durationMs: 20,
  },
  { type: 'variables', variables: { customer_name: 'Ana Petrov', plan: 'gold' } },
  { type: 'turn', turnId: 'turn_1', latency: null, decisions: [{ rationale: 'The user, ana@example.com, agreed.' }] },
  { type: 'sms', content: 'Hello Ana', status: 'sent', reason: null },
  { type: 'injected', content: 'The caller is ana@example.com.' },
  { type: 'warning', code: 'x', message: 'No answer for ana@example.com.' },
  buildAgentMessage('Booked, Ana.'),
  buildUserMessage('Great, thanks, bye!'),
  buildUsage('llm', 'fake/large', 1_000, 'input-token'),
  buildUsage('llm', 'fake/large', 50, 'output-token'),
  buildUsage('synthesis', 'by-second', 2, 'second'),
  buildUsage('synthesis', 'by-second', 300, 'character'),
  buildUsage('transcription', 'builtin/slt', 30, 'second'),
]

const VARIABLES = {
  given_variables: '{"customer_name":"Ana Petrov","plan":"gold"}',
  collected_variables: '{"email":"ana@example.com"}',
  metadata: '{"crm":"kept@example.com"}',
}

const REPORT = { summary: 'Ana Petrov booked.', sentiment: 'Positive', successful: true, fields: { rating: 5 } }
const USAGE: ModelUsage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 }

const reports = (): ScriptedStep => buildReportStep(REPORT, USAGE)

const PERSONAL = /Ana\b|Petrov|ana@|0104|415 555/

describe('an ended call', () => {
  test('is priced, analyzed and published', async () => {
    await using opened = await openCallEndings()
    const scripted = createScriptedModel([reports()], { name: 'fake/large' })
    opened.addModel('fake/large', scripted.model)
    opened.addAgent('agent_1', { analysisItems: [RATING] }, 'fake/large')
    await opened.addCall('call_1', 'agent_1', EVENTS, VARIABLES)
    await opened.end('call_1')
    expect(await opened.endJobs()).toEqual([{ callId: 'call_1' }])
    expect(await opened.read('call_1')).toMatchObject({
      cost_llm: 1_100,
      cost_voice: 2_000,
      cost_gross: 3_100,
      cost_total: 3_100,
      due_at: opened.clock.now() + 3_600_000,
    })
    await opened.finalize('call_1')
    scripted.assertConsumed()
    const call = await opened.read('call_1')
    expect(call).toMatchObject({
      summary: 'Ana Petrov booked.',
      sentiment: 'Positive',
      successful: 1,
      custom_data: '{"rating":5}',
      cost_llm: 1_240,
      cost_voice: 2_000,
      cost_gross: 3_240,
      cost_total: 3_240,
      stored_as: 'everything',
      due_at: null,
      recording: '{"durationMs":1}',
    })
    expect(JSON.parse(call?.cost_breakdown ?? '')).toEqual([
      { product: 'llm', model: 'fake/large', quantity: 1_000, unit: 'input-token', cost: 0.001 },
      { product: 'llm', model: 'fake/large', quantity: 50, unit: 'output-token', cost: 0.0001 },
      { product: 'synthesis', model: 'by-second', quantity: 2, unit: 'second', cost: 0.002 },
      { product: 'synthesis', model: 'by-second', quantity: 300, unit: 'character', cost: 0 },
      { product: 'transcription', model: 'builtin/slt', quantity: 30, unit: 'second', cost: 0 },
      { product: 'analysis', model: 'fake/large', quantity: 100, unit: 'input-token', cost: 0.0001 },
      { product: 'analysis', model: 'fake/large', quantity: 20, unit: 'output-token', cost: 0.00004 },
    ])
    expect(await opened.deletedRecordings()).toEqual([])
    const publishedEvents = await opened.publishedEvents()
    expect(publishedEvents.map(({ event }) => event)).toEqual(['call_ended', 'call_analyzed'])
    expect(publishedEvents[0]).toMatchObject({
      workspaceId: 1,
      subject: { kind: 'call', id: 'call_1' },
      agents: [{ url: 'https://agent_1.example.com' }],
    })
  })

  test('is processed once, however often its job runs', async () => {
    await using opened = await openCallEndings()
    const { model } = createScriptedModel([reports(), reports()], { name: 'fake/large' })
    opened.addModel('fake/large', createSimultaneousModel(model, 2))
    opened.addAgent('agent_1', { storage: 'everything_except_pii' }, 'fake/large')
    await opened.addCall('call_1', 'agent_1', EVENTS)
    await opened.end('call_1')
    await Promise.all([opened.finalize('call_1'), opened.finalize('call_1')])
    const stored = await opened.read('call_1')
    await opened.finalize('call_1')
    expect(await opened.read('call_1')).toEqual(stored)
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['call_ended', 'call_analyzed'])
    expect(await opened.deletedRecordings()).toHaveLength(1)
    // Both requests ran before either stored its result.
    expect(await opened.read('call_1')).toMatchObject({ cost_gross: 3_100 + 2 * 140 })
  })

  test('that is ongoing is skipped, and one that nobody joined is not analyzed', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1', { storage: 'basic_attributes_only' })
    await opened.addCall('call_1', 'agent_1', EVENTS)
    await opened.finalize('call_1')
    expect((await opened.read('call_1'))?.stored_as).toBeNull()
    await opened.addCall('call_2', 'agent_1', [], { started_at: null, ...VARIABLES })
    await opened.end('call_2', 'registered_call_timeout')
    await opened.finalize('call_2')
    expect(await opened.read('call_2')).toMatchObject({
      stored_as: 'basic_attributes_only',
      given_variables: '{}',
      sentiment: null,
      cost_total: 0,
    })
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['call_ended'])
  })

  test('has an unknown part and total when a price is unknown', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    const usage = [
      buildUsage('llm', 'fake/large', 10, 'input-token'),
      buildUsage('synthesis', 'by-second', 300, 'character'),
    ]
    await opened.addCall('call_1', 'agent_1', usage)
    await opened.endAndFinalize('call_1')
    expect(await opened.read('call_1')).toMatchObject({
      cost_llm: 10,
      cost_voice: null,
      cost_gross: null,
      cost_total: null,
    })
  })

  test("has the reseller's markup on the total", async () => {
    await using opened = await openCallEndings()
    const { database } = opened
    await database.batch([
      { query: database.queryBuilder.updateTable('providers').set({ markup_percent: 50 }).compile() },
    ])
    opened.addModel('fake/large', createScriptedModel([reports()], { name: 'fake/large' }).model)
    opened.addAgent('agent_1', {}, 'fake/large')
    await opened.addCall('call_1', 'agent_1', EVENTS)
    await opened.end('call_1')
    expect(await opened.read('call_1')).toMatchObject({ cost_gross: 3_100, cost_total: 4_650 })
    await opened.finalize('call_1')
    expect(await opened.read('call_1')).toMatchObject({ cost_gross: 3_240, cost_total: 4_860 })
  })
})

test('retries failing models, counts their usage and finally falls back to rules', async () => {
  await using opened = await openCallEndings()
  const scripted = createScriptedModel([buildInvalidReport(USAGE), failWith(), failWith()], { name: 'fake/large' })
  opened.addModel('fake/large', scripted.model)
  opened.addAgent('agent_1', { storage: 'basic_attributes_only' }, 'fake/large')
  await opened.addCall('call_1', 'agent_1', EVENTS)
  await opened.end('call_1')
  await expect(advanceUntil(opened.time, opened.finalize('call_1', 5))).rejects.toThrow('The provider is unavailable.')
  scripted.assertConsumed()
  expect(await opened.read('call_1')).toMatchObject({ stored_as: null, cost_gross: 3_240, cost_total: 3_240 })
  await opened.finalize('call_1', 6)
  expect(await opened.read('call_1')).toMatchObject({
    stored_as: 'basic_attributes_only',
    summary: null,
    sentiment: 'Positive',
    successful: 1,
    cost_gross: 3_240,
  })
})

describe('stored content', () => {
  test('is everything except personal data and audio', async () => {
    await using opened = await openCallEndings()
    opened.addModel('fake/large', createScriptedModel([reports()], { name: 'fake/large' }).model)
    opened.addAgent('agent_1', { storage: 'everything_except_pii', retentionDays: 30 }, 'fake/large')
    await opened.addCall('call_1', 'agent_1', EVENTS, VARIABLES)
    await opened.endAndFinalize('call_1')
    const call = await opened.read('call_1')
    expect(call).toMatchObject({
      transcript:
        'Agent: Hello, this is Robin. May I have your name?\nUser: [person_name]\nAgent: Thank you, [person_name]!\n' +
        'User: It is [phone_number] thanks\nAgent: Booked, [person_name].\nUser: Great, thanks, bye!',
      summary: '[person_name] booked.',
      given_variables: '{"customer_name":"[person_name]","plan":"gold"}',
      collected_variables: '{"email":"[email]"}',
      metadata: VARIABLES.metadata,
      stored_as: 'everything_except_pii',
      due_at: opened.clock.now() + 30 * 86_400_000,
      recording: null,
    })
    const events = await opened.eventsOf('call_1')
    expect(events).toHaveLength(EVENTS.length + 1)
    expect(events[4]).toMatchObject({
      words: [
        { word: 'It', startMs: 0, endMs: 90 },
        { word: 'is', startMs: 100, endMs: 190 },
        { word: '[phone_number]', startMs: 200, endMs: 490 },
        { word: 'thanks', startMs: 500, endMs: 590 },
      ],
    })
    expect(events[5]).toMatchObject({ arguments: '{"email":"[email]"}' })
    expect(events[6]).toMatchObject({ content: '{"booking":{"name":"[person_name]","price":119}}' })
    expect(await opened.dump()).not.toMatch(PERSONAL)
    expect(await opened.deletedRecordings()).toEqual([{ callId: 'call_1' }])
  })

  test('is nothing that was said after redaction timed out three times', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1', { storage: 'everything_except_pii' })
    await opened.addCall('call_1', 'agent_1', EVENTS, VARIABLES)
    await opened.end('call_1')
    opened.redactions.failWithTimeout = true
    await expect(opened.finalize('call_1', 1)).rejects.toThrow('too long')
    await expect(opened.finalize('call_1', 2)).rejects.toThrow('too long')
    expect(await opened.read('call_1')).toMatchObject({ stored_as: null })
    await opened.finalize('call_1', 3)
    expect(await opened.read('call_1')).toMatchObject({ stored_as: 'basic_attributes_only', transcript: '' })
    expect(await opened.eventsOf('call_1')).toEqual([])
    expect(await opened.dump()).not.toMatch(PERSONAL)
  })

  test('after an opt-out contains nothing that was said, nor do webhooks', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1', EVENTS, { ...VARIABLES, optOut: true, override_variables: '{"a":"Ana"}' })
    await opened.endAndFinalize('call_1')
    expect(await opened.read('call_1')).toMatchObject({
      transcript: '',
      given_variables: '{}',
      collected_variables: '{}',
      override_variables: '{}',
      summary: null,
      recording: null,
      sentiment: 'Positive',
      cost_total: 3_100,
    })
    expect(await opened.eventsOf('call_1')).toEqual([])
    expect(await opened.deletedRecordings()).toEqual([{ callId: 'call_1' }])
    expect(await opened.dump()).not.toMatch(PERSONAL)
  })

  test('follows the policy of the call after its agents are gone, and the stricter one after a hand-over', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1', { retentionDays: 7 })
    opened.addAgent('agent_2', { storage: 'everything_except_pii' })
    await opened.addCall('call_1', 'agent_1', EVENTS)
    await opened.handOver('call_1', 'agent_2')
    opened.removeAgent('agent_1')
    opened.removeAgent('agent_2')
    await opened.endAndFinalize('call_1')
    expect(await opened.dump()).not.toMatch(PERSONAL)
    expect(await opened.read('call_1')).toMatchObject({
      stored_as: 'everything_except_pii',
      due_at: opened.clock.now() + 7 * 86_400_000,
      sentiment: 'Positive',
    })
  })

  test('follows the policy, analysis and webhook of an agent that took over', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    opened.addAgent('agent_2', { storage: 'everything_except_pii', analysisItems: [RATING] })
    await opened.addCall('call_1', 'agent_1', [...EVENTS, buildSwap('agent_2')])
    await opened.endAndFinalize('call_1')
    expect(await opened.read('call_1')).toMatchObject({ stored_as: 'everything_except_pii' })
    expect(Object.keys(JSON.parse((await opened.read('call_1'))?.custom_data ?? ''))).toEqual(['rating'])
    expect((await opened.publishedEvents())[0]?.agents.map(({ url }) => url)).toEqual([
      'https://agent_1.example.com',
      'https://agent_2.example.com',
    ])
  })

  test('follows a hand-over in whose analysis and webhook apply', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1', { analysisItems: [RATING] })
    opened.addAgent('agent_2')
    opened.addAgent('agent_3')
    const onlyNew = { analysis: 'only_destination_agent', webhooks: 'only_destination_agent' } as const
    const onlyOld = { analysis: 'both_agents', webhooks: 'only_source_agent' } as const
    await opened.addCall('call_1', 'agent_1', [...EVENTS, buildSwap('agent_2', onlyNew), buildSwap('agent_3', onlyOld)])
    await opened.addCall('call_2', 'agent_1', [...EVENTS, buildSwap('agent_2', onlyNew), buildSwap('agent_1', onlyNew)])
    for (const callId of ['call_1', 'call_2']) {
      await opened.endAndFinalize(callId)
    }
    expect(Object.keys(JSON.parse((await opened.read('call_1'))?.custom_data ?? ''))).toEqual([])
    // The last agent was also the first one.
    expect(Object.keys(JSON.parse((await opened.read('call_2'))?.custom_data ?? ''))).toEqual(['rating'])
    const publishedEvents = (await opened.publishedEvents()).map(({ event, agents }) => [
      event,
      ...agents.map(({ url }) => url),
    ])
    expect(publishedEvents.filter(([event]) => event === 'call_ended')).toEqual([
      ['call_ended', 'https://agent_2.example.com'],
      ['call_ended', 'https://agent_1.example.com'],
    ])
  })

  test('can be reduced, even afterwards, and never increased', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1', EVENTS, VARIABLES)
    await opened.tightenStorage('call_1', 'everything_except_pii')
    await opened.endAndFinalize('call_1')
    expect(await opened.dump()).not.toMatch(PERSONAL)
    await expect(opened.tightenStorage('call_1', 'everything')).rejects.toMatchObject({ code: 'invalid_request' })
    await opened.tightenStorage('call_1', 'basic_attributes_only')
    expect(await opened.endJobs()).toHaveLength(2)
    await opened.finalize('call_1')
    expect(await opened.eventsOf('call_1')).toEqual([])
    expect(await opened.read('call_1')).toMatchObject({ transcript: '', stored_as: 'basic_attributes_only' })
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['call_ended', 'call_analyzed'])
  })

  test('of a call without a record is redacted in its transcript', async () => {
    await using opened = await openCallEndings()
    const transcript = 'Agent: Your name?\nUser: Ana Petrov\nUser: Mail me\nat ana@example.com\nAgent: Thanks, Ana.'
    await opened.addCall('call_1', 'agent_9', [], { status: 'ended', ended_at: 0, transcript })
    await opened.tightenStorage('call_1', 'everything_except_pii')
    await opened.finalize('call_1')
    expect((await opened.read('call_1'))?.transcript).toBe(
      'Agent: Your name?\nUser: [person_name]\nUser: Mail me\nat [email]\nAgent: Thanks, [person_name].',
    )
  })

  test('drops what a node wrote after the end', async () => {
    await using opened = await openCallEndings()
    opened.addAgent('agent_1')
    await opened.addCall('call_1', 'agent_1', EVENTS)
    await opened.end('call_1', 'error_node_lost')
    await opened.addEvents('call_1', EVENTS.length + 5, [buildUserMessage('Too late')])
    await opened.finalize('call_1')
    expect((await opened.eventsOf('call_1')).at(-1)?.type).toBe('call-ended')
  })

  test('includes what is written during an analysis, without asking models twice', async () => {
    await using opened = await openCallEndings()
    const scripted = createScriptedModel([reports()], { name: 'fake/large' })
    opened.addModel('fake/large', {
      name: 'fake/large',
      async *stream(request) {
        await opened.change('call_1', { updated_at: 99, override_variables: '{"email":"b@example.com"}' })
        yield* scripted.model.stream(request)
      },
    })
    opened.addAgent('agent_1', { storage: 'everything_except_pii' }, 'fake/large')
    await opened.addCall('call_1', 'agent_1', EVENTS)
    await opened.endAndFinalize('call_1')
    scripted.assertConsumed()
    expect(await opened.read('call_1')).toMatchObject({
      override_variables: '{"email":"[email]"}',
      stored_as: 'everything_except_pii',
    })
  })
})
