import type { Agent } from '@parley/contract/agent'
import type { Chat } from '@parley/contract/chat'
import type { WebhookDelivery, WebhookDeliveryDetail } from '@parley/contract/webhook'
import { expect, test } from 'vitest'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { complete, createAgent, createChat, expectBody, read, readChat, send } from '../../testing/server-test.ts'
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../testing/webhook-receiver/webhook-receiver.ts'
import { eventually } from '../full/cluster.ts'

/** Number of kills. Use a lower number to try out the test. */
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const CLIENTS = 4
/** Response delay that keeps requests pending during a kill. */
const ANSWER_MS = 15
/** Time limit for all deliveries. Another process takes over after 15 seconds. */
const DRAIN_MS = 45_000

const EVENTS = ['chat_started', 'chat_ended', 'chat_analyzed']

/** Chats that the server acknowledged, and its kills. */
interface ClientState {
  /** Whether the end of each created chat was acknowledged. */
  readonly chats: Map<string, boolean>
  /** Times of each kill and exit on the receiver's clock. */
  readonly kills: { readonly fromMs: number; readonly toMs: number }[]
}

test('every event of an acknowledged chat arrives in order despite SIGKILLs, and the log is complete', async () => {
  await using receiver = await startWebhookReceiver()
  receiver.setReply(() => ({ kind: 'slow', gate: new Promise((resolve) => setTimeout(resolve, ANSWER_MS)) }))
  await using server = await runServer({
    embedded: true,
    env: { ALLOW_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}` },
  })
  const agent = await createAgent(server)
  await expectBody(201, send(server, 'POST', '/api/webhooks', { url: receiver.url, events: EVENTS }))
  const expected: ClientState = { chats: new Map(), kills: [] }
  const kill = createKiller(server, receiver, expected)
  for (let round = 0; round < ROUNDS; round += 1) {
    const killTrigger = kill(12 + ((round * 17) % 40))
    await Promise.all(Array.from({ length: CLIENTS }, () => converse(server, agent, { expected, killTrigger })))
    await killTrigger.done
    await server.start()
    await endRemainingChats(server, expected)
  }
  const chats = await listChats(server)
  for (const chatId of expected.chats.keys()) expect(chats).toContain(chatId)
  expect(expected.chats.size).toBeGreaterThan(ROUNDS * 3)
  await drain(server, receiver, chats.length)

  for (const chatId of chats) await checkChat(server, receiver, chatId)
  checkRepetitions(receiver, expected)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})

interface KillTrigger {
  readonly isKilled: () => boolean
  readonly done: Promise<unknown>
}

/** Returns a function that kills the server on the nth webhook from now, before it gets a response. */
function createKiller(
  server: RunningServer,
  receiver: WebhookReceiver,
  { kills }: ClientState,
): (after: number) => KillTrigger {
  let remainingWebhooks = Infinity
  let done = Promise.withResolvers<unknown>()
  receiver.onReceived(() => {
    remainingWebhooks -= 1
    if (remainingWebhooks !== 0) return
    const fromMs = performance.now()
    const killing = server.kill('SIGKILL').then(() => kills.push({ fromMs, toMs: performance.now() }))
    done.resolve(killing)
  })
  return (after) => {
    remainingWebhooks = after
    done = Promise.withResolvers()
    return { isKilled: () => remainingWebhooks <= 0, done: done.promise }
  }
}

interface Role {
  readonly expected: ClientState
  readonly killTrigger: KillTrigger
}

/** Starts, continues and ends chats until the server stops. */
async function converse(server: RunningServer, agent: Agent, { expected, killTrigger }: Role): Promise<void> {
  while (!killTrigger.isKilled()) {
    try {
      const { chatId } = await createChat(server, agent)
      expected.chats.set(chatId, false)
      await complete(server, chatId, 'Hello, my name is Anna.')
      await endChat(server, chatId)
      expected.chats.set(chatId, true)
    } catch (error) {
      if (!killTrigger.isKilled()) throw error
    }
  }
}

function endChat(server: RunningServer, chatId: string): Promise<Chat> {
  return expectBody(200, send<Chat>(server, 'POST', `/api/chats/${chatId}/end`))
}

/** Ends every chat whose end was not acknowledged. Ending a chat twice is harmless. */
async function endRemainingChats(server: RunningServer, { chats }: ClientState): Promise<void> {
  for (const chatId of await listChats(server)) {
    if (chats.get(chatId) === true) continue
    await endChat(server, chatId)
    chats.set(chatId, true)
  }
}

async function listChats(server: RunningServer): Promise<string[]> {
  const listed = await expectBody(200, read<{ chatId: string }[]>(server, '/api/chats', { limit: 1000 }))
  return listed.map(({ chatId }) => chatId)
}

/** Waits until every event was published and no delivery is pending. */
async function drain(server: RunningServer, receiver: WebhookReceiver, chats: number): Promise<void> {
  await eventually('all webhooks', DRAIN_MS, async () => {
    const ids = new Set(receiver.received.map(({ id }) => id))
    if (ids.size < chats * EVENTS.length) return null
    const pending = { status: 'pending', limit: 1 }
    const remainingWebhooks = await expectBody(200, read<WebhookDelivery[]>(server, '/api/webhook-deliveries', pending))
    return remainingWebhooks.length === 0 ? true : null
  })
}

/** Checks that each event of a chat arrived in order, was logged once and that the last contains the analysis. */
async function checkChat(server: RunningServer, { received }: WebhookReceiver, chatId: string): Promise<void> {
  const about = received.filter(({ body }) => (body.chat as Chat).chatId === chatId)
  const firsts = uniqueWebhooks(about)
  expect(
    firsts.map(({ event }) => event),
    chatId,
  ).toEqual(EVENTS)
  expect(new Set(about.map(({ body }) => body.event_id)).size).toBe(EVENTS.length)

  const deliveries = await expectBody(200, read<WebhookDelivery[]>(server, '/api/webhook-deliveries', { chatId }))
  expect(deliveries.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(firsts.map(({ id }) => id).toSorted())
  for (const { deliveryId } of deliveries) {
    const path = `/api/webhook-deliveries/${deliveryId}`
    const detail = await expectBody(200, read<WebhookDeliveryDetail>(server, path))
    checkLog(
      detail,
      about.filter(({ id }) => id === deliveryId),
    )
  }

  const { status, chatAnalysis, messages } = await readChat(server, chatId)
  expect([status, chatAnalysis.sentiment]).toEqual(['completed', expect.any(String)])
  // Chats without a user message have no summary.
  const hasUserMessage = messages.some(({ role }) => role === 'user')
  expect(chatAnalysis.summary).toEqual(hasUserMessage ? expect.stringMatching(/./) : null)
  const lastChat = firsts.at(-1)?.body.chat as Chat | undefined
  expect(lastChat?.chatAnalysis).toEqual(chatAnalysis)
}

function uniqueWebhooks(webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  return webhooks.filter(({ id }, index) => webhooks.findIndex((other) => other.id === id) === index)
}

/** Checks the delivery log. A retry after a kill reuses the number of the attempt that was lost. */
function checkLog(detail: WebhookDeliveryDetail, requests: readonly ReceivedWebhook[]): void {
  expect(detail).toMatchObject({ status: 'delivered', lastStatus: 200, lastError: null, nextAttemptAt: null })
  expect(detail.attempts.map(({ attempt }) => attempt)).toEqual(detail.attempts.map((_attempt, index) => index + 1))
  expect(detail.attemptCount).toBe(detail.attempts.length)
  expect(detail.attempts.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(detail.attempts.at(-1)).toMatchObject({ status: 200, error: null })
  expect(requests.at(-1)?.attempt).toBe(detail.attemptCount)
  for (const { rawBody } of requests) expect(rawBody.toString()).toBe(detail.requestBody)
}

/** Checks that IDs repeat only across a kill. */
function checkRepetitions({ received }: WebhookReceiver, { kills }: ClientState): void {
  expect(kills).toHaveLength(ROUNDS)
  const last = new Map<string, number>()
  let repetitions = 0
  for (const { id, event, receivedAtMs } of received) {
    const before = last.get(id)
    last.set(id, receivedAtMs)
    if (before === undefined) continue
    repetitions += 1
    expect(
      kills.some(({ fromMs, toMs }) => before <= toMs && fromMs <= receivedAtMs),
      `${event} ${id} at ${before} and ${receivedAtMs}, kills at ${JSON.stringify(kills)}`,
    ).toBe(true)
  }
  // Each kill interrupts a request that is waiting for its response.
  expect(repetitions).toBeGreaterThan(0)
}
