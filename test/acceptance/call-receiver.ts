import type { Call } from '@parley/contract/call'
import type { WebhookDelivery, WebhookDeliveryDetail } from '@parley/contract/webhook'
import { expect } from 'vitest'
import type { JobRow } from '../../packages/server/src/tables/work-tables.ts'
import { isAnalysisRequest, type ModelReply, type ModelServerRequest } from '../../testing/model-server/reply.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { withDatabase } from '../../testing/server-database.ts'
import { expectBody, read, send } from '../../testing/server-test.ts'
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../testing/webhook-receiver/webhook-receiver.ts'
import { readCall } from '../full/call-scene.ts'
import { eventually } from '../full/cluster.ts'

/** Response delay, so that kills hit pending requests. */
const ANSWER_MS = 150
/** Number of words in a report, so that kills hit running jobs. */
const REPORT_MS_PER_WORD = 250
/** Time in which requests of a dead node can still arrive. */
const IN_FLIGHT_READ_MS = 1_000
/** Timeout until the end and analysis of each killed call are acknowledged. */
const WEBHOOK_TIMEOUT_MS = 30_000
/** Timeout until the work of a dead node is taken over. */
const JOB_TIMEOUT_MS = 20_000
/** Kinds of the jobs that follow a call. */
const JOBS = ['call-ended', 'tell-webhook-event']

/** All events of a joined call, in order. */
const EVENTS = ['call_started', 'call_ended', 'call_analyzed'] as const
type CallEventName = (typeof EVENTS)[number]

const REPORT = {
  summary: 'The caller wanted this and that, and was told what there is.',
  successful: true,
  sentiment: 'Neutral',
}

/** A customer's server in this process that receives all call events of a workspace. */
export interface CallReceiver extends AsyncDisposable {
  readonly port: number
  /** Adds a webhook to the first workspace of this server. */
  subscribeTo(server: RunningServer): Promise<void>
  /** Received webhooks of a call in order, including repetitions. */
  about(callId: string): readonly ReceivedWebhook[]
  /** Names of the call's events without repetitions. */
  eventsOf(callId: string): readonly string[]
}

export async function startCallReceiver(): Promise<CallReceiver> {
  const receiver: WebhookReceiver = await startWebhookReceiver()
  receiver.setReply(() => ({ kind: 'slow', gate: new Promise((resolve) => setTimeout(resolve, ANSWER_MS)) }))
  const about = (callId: string) => receiver.received.filter(({ body }) => (body.call as Call).callId === callId)
  return {
    port: receiver.port,
    async subscribeTo(server) {
      await expectBody(201, send(server, 'POST', '/api/webhooks', { url: receiver.url, events: EVENTS }))
    },
    about,
    eventsOf: (callId) => uniqueWebhooks(about(callId)).map(({ event }) => event),
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

/** Returns a slow analysis report, or null for other model requests. */
export function analysisReply(request: ModelServerRequest): ModelReply | null {
  if (!isAnalysisRequest(request)) return null
  return { text: JSON.stringify(REPORT), delayPerWordMs: REPORT_MS_PER_WORD }
}

/**
 * Waits until everything about these calls was acknowledged, by answers that were heard and written. Tells when, as
 * `performance.now()` counts, that was seen of the last of them, for each event.
 */
async function waitForWebhooks(
  server: RunningServer,
  callIds: readonly string[],
  timeoutMs: number,
): Promise<Readonly<Record<CallEventName, number>>> {
  const times = { call_started: 0, call_ended: 0, call_analyzed: 0 }
  const missing = new Map(callIds.map((callId) => [callId, new Set<CallEventName>(EVENTS)]))
  const check = async (): Promise<true | null> => {
    for (const [callId, events] of missing) {
      const delivered = (await deliveriesOf(server, callId)).filter(({ status }) => status === 'delivered')
      for (const event of EVENTS) {
        if (!delivered.some((delivery) => delivery.event === event) || !events.delete(event)) continue
        times[event] = performance.now()
      }
      if (events.size === 0) missing.delete(callId)
    }
    return missing.size === 0 || null
  }
  await eventually('webhooks of calls', timeoutMs, check).catch((error) => {
    throw new Error(JSON.stringify([...missing].map(([callId, events]) => [callId, ...events])), { cause: error })
  })
  return times
}

/** Time from the kill to the last event of a killed call. */
export interface WebhookTimes {
  readonly endedMs: number
  readonly analyzedMs: number
}

/** Waits for the events of all ended calls; rejects when they are later than promised. */
export async function waitForTargetCallWebhooks(
  server: RunningServer,
  callIds: readonly string[],
  killedAtMs: number,
): Promise<WebhookTimes> {
  const calls = await Promise.all(callIds.map((callId) => readCall(server, callId)))
  // Calls that nobody joined continue.
  const endedCallIds = calls.filter(({ status }) => status !== 'registered').map(({ callId }) => callId)
  const times = await waitForWebhooks(server, endedCallIds, WEBHOOK_TIMEOUT_MS - (performance.now() - killedAtMs))
  const webhookTimes = { endedMs: times.call_ended - killedAtMs, analyzedMs: times.call_analyzed - killedAtMs }
  expect(Math.max(webhookTimes.endedMs, webhookTimes.analyzedMs)).toBeLessThan(WEBHOOK_TIMEOUT_MS)
  return webhookTimes
}

/** Checks that every event of these calls arrived; returns the number of repeated deliveries. */
export async function checkWebhooks(
  server: RunningServer,
  receiver: CallReceiver,
  { callIds, killedAtMs }: { readonly callIds: readonly string[]; readonly killedAtMs: number },
): Promise<number> {
  await waitForWebhooks(server, callIds, WEBHOOK_TIMEOUT_MS)
  let repetitions = 0
  for (const callId of callIds) repetitions += await checkCallWebhooks(server, receiver, { callId, killedAtMs })
  return repetitions
}

/**
 * Each event of a call arrived once, in order, under one id, and matches the stored call. What came again came because a
 * node was killed in between.
 */
async function checkCallWebhooks(
  server: RunningServer,
  receiver: CallReceiver,
  { callId, killedAtMs }: { readonly callId: string; readonly killedAtMs: number },
): Promise<number> {
  const call = await readCall(server, callId)
  const about = receiver.about(callId)
  const firsts = uniqueWebhooks(about)
  const label = `${callId}, ${call.disconnectionReason}`
  expect(receiver.eventsOf(callId), label).toEqual(EVENTS)
  expect(new Set(about.map(({ body }) => body.event_id)).size, label).toBe(EVENTS.length)
  for (const { event, body } of about) checkBody(event as CallEventName, body.call as Call, call)

  const deliveries = await deliveriesOf(server, callId)
  expect(deliveries.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(firsts.map(({ id }) => id).toSorted())
  for (const { deliveryId } of deliveries) {
    const detail = await expectBody(200, read<WebhookDeliveryDetail>(server, `/api/webhook-deliveries/${deliveryId}`))
    expect(detail, label).toMatchObject({ status: 'delivered', lastStatus: 200, lastError: null, nextAttemptAt: null })
    const requests = about.filter(({ id }) => id === deliveryId)
    for (const { rawBody } of requests) expect(rawBody.toString()).toBe(detail.requestBody)
    for (const [index, { event, receivedAtMs }] of requests.entries()) {
      const before = requests[index - 1]?.receivedAtMs
      if (before === undefined) continue
      const kill = `${event} of ${label} at ${before} and ${receivedAtMs}, killed at ${killedAtMs}`
      expect(before <= killedAtMs + IN_FLIGHT_READ_MS && killedAtMs <= receivedAtMs, kill).toBe(true)
    }
  }
  return about.length - firsts.length
}

function checkBody(event: CallEventName, webhookTimes: Call, call: Call): void {
  if (event === 'call_started') return
  const end = ({ status, disconnectionReason, durationMs, transcript }: Call) => [
    status,
    disconnectionReason,
    durationMs,
    transcript,
  ]
  expect(end(webhookTimes), event).toEqual(end(call))
  const analysis = ({ summary, customAnalysisData }: Call) => [summary, customAnalysisData]
  expect(analysis(webhookTimes), event).toEqual(event === 'call_ended' ? [null, {}] : analysis(call))
}

/** Adds the jobs about calls that are under way, on whichever node: soon after a kill those of the dead are among them. */
export async function recordRunningJobs(server: RunningServer, jobIds: Set<string>): Promise<void> {
  for (const { job_id, status } of await readJobs(server)) if (status === 'running') jobIds.add(job_id)
}

/**
 * Jobs about calls get done, begun again at most once, and only where a kill found them under way. Resolves with how many were
 * begun again.
 */
export async function countRetriedJobs(server: RunningServer, runningAtKills: ReadonlySet<string>): Promise<number> {
  return await eventually('jobs to be done', JOB_TIMEOUT_MS, async () => {
    const jobs = await readJobs(server)
    const wasKilled = ({ job_id, attempts }: JobRow) => attempts === 2 && runningAtKills.has(job_id)
    expect(jobs.filter((job) => job.status === 'failed' || (job.attempts > 1 && !wasKilled(job)))).toEqual([])
    return jobs.every(({ status }) => status === 'done') ? jobs.filter(wasKilled).length : null
  })
}

function readJobs(server: RunningServer): Promise<JobRow[]> {
  return withDatabase(server, ({ read: reader }) =>
    reader.selectFrom('jobs').selectAll().where('kind', 'in', JOBS).execute(),
  )
}

function deliveriesOf(server: RunningServer, callId: string): Promise<WebhookDelivery[]> {
  return expectBody(200, read<WebhookDelivery[]>(server, '/api/webhook-deliveries', { callId }))
}

function uniqueWebhooks(webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  return webhooks.filter(({ id }, index) => webhooks.findIndex((other) => other.id === id) === index)
}
