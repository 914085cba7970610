import { type AnalysisItem, CHAT_ANALYSIS_PRESETS } from '@parley/contract/after-conversation'
import { describe, expect, test } from 'vitest'
import type { LanguageModel } from '../../ports.ts'
import { createManualClock } from '../../testing/manual-clock.ts'
import { callTools, createScriptedModel, failWith, replyWith, type ScriptedStep } from '../../testing/scripted-model.ts'
import type { HistoryMessage } from '../conversation.ts'
import { analyzeConversation } from './analyze-conversation.ts'
import type { AnalyzedConversation } from './analyzed-conversation.ts'

const user = (content: string): HistoryMessage => ({ role: 'user', content })
const agent = (content: string): HistoryMessage => ({ role: 'assistant', content, toolCalls: [] })

const HISTORY = [
  agent('Hello, how can I help?'),
  user('Hi, I would like to book a full service.'),
  agent('Booked for Friday.'),
  user('Great, thank you!'),
]

const ITEMS: readonly AnalysisItem[] = [
  ...CHAT_ANALYSIS_PRESETS,
  { type: 'enum', name: 'service', description: 'What was booked', choices: ['basic service', 'full service'] },
  { type: 'number', name: 'Rating (1-5)', description: 'Of the talk', conditional_prompt: 'they were asked' },
  { type: 'string', name: 'reason', description: 'Why they came', examples: ['a flat tire'], required: true },
]

const REPORT = {
  summary: 'The user booked a full service.',
  sentiment: 'Positive',
  successful: true,
  fields: { service: 'full service', 'field-2': 4, reason: 'maintenance' },
}

function conversation(history: readonly HistoryMessage[] = HISTORY): AnalyzedConversation {
  return { history, collectedVariables: {}, endedBy: 'user', lastTurnFailed: false, today: '2026-01-31' }
}

async function analyse(
  steps: readonly ScriptedStep[],
  options: { items?: readonly AnalysisItem[]; history?: HistoryMessage[]; contextTokens?: number } = {},
) {
  const time = createManualClock()
  const scripted = createScriptedModel(steps, {
    name: 'fake/judge',
    ...(options.contextTokens !== undefined && { contextTokens: options.contextTokens }),
  })
  const models: Record<string, LanguageModel> = {
    'fake/judge': scripted.model,
    offline: createScriptedModel([], { name: 'offline' }).model,
  }
  const running = analyzeConversation(
    {
      resolveModel: (name) => models[name] ?? null,
      clock: time.clock,
      deadlines: { firstTokenMs: 1_000, idleMs: 1_000, totalMs: 5_000 },
    },
    {
      conversation: conversation(options.history),
      items: options.items ?? ITEMS,
      modelNames: ['gone/model', 'fake/judge', 'offline'],
      signal: new AbortController().signal,
    },
  )
  await time.advance(1_000)
  const outcome = await running
  scripted.assertConsumed()
  return { outcome, requests: scripted.requests }
}

const usage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 }

describe('by a model', () => {
  test('one request answers all questions and reports its usage', async () => {
    const step = callTools(['report_analysis', REPORT])
    const { outcome, requests } = await analyse([
      { events: [...step.events.slice(0, -1), { type: 'finish', reason: 'tool-calls', usage }] },
    ])
    expect(outcome).toEqual({
      type: 'found',
      method: 'model',
      analysis: {
        summary: 'The user booked a full service.',
        sentiment: 'Positive',
        successful: true,
        customData: { service: 'full service', 'Rating (1-5)': 4, reason: 'maintenance' },
      },
      usages: [{ model: 'fake/judge', usage }],
    })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ toolChoice: 'required', tools: [{ name: 'report_analysis' }] })
    const schema = JSON.stringify(requests[0]?.tools[0]?.parameters)
    expect(schema).toContain('Rating (1-5): Of the talk Only when: they were asked')
    expect(schema).toContain('For example: a flat tire.')
    const text = requests[0]?.messages.at(-1)?.content
    expect(text).toContain('User: Hi, I would like to book a full service.\nAgent: Booked for Friday.')
  })

  test('an invalid report is corrected once', async () => {
    const { outcome, requests } = await analyse([
      callTools(['report_analysis', { ...REPORT, sentiment: 'Ecstatic', fields: { service: 'wash' } }]),
      callTools(['report_analysis', REPORT]),
    ])
    expect(outcome).toMatchObject({ method: 'model', analysis: { sentiment: 'Positive' } })
    const toolMessage = requests[1]?.messages.at(-1)
    expect(toolMessage?.role).toBe('tool')
    expect(toolMessage?.content).toContain('sentiment must be equal to one of the allowed values')
    expect(toolMessage?.content).toContain('fields.service must be equal to one of the allowed values')
  })

  test('without a valid report rules analyze the conversation', async () => {
    const { outcome } = await analyse([replyWith('All fine.'), replyWith('Really.')])
    expect(outcome).toMatchObject({
      type: 'found',
      method: 'rules',
      analysis: { sentiment: 'Positive', successful: false },
    })
  })

  test('accepts JSON in text as a report', async () => {
    const { outcome } = await analyse([replyWith('```json\n', JSON.stringify(REPORT), '\n```')])
    expect(outcome).toMatchObject({ method: 'model', analysis: { customData: { reason: 'maintenance' } } })
  })

  test('reports retryable failures and replaces others with rules', async () => {
    expect((await analyse([failWith(), failWith()])).outcome).toMatchObject({ type: 'failed' })
    const refused = await analyse([failWith({ kind: 'unauthorized', retryable: false })])
    expect(refused.outcome).toMatchObject({ type: 'found', method: 'rules' })
  })

  test('a missing required value makes the conversation unsuccessful', async () => {
    const { outcome } = await analyse([
      callTools(['report_analysis', { ...REPORT, fields: { service: 'full service' } }]),
    ])
    expect(outcome).toMatchObject({
      analysis: { successful: false, customData: { reason: null, 'Rating (1-5)': null } },
    })
  })

  test('sends both ends of a long conversation, within the context window', async () => {
    const middle = Array.from({ length: 400 }, (_, index) => user(`line ${index} ${'x'.repeat(100)}`))
    const history = [user('the very first'), ...middle, user('the very last')]
    const { requests } = await analyse([callTools(['report_analysis', REPORT])], { history, contextTokens: 8_000 })
    const text = String(requests[0]?.messages.at(-1)?.content)
    expect(text.length).toBeLessThan(8_000 * 4)
    expect(text.replaceAll('\n', ' ')).toMatch(
      /the very first.*line 0 .*\[\d+ lines omitted\].*line 399 .*the very last/,
    )
  })

  test('calls no model without questions or without a user message', async () => {
    const none = await analyse([], { items: [] })
    expect(none.outcome).toMatchObject({
      analysis: { summary: null, sentiment: null, successful: null, customData: {} },
    })
    const silent = await analyse([], { history: [agent('Hello?')] })
    expect(silent.outcome).toMatchObject({ analysis: { sentiment: 'Unknown', successful: false } })
  })
})
