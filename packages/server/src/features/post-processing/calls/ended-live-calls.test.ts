import type { CallEventEntry } from '@parley/contract/call-event'
import { expect, test } from 'vitest'
import type { BatchStatement } from '../../../kernel/storage/database.ts'
import { createSharedClock } from '../../../kernel/work/shared-clock.ts'
import { createJobQueue } from '../../../platform/queue/job-queue.ts'
import type { CallEvents } from '../../calls/call-events.ts'
import { openLiveCalls } from '../../calls/live-call-test-kit.ts'
import { buildTranscript } from '../../calls/records/call-stats.ts'
import type { WebhookEvents } from '../../webhooks/webhook-ports.ts'
import { performRedaction, type RedactionTask } from '../redaction-tasks.ts'
import { type CallLifecycle, createCallLifecycle } from './call-lifecycle.ts'
import { buildAgentMessage, buildUsage, buildUserMessage, readDump } from './call-lifecycle-test-kit.ts'
import { createCallPostProcessing } from './call-post-processing.ts'

const WORDS = /zanzibar|Petrov/i

const SAID: readonly CallEventEntry[] = [
  buildAgentMessage('Your name, please?'),
  buildUserMessage('My name is Ana Petrov of Zanzibar Street'),
  { type: 'tool-call', turnId: 'turn_1', toolCallId: 'c', name: 'book', arguments: '{"city":"Zanzibar"}' },
  { type: 'variables', variables: { city: 'Zanzibar' } },
  { type: 'turn', turnId: 'turn_1', latency: null, decisions: [{ why: 'Zanzibar' }] },
  buildUsage('llm', 'offline', 100, 'input-token'),
  buildUsage('transcription', 'browser', 10, 'second'),
]

/** Opens live calls connected to post-processing as in the server. */
async function openWired() {
  const publishedEvents: string[] = []
  const wired: { lifecycle?: CallLifecycle } = {}
  const lifecycle = (): CallLifecycle => {
    if (wired.lifecycle === undefined) throw new Error('not wired yet')
    return wired.lifecycle
  }
  const events: CallEvents = {
    getInitialColumns: (...given) => lifecycle().getInitialColumns(...given),
    tightenStorage: (...given) => lifecycle().tightenStorage(...given),
    onStarted: (call) => lifecycle().onStarted(call),
    onTurnsEnded: (callIds) => lifecycle().onTurnsEnded(callIds),
    onEnded: (call, end) => lifecycle().onEnded(call, end),
    onRemoved: (call) => lifecycle().onRemoved(call),
  }
  const calls = await openLiveCalls({ events })
  const { database, time, makeId, agentResolver: agents } = calls
  const { clock: processClock } = time
  const clock = createSharedClock(processClock)
  const jobs = createJobQueue({ database, clock, makeId })
  const webhooks: WebhookEvents = {
    buildStatements: async ({ event }) => {
      publishedEvents.push(event)
      return []
    },
    buildDeleteStatements: ({ id }) => {
      publishedEvents.push(`forget ${id}`)
      return []
    },
  }
  const dependencies = {
    database,
    clock,
    processClock,
    jobs,
    agents,
    webhooks,
    models: { forWorkspace: async () => ({ resolve: () => null }) },
    computeCost: () => 0,
    computeSpeechCost: () => 0,
    buildTranscript,
    redaction: { run: async (_workspaceId: number, task: RedactionTask) => performRedaction(task) },
    buildRecordingRemoval: (callId: string): BatchStatement =>
      jobs.buildEnqueueStatement({ kind: 'forget-sound', payload: { callId } }),
    getCall: calls.node.records.get,
  }
  wired.lifecycle = createCallLifecycle(dependencies)
  const callPostProcessing = createCallPostProcessing({ ...dependencies, lifecycle: wired.lifecycle })
  const finalize = async (callId: string): Promise<void> => {
    const job = { jobId: 'job_1', kind: 'call-ended', payload: { callId }, attempt: 1, maxAttempts: 10 }
    await callPostProcessing.handlers['call-ended']?.run(job, new AbortController().signal)
  }
  return {
    calls,
    publishedEvents,
    finalize,
    /** Runs a call with speech to its end and through post-processing. */
    async runCall(body: object, beforeEnd: (callId: string) => Promise<void> = async () => undefined) {
      const { callId, accessToken } = await calls.create(body)
      await calls.node.join(accessToken)
      const journal = calls.node.journals.open(callId, clock.now())
      for (const entry of SAID) journal.append(entry)
      await calls.flush()
      await journal.close()
      await beforeEnd(callId)
      await calls.node.callEnder.endById(callId, { reason: 'user_hangup', collectedVariables: { city: 'Zanzibar' } })
      await finalize(callId)
      return callId
    },
    dump: () => readDump(database),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  }
}

test('no table contains a word of a call that opted out after its end', async () => {
  await using wired = await openWired()
  const callId = await wired.runCall({
    optOutSensitiveDataStorage: true,
    dynamicVariables: { street: 'Zanzibar Street' },
  })
  expect(await wired.dump()).not.toMatch(WORDS)
  expect(await wired.calls.get(callId)).toMatchObject({
    status: 'ended',
    transcript: '',
    collectedDynamicVariables: {},
    service_dynamic_variables: {},
    costs: { voice: 0, llm: 0, gross: 0, total: 0 },
    optOutSensitiveDataStorage: true,
  })
  const { body } = await wired.calls.send(`GET /api/v1/calls/${callId}/transcript`)
  expect(body).toMatchObject({ transcript: '', entries: [] })
})

test('other calls keep their words, publish each step once, and are gone after deletion', async () => {
  await using wired = await openWired()
  const callId = await wired.runCall({})
  expect(await wired.dump()).toMatch(WORDS)
  expect(await wired.calls.get(callId)).toMatchObject({
    transcript: expect.stringContaining('Ana Petrov'),
    sentiment: 'Neutral',
    costBreakdown: [
      { product: 'llm', quantity: 100, cost: 0 },
      { product: 'transcription', quantity: 10, cost: 0 },
    ],
  })
  expect(wired.publishedEvents).toEqual(['call_started', 'transcript_updated', 'call_ended', 'call_analyzed'])
  expect((await wired.calls.send(`DELETE /api/v1/calls/${callId}`)).status).toBe(204)
  expect(wired.publishedEvents.at(-1)).toBe(`forget ${callId}`)
})

test('a PATCH reduces what is stored of a call before and after its end', async () => {
  await using wired = await openWired()
  const patch = async (callId: string, setting: string) =>
    (await wired.calls.send(`PATCH /api/v1/calls/${callId}`, { data_storage_setting: setting })).status
  const callId = await wired.runCall({}, async (liveCallId) => {
    expect(await patch(liveCallId, 'everything_except_pii')).toBe(200)
    expect(await patch(liveCallId, 'everything')).toBe(400)
  })
  expect((await wired.calls.get(callId)).transcript).toMatch(/User: My name is \[person_name\]/)
  expect(await wired.dump()).not.toMatch(/Petrov/)
  expect(await patch(callId, 'everything')).toBe(400)
  expect(await patch(callId, 'basic_attributes_only')).toBe(200)
  await wired.finalize(callId)
  expect(await wired.calls.get(callId)).toMatchObject({ transcript: '', sentiment: 'Neutral' })
  expect(await wired.dump()).not.toMatch(WORDS)
})
