import type { ModelUsage } from '@parley/engine/ports'
import { createScriptedModel, failWith, type ScriptedStep } from '@parley/engine/testing/scripted-model'
import { createOfflineModel } from '@parley/offline-model/offline-model'
import { describe, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../../testing/advance-until.ts'
import { buildInvalidReport, buildReportStep, createSimultaneousModel, RATING } from '../post-processing-test-kit.ts'
import { buildToolCall, openEndings, type TestMessage } from './chat-lifecycle-test-kit.ts'

const LINES: readonly TestMessage[] = [
  ['assistant', 'Hello, this is Robin. May I have your name?'],
  ['user', 'Ana Petrov'],
  ['assistant', 'Thank you, Ana! And your e-mail address?'],
  ['user', 'ana@example.com, card 4111 1111 1111 1111'],
  ['assistant', '', buildToolCall('book', { email: 'ana@example.com', service: 'full' })],
  ['tool', '{"booking":{"name":"Ana Petrov","phone":"+1 555 010 4477","price":119}}', { name: 'book' }],
  ['assistant', 'Booked, Ana.'],
  ['user', 'Great, thanks, bye!'],
]

const VARIABLES = {
  given_variables: '{"customer_name":"Ana Petrov","plan":"gold"}',
  collected_variables: '{"email":"ana@example.com"}',
  metadata: '{"crm":"ana@example.com"}',
}

const REPORT = {
  summary: 'Ana Petrov booked a service.',
  sentiment: 'Positive',
  successful: true,
  fields: { rating: 5 },
}
const USAGE: ModelUsage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 }

const reports = (): ScriptedStep => buildReportStep(REPORT, USAGE)

describe('an ended chat', () => {
  test('is analyzed, published and freed of its live state', async () => {
    await using opened = await openEndings()
    const scripted = createScriptedModel([reports()], { name: 'fake/large' })
    opened.addModel('fake/large', scripted.model)
    opened.addAgent('agent_1', { analysisItems: [RATING] }, 'fake/large')
    await opened.addChat('chat_1', 'agent_1', LINES, VARIABLES)
    await opened.end('chat_1')
    expect(await opened.endJobs()).toEqual([{ chatId: 'chat_1' }])

    await opened.finalize('chat_1')
    const chat = await opened.read('chat_1')
    expect(JSON.parse(chat?.analysis ?? '')).toEqual({
      summary: 'Ana Petrov booked a service.',
      sentiment: 'Positive',
      successful: true,
      customData: { rating: 5 },
    })
    expect(JSON.parse(chat?.analysis_usage ?? '')).toEqual([{ model: 'fake/large', ...USAGE, cost: 0.01 }])
    expect(chat).toMatchObject({ state: null, stored_as: 'everything', end_reason: 'request', due_at: null })
    expect(await opened.messagesOf('chat_1')).toHaveLength(LINES.length)
    expect((await opened.turnsOf('chat_1'))[0]).toMatchObject({
      state: null,
      explanation: expect.stringContaining('ana@'),
    })
    const publishedEvents = await opened.publishedEvents()
    expect(publishedEvents.map(({ event }) => event)).toEqual(['chat_ended', 'chat_analyzed'])
    expect(publishedEvents[0]).toMatchObject({
      workspaceId: 1,
      subject: { kind: 'chat', id: 'chat_1' },
      agents: [{ url: 'https://agent_1.example.com' }],
    })
  })

  test('is processed once, however often its job runs', async () => {
    await using opened = await openEndings()
    const scripted = createScriptedModel([reports(), reports()], { name: 'fake/large' })
    opened.addModel('fake/large', createSimultaneousModel(scripted.model, 2))
    opened.addAgent('agent_1', {}, 'fake/large')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.end('chat_1')
    await opened.end('chat_1', 'agent_deleted')
    await Promise.all([opened.finalize('chat_1'), opened.finalize('chat_1')])
    await opened.finalize('chat_1')
    scripted.assertConsumed()
    // Both requests ran before either stored its result.
    const used = { model: 'fake/large', ...USAGE, cost: 0.01 }
    expect(JSON.parse((await opened.read('chat_1'))?.analysis_usage ?? '')).toEqual([used, used])
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['chat_ended', 'chat_analyzed'])
    expect((await opened.read('chat_1'))?.end_reason).toBe('request')
  })

  test('waits for its last turn, and an ongoing one is skipped', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.finalize('chat_1')
    expect((await opened.read('chat_1'))?.stored_as).toBeNull()
    await opened.end('chat_1')
    await opened.change('chat_1', { active_turn_id: 'turn_9' })
    await opened.finalize('chat_1')
    expect(await opened.endJobs()).toEqual([{ chatId: 'chat_1' }, { chatId: 'chat_1', waits: 1 }])
    expect(await opened.publishedEvents()).toEqual([])
    await opened.change('chat_1', { active_turn_id: null })
    await opened.finalize('chat_1')
    expect((await opened.read('chat_1'))?.stored_as).toBe('everything')
  })

  test('costs nothing more without analysis items', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { analysisItems: [] }, 'fake/large')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.endAndFinalize('chat_1')
    expect(await opened.read('chat_1')).toMatchObject({ analysis: null, analysed_at: null, stored_as: 'everything' })
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['chat_ended'])
  })
})

describe('failing models', () => {
  test('are retried later and replaced by rules after five attempts', async () => {
    await using opened = await openEndings()
    const scripted = createScriptedModel([buildInvalidReport(USAGE), failWith(), failWith()], { name: 'fake/large' })
    opened.addModel('fake/large', scripted.model)
    opened.addAgent('agent_1', { storage: 'basic_attributes_only' }, 'fake/large')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.end('chat_1')
    const first = opened.finalize('chat_1', 5)
    await expect(advanceUntil(opened.time, first)).rejects.toThrow('The provider is unavailable.')
    scripted.assertConsumed()
    expect((await opened.read('chat_1'))?.stored_as).toBeNull()
    await opened.finalize('chat_1', 6)
    const chat = await opened.read('chat_1')
    expect(JSON.parse(chat?.analysis_usage ?? '')).toEqual([{ model: 'fake/large', ...USAGE, cost: 0.01 }])
    expect(chat?.stored_as).toBe('basic_attributes_only')
    expect(JSON.parse(chat?.analysis ?? '')).toEqual({
      summary: null,
      sentiment: 'Positive',
      successful: true,
      customData: {},
    })
    expect([1, 4, 5].map((attempt) => opened.handler.retryDelayMs?.(attempt))).toEqual([5_000, 600_000, 1_000])
  })

  test('the offline model is not used', async () => {
    await using opened = await openEndings()
    opened.addModel('offline', createOfflineModel())
    opened.addAgent('agent_1')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.end('chat_1', 'agent')
    await opened.finalize('chat_1')
    const chat = await opened.read('chat_1')
    expect(JSON.parse(chat?.analysis ?? '').summary).toContain('The agent ended the conversation.')
    expect(chat?.analysis_usage).toBe('[]')
  })
})

describe('stored content', () => {
  test('is everything except personal data', async () => {
    await using opened = await openEndings()
    opened.addModel('fake/large', createScriptedModel([reports()], { name: 'fake/large' }).model)
    opened.addAgent('agent_1', { storage: 'everything_except_pii', retentionDays: 30 }, 'fake/large')
    await opened.addChat('chat_1', 'agent_1', LINES, VARIABLES)
    await opened.endAndFinalize('chat_1')
    const messages = await opened.messagesOf('chat_1')
    expect(messages.map(({ content }) => content)).toEqual([
      'Hello, this is Robin. May I have your name?',
      '[person_name]',
      'Thank you, [person_name]! And your e-mail address?',
      '[email], card [credit_card]',
      '',
      '{"booking":{"name":"[person_name]","phone":"[phone_number]","price":119}}',
      'Booked, [person_name].',
      'Great, thanks, bye!',
    ])
    expect(JSON.parse(messages[4]?.tool_calls ?? '')[0].function.arguments).toBe('{"email":"[email]","service":"full"}')
    const chat = await opened.read('chat_1')
    expect(JSON.parse(chat?.analysis ?? '').summary).toBe('[person_name] booked a service.')
    expect(chat).toMatchObject({
      given_variables: '{"customer_name":"[person_name]","plan":"gold"}',
      collected_variables: '{"email":"[email]"}',
      metadata: '{"crm":"ana@example.com"}',
      stored_as: 'everything_except_pii',
      delete_at: opened.clock.now() + 30 * 86_400_000,
    })
    expect((await opened.turnsOf('chat_1'))[0]?.explanation).toContain('The user, [email], agreed.')
  })

  test('is nothing that was said after redaction timed out three times', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { storage: 'everything_except_pii' })
    await opened.addChat('chat_1', 'agent_1', LINES, VARIABLES)
    await opened.end('chat_1')
    opened.redactions.failWithTimeout = true
    await expect(opened.finalize('chat_1', 1)).rejects.toThrow('too long')
    await expect(opened.finalize('chat_1', 2)).rejects.toThrow('too long')
    expect(await opened.read('chat_1')).toMatchObject({ stored_as: null })
    await opened.finalize('chat_1', 3)
    expect(await opened.read('chat_1')).toMatchObject({ stored_as: 'basic_attributes_only', given_variables: '{}' })
    expect(await opened.messagesOf('chat_1')).toEqual([])
  })

  test('is nothing that was said', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { storage: 'basic_attributes_only' })
    await opened.addChat('chat_1', 'agent_1', LINES, VARIABLES)
    await opened.endAndFinalize('chat_1')
    expect(await opened.messagesOf('chat_1')).toEqual([])
    expect(await opened.read('chat_1')).toMatchObject({
      given_variables: '{}',
      collected_variables: '{}',
      metadata: VARIABLES.metadata,
      state: null,
    })
    expect((await opened.turnsOf('chat_1'))[0]).toMatchObject({ explanation: '[]', state: null })
  })

  test('follows the policy of the chat after its agent is deleted', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { storage: 'basic_attributes_only', retentionDays: 1 })
    await opened.addChat('chat_1', 'agent_1', LINES)
    opened.removeAgent('agent_1')
    await opened.end('chat_1', 'agent_deleted')
    await opened.finalize('chat_1')
    expect(await opened.messagesOf('chat_1')).toEqual([])
    const chat = await opened.read('chat_1')
    expect(chat).toMatchObject({ stored_as: 'basic_attributes_only', delete_at: expect.any(Number) })
    expect(JSON.parse(chat?.analysis ?? '')).toMatchObject({ sentiment: 'Positive', summary: null })
  })

  test("follows the stricter of both agents after a hand-over, with the hand-over's analysis and webhooks", async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1', { storage: 'everything_except_pii', analysisItems: [RATING] })
    opened.addAgent('agent_2', { retentionDays: 7 })
    const settings = { analysis: 'only_destination_agent', webhooks: 'only_source_agent' }
    const engine = { engineId: 'llm_2', engineVersion: 1 }
    const handOver = { agentId: 'agent_2', agentVersion: 1, agentName: '', ...engine, at: 0, settings }
    await opened.addChat('chat_1', 'agent_1', LINES, { hand_overs: JSON.stringify([handOver]) })
    await opened.endAndFinalize('chat_1')
    const chat = await opened.read('chat_1')
    expect(chat).toMatchObject({ stored_as: 'everything_except_pii', delete_at: expect.any(Number) })
    expect(JSON.parse(chat?.analysis ?? '').customData).toEqual({})
    expect((await opened.publishedEvents())[0]?.agents).toMatchObject([{ url: 'https://agent_1.example.com' }])
  })

  test('can be reduced, even afterwards, and never increased', async () => {
    await using opened = await openEndings()
    opened.addAgent('agent_1')
    await opened.addChat('chat_1', 'agent_1', LINES, VARIABLES)
    await opened.tightenStorage('chat_1', 'everything_except_pii')
    await opened.endAndFinalize('chat_1')
    expect((await opened.messagesOf('chat_1'))[3]?.content).toBe('[email], card [credit_card]')
    await expect(opened.tightenStorage('chat_1', 'everything')).rejects.toMatchObject({ code: 'invalid_request' })

    await opened.tightenStorage('chat_1', 'basic_attributes_only')
    expect(await opened.endJobs()).toHaveLength(2)
    await opened.finalize('chat_1')
    expect(await opened.messagesOf('chat_1')).toEqual([])
    const chat = await opened.read('chat_1')
    expect(chat?.stored_as).toBe('basic_attributes_only')
    expect(JSON.parse(chat?.analysis ?? '')).toMatchObject({ summary: null, sentiment: 'Positive', customData: {} })
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['chat_ended', 'chat_analyzed'])
  })

  test('includes what is written during an analysis, without asking models twice', async () => {
    await using opened = await openEndings()
    const scripted = createScriptedModel([reports()], { name: 'fake/large' })
    const change = { updated_at: 99, override_variables: '{"email":"b@example.com"}' }
    opened.addModel('fake/large', {
      name: 'fake/large',
      async *stream(request) {
        await opened.change('chat_1', change)
        yield* scripted.model.stream(request)
      },
    })
    opened.addAgent('agent_1', { storage: 'everything_except_pii' }, 'fake/large')
    await opened.addChat('chat_1', 'agent_1', LINES)
    await opened.endAndFinalize('chat_1')
    scripted.assertConsumed()
    expect(await opened.read('chat_1')).toMatchObject({
      override_variables: '{"email":"[email]"}',
      stored_as: 'everything_except_pii',
    })
  })
})
