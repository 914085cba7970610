import type { Chat } from '@parley/contract/chat'
import type { ModelUsage } from '@parley/engine/ports'
import { createScriptedModel, failWith, type ScriptedStep } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../../testing/advance-until.ts'
import { notFound } from '../../../kernel/errors.ts'
import { buildInvalidReport, buildReportStep, serveAnalysis } from '../post-processing-test-kit.ts'
import { registerChatAnalysisRoutes } from './chat-analysis-service.ts'
import { openEndings, type TestMessage } from './chat-lifecycle-test-kit.ts'
import { createChatPostProcessing } from './due-chats.ts'

const LINES: readonly TestMessage[] = [
  ['user', 'I need a full service'],
  ['assistant', 'Booked.'],
  ['user', 'Thanks!'],
]
const PATH = 'POST /api/chats/chat_1/analysis'
const BODY = { workspaceId: 1 }

const USAGE: ModelUsage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 }

function buildReport(summary: string): ScriptedStep {
  return buildReportStep({ summary, sentiment: 'Neutral', successful: false }, USAGE)
}

const USED = { model: 'fake/large', ...USAGE, cost: 0.01 }

/** The fields of a response that these tests check. */
const BARE: Omit<Chat, 'chatId' | 'workspaceId' | 'status' | 'chatAnalysis'> = {
  agentId: 'agent_1',
  agentName: '',
  version: 1,
  responseEngine: { type: 'llm', id: 'llm_1', version: 1 },
  agentPath: [],
  type: 'web_chat',
  metadata: {},
  customAttributes: {},
  startedAt: '2026-01-31T00:00:00.000Z',
  endedAt: null,
  transcript: '',
  messages: [],
  chatCost: { total: 0, currency: 'USD', items: [] },
  latencyP50Ms: null,
  retrievedPassages: [],
  collectedDynamicVariables: {},
  service_dynamic_variables: {},
  overrideDynamicVariables: {},
}

async function openAnalysis(steps: Parameters<typeof createScriptedModel>[0]) {
  const opened = await openEndings()
  opened.addModel('fake/large', createScriptedModel(steps, { name: 'fake/large' }).model)
  opened.addAgent('agent_1', {}, 'fake/large')
  await opened.addChat('chat_1', 'agent_1', LINES)
  const readChat = async (workspaceId: number, chatId: string): Promise<Chat> => {
    const row = await opened.read(chatId)
    if (row === undefined) throw notFound('chat', chatId)
    const none = { summary: null, sentiment: null, successful: null, customData: {} }
    const chatAnalysis = row.analysis === null ? none : JSON.parse(row.analysis)
    return { ...BARE, chatId, workspaceId, status: 'completed', chatAnalysis }
  }
  const { analysisService } = createChatPostProcessing({ ...opened, readChat })
  return serveAnalysis(opened, (api) => registerChatAnalysisRoutes(api, analysisService))
}

describe('POST /api/chats/{chatId}/analysis', () => {
  test('analyzes a chat again, counts the usage and publishes the result', async () => {
    await using scene = await openAnalysis([buildReport('First.'), buildReport('Second.')])
    const { opened, routes } = scene
    await opened.endAndFinalize('chat_1')
    const { status, body } = await routes.send(PATH, BODY)
    expect(status).toBe(200)
    expect(body.chatAnalysis).toEqual({ summary: 'Second.', sentiment: 'Neutral', successful: false, customData: {} })
    expect(JSON.parse((await opened.read('chat_1'))?.analysis_usage ?? '')).toEqual([USED, USED])
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual([
      'chat_ended',
      'chat_analyzed',
      'chat_analyzed',
    ])
  })

  test('runs the first analysis of a chat that was not processed yet', async () => {
    await using scene = await openAnalysis([buildReport('First.')])
    const { opened, routes } = scene
    await opened.end('chat_1')
    expect((await routes.send(PATH, BODY)).body.chatAnalysis.summary).toBe('First.')
    expect((await opened.read('chat_1'))?.stored_as).toBe('everything')
    await opened.finalize('chat_1')
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['chat_ended', 'chat_analyzed'])
  })

  test('rejects chats that are ongoing, unknown, of others, or without stored content', async () => {
    await using scene = await openAnalysis([])
    const { opened, routes } = scene
    expect(await routes.send(PATH, BODY)).toMatchObject({ status: 422, body: { code: 'chat_ongoing' } })
    expect(await routes.send('POST /api/chats/chat_9/analysis', BODY)).toMatchObject({ status: 404 })
    expect(await routes.send(PATH, { workspaceId: 2 })).toMatchObject({ status: 404, body: { code: 'not_found' } })
    await opened.end('chat_1')
    await opened.change('chat_1', { active_turn_id: 'turn_1' })
    expect(await routes.send(PATH, BODY)).toMatchObject({ status: 422, body: { code: 'chat_ongoing' } })
    await opened.change('chat_1', { active_turn_id: null, stored_as: 'basic_attributes_only' })
    expect(await routes.send(PATH, BODY)).toMatchObject({ status: 422, body: { code: 'chat_not_stored' } })
  })

  test('starts again when storage is reduced during the analysis, and rejects when nothing is left', async () => {
    await using scene = await openAnalysis([])
    const { opened, routes } = scene
    const { model } = createScriptedModel(['First.', 'Of Ana.', 'Of nobody.', 'Last.'].map(buildReport), {
      name: 'fake/large',
    })
    const settings = [null, 'everything_except_pii', null, 'basic_attributes_only'] as const
    scene.finalizeOnRequest('chat_1', model, settings)
    await opened.endAndFinalize('chat_1')
    expect((await routes.send(PATH, BODY)).body.chatAnalysis.summary).toBe('Of nobody.')
    expect(await routes.send(PATH, BODY)).toMatchObject({ status: 422, body: { code: 'chat_not_stored' } })
    const chat = await opened.read('chat_1')
    expect(JSON.parse(chat?.analysis_usage ?? '')).toEqual([USED, USED, USED, USED])
  })

  test('keeps earlier results when no model responds, and counts the usage', async () => {
    await using scene = await openAnalysis([buildReport('First.'), buildInvalidReport(USAGE), failWith(), failWith()])
    const { opened, routes } = scene
    await opened.endAndFinalize('chat_1')
    const failed = await advanceUntil(opened.time, routes.send(PATH, BODY), 50)
    expect(failed).toMatchObject({ status: 502, body: { code: 'provider_error' } })
    const chat = await opened.read('chat_1')
    expect(JSON.parse(chat?.analysis ?? '').summary).toBe('First.')
    expect(JSON.parse(chat?.analysis_usage ?? '')).toEqual([USED, USED])
  })

  test('requires the right to hold conversations', async () => {
    await using scene = await openAnalysis([])
    scene.routes.actAs({ role: 'end_user', scopes: new Set(['read']), workspaces: new Map() })
    expect((await scene.routes.send(PATH, BODY)).status).toBe(403)
  })
})
