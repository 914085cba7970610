import type { ModelUsage } from '@parley/engine/ports'
import { createScriptedModel, failWith, type ScriptedStep } from '@parley/engine/testing/scripted-model'
import { describe, expect, test } from 'vitest'
import { advanceUntil } from '../../../../../../testing/advance-until.ts'
import { createCallService } from '../../calls/call-service.ts'
import { RECORDS_ONLY } from '../../calls/call-test-kit.ts'
import { buildInvalidReport, buildReportStep, serveAnalysis } from '../post-processing-test-kit.ts'
import { registerCallAnalysisRoutes } from './call-analysis-service.ts'
import { buildAgentMessage, buildUserMessage, openCallEndings } from './call-lifecycle-test-kit.ts'
import { createCallPostProcessing } from './call-post-processing.ts'

const PATH = 'POST /api/v1/calls/call_1/analysis'

const USAGE: ModelUsage = { inputTokens: 100, outputTokens: 20, cachedInputTokens: 0 }

function buildReport(summary: string): ScriptedStep {
  return buildReportStep({ summary, sentiment: 'Neutral', successful: false }, USAGE)
}

async function openAnalysis(steps: Parameters<typeof createScriptedModel>[0]) {
  const opened = await openCallEndings()
  opened.addModel('fake/large', createScriptedModel(steps, { name: 'fake/large' }).model)
  opened.addAgent('agent_1', {}, 'fake/large')
  await opened.addCall('call_1', 'agent_1', [
    buildUserMessage('I need a service'),
    buildAgentMessage('Booked.'),
    buildUserMessage('Thanks!'),
  ])
  const calls = createCallService({ ...opened, ...RECORDS_ONLY })
  const { analysisService } = createCallPostProcessing({ ...opened, getCall: calls.get })
  return serveAnalysis(opened, (api) => registerCallAnalysisRoutes(api, analysisService))
}

describe('POST /api/v1/calls/{callId}/analysis', () => {
  test('analyzes a call again, counts the usage and publishes the result', async () => {
    await using scene = await openAnalysis([buildReport('First.'), buildReport('Second.')])
    const { opened, routes } = scene
    await opened.endAndFinalize('call_1')
    const { status, body } = await routes.send(PATH)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      success: true,
      call: { summary: 'Second.', sentiment: 'Neutral', successful: false, customAnalysisData: {} },
    })
    expect(body.call.costBreakdown).toMatchObject([
      { product: 'analysis', model: 'fake/large', quantity: 200, unit: 'input-token', cost: 0.0002 },
      { product: 'analysis', model: 'fake/large', quantity: 40, unit: 'output-token', cost: 0.00008 },
    ])
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual([
      'call_ended',
      'call_analyzed',
      'call_analyzed',
    ])
  })

  test('runs the first analysis of a call that was not processed yet', async () => {
    await using scene = await openAnalysis([buildReport('First.')])
    const { opened, routes } = scene
    await opened.end('call_1')
    expect((await routes.send(PATH)).body.call.summary).toBe('First.')
    expect((await opened.read('call_1'))?.stored_as).toBe('everything')
    await opened.finalize('call_1')
    expect((await opened.publishedEvents()).map(({ event }) => event)).toEqual(['call_ended', 'call_analyzed'])
  })

  test('rejects calls that are ongoing, unknown, of others, or without stored content', async () => {
    await using scene = await openAnalysis([])
    const { opened, routes } = scene
    expect(await routes.send(PATH)).toMatchObject({ status: 422, body: { code: 'in_use', success: false } })
    expect(await routes.send('POST /api/v1/calls/call_9/analysis')).toMatchObject({ status: 404 })
    await opened.end('call_1')
    await opened.change('call_1', { stored_as: 'basic_attributes_only' })
    expect(await routes.send(PATH)).toMatchObject({ status: 422, body: { code: 'call_not_stored' } })
    await opened.addCall('call_2', 'agent_1', [], { started_at: null, status: 'not_connected' })
    expect(await routes.send(PATH.replace('call_1', 'call_2'))).toMatchObject({ body: { code: 'call_not_stored' } })
    routes.actAs({ workspaces: new Map([[2, { level: 'account', accountSid: '' }]]) })
    expect(await routes.send(PATH)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    routes.actAs({ role: 'end_user', workspaces: new Map([[1, { level: 'viewer', accountSid: '' }]]) })
    expect((await routes.send(PATH)).status).toBe(403)
  })

  test('starts again when storage is reduced during the analysis, and rejects when nothing is left', async () => {
    await using scene = await openAnalysis([])
    const { opened, routes } = scene
    const { model } = createScriptedModel(['First.', 'Of Ana.', 'Of nobody.', 'Last.'].map(buildReport), {
      name: 'fake/large',
    })
    const settings = [null, 'everything_except_pii', null, 'basic_attributes_only'] as const
    scene.finalizeOnRequest('call_1', model, settings)
    await opened.endAndFinalize('call_1')
    expect((await routes.send(PATH)).body.call.summary).toBe('Of nobody.')
    expect(await routes.send(PATH)).toMatchObject({ status: 422, body: { code: 'call_not_stored' } })
    expect(await opened.read('call_1')).toMatchObject({ summary: null, cost_gross: 4 * 140 })
  })

  test('keeps earlier results when no model responds, and counts the usage', async () => {
    await using scene = await openAnalysis([buildReport('First.'), buildInvalidReport(USAGE), failWith(), failWith()])
    const { opened, routes } = scene
    await opened.endAndFinalize('call_1')
    const failed = await advanceUntil(opened.time, routes.send(PATH), 50)
    expect(failed).toMatchObject({ status: 502, body: { code: 'provider_error' } })
    expect(await opened.read('call_1')).toMatchObject({ summary: 'First.', cost_gross: 2 * 140 })
  })
})
