import type { Agent } from '@parley/contract/agent'
import type { Chat } from '@parley/contract/chat'
import type { WebhookDelivery, WebhookDeliveryDetail } from '@parley/contract/webhook'
import { expect, test } from 'vitest'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { bodyOf, complete, createAgent, createChat, read, readChat, send } from '../../testing/server-test.ts'
import {
  type ReceivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from '../../testing/webhook-receiver/webhook-receiver.ts'
import { eventually } from './cluster.ts'

/** Kills; fewer of them show whether the test itself works. */
const ROUNDS = Number(process.env.ROUNDS ?? 5)
const CLIENTS = 4
/** An answer takes so long, so that kills find requests that nobody has heard the answer of. */
const ANSWER_MS = 15
/** What a dead process had is taken after fifteen seconds. */
const DRAIN_MS = 45_000

const EVENTS = ['chat_started', 'chat_ended', 'chat_analyzed']

/** What a client was told is stored. */
interface Ledger {
  /** Whether the end was acknowledged too, by chat. */
  readonly chats: Map<string, boolean>
  /** When the server was killed and when it was gone, by the clock of the receiver. */
  readonly kills: { readonly fromMs: number; readonly toMs: number }[]
}

test('every event of an acknowledged chat arrives through SIGKILLs, in order, and the log tells all of it', async () => {
  await using receiver = await startWebhookReceiver()
  receiver.answer(() => ({ kind: 'slow', gate: new Promise((resolve) => setTimeout(resolve, ANSWER_MS)) }))
  await using server = await runServer({
    embedded: true,
    env: { ALLOW_PRIVATE_TARGETS: `127.0.0.1:${receiver.port}` },
  })
  const agent = await createAgent(server)
  await bodyOf(201, send(server, 'POST', '/api/webhooks', { url: receiver.url, events: EVENTS }))
  const ledger: Ledger = { chats: new Map(), kills: [] }
  const kill = killer(server, receiver, ledger)
  for (let round = 0; round < ROUNDS; round += 1) {
    const killed = kill(12 + ((round * 17) % 40))
    await Promise.all(Array.from({ length: CLIENTS }, () => converse(server, agent, { ledger, killed })))
    await killed.whole
    await server.start()
    await endLeft(server, ledger)
  }
  const chats = await listChats(server)
  for (const chatId of ledger.chats.keys()) expect(chats).toContain(chatId)
  expect(ledger.chats.size).toBeGreaterThan(ROUNDS * 3)
  await drain(server, receiver, chats.length)

  for (const chatId of chats) await checkChat(server, receiver, chatId)
  checkRepetitions(receiver, ledger)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})

interface Killed {
  readonly isOver: () => boolean
  readonly whole: Promise<unknown>
}

/** Kills the server as soon as that many more webhooks have come, before the last of them is answered. */
function killer(server: RunningServer, receiver: WebhookReceiver, { kills }: Ledger): (after: number) => Killed {
  let left = Infinity
  let whole = Promise.withResolvers<unknown>()
  receiver.onReceived(() => {
    left -= 1
    if (left !== 0) return
    const fromMs = performance.now()
    const killing = server.kill('SIGKILL').then(() => kills.push({ fromMs, toMs: performance.now() }))
    whole.resolve(killing)
  })
  return (after) => {
    left = after
    whole = Promise.withResolvers()
    return { isOver: () => left <= 0, whole: whole.promise }
  }
}

interface Role {
  readonly ledger: Ledger
  readonly killed: Killed
}

/** Begins chats, talks and ends them until the server is gone. */
async function converse(server: RunningServer, agent: Agent, { ledger, killed }: Role): Promise<void> {
  while (!killed.isOver()) {
    try {
      const { chatId } = await createChat(server, agent)
      ledger.chats.set(chatId, false)
      await complete(server, chatId, 'Hello, my name is Anna.')
      await endChat(server, chatId)
      ledger.chats.set(chatId, true)
    } catch (error) {
      if (!killed.isOver()) throw error
    }
  }
}

function endChat(server: RunningServer, chatId: string): Promise<Chat> {
  return bodyOf(200, send<Chat>(server, 'POST', `/api/chats/${chatId}/end`))
}

/** Chats whose end nobody heard of, those included whose begin nobody heard of: ending twice does no harm. */
async function endLeft(server: RunningServer, { chats }: Ledger): Promise<void> {
  for (const chatId of await listChats(server)) {
    if (chats.get(chatId) === true) continue
    await endChat(server, chatId)
    chats.set(chatId, true)
  }
}

async function listChats(server: RunningServer): Promise<string[]> {
  const listed = await bodyOf(200, read<{ chatId: string }[]>(server, '/api/chats', { limit: 1000 }))
  return listed.map(({ chatId }) => chatId)
}

/** Waits until all that is to be told was told and nothing is left to send. */
async function drain(server: RunningServer, receiver: WebhookReceiver, chats: number): Promise<void> {
  await eventually('all webhooks', DRAIN_MS, async () => {
    const ids = new Set(receiver.received.map(({ id }) => id))
    if (ids.size < chats * EVENTS.length) return null
    const pending = { status: 'pending', limit: 1 }
    const left = await bodyOf(200, read<WebhookDelivery[]>(server, '/api/webhook-deliveries', pending))
    return left.length === 0 ? true : null
  })
}

/** Each event of the chat once, in order, with a log of what came; the analysis is there and was told. */
async function checkChat(server: RunningServer, { received }: WebhookReceiver, chatId: string): Promise<void> {
  const about = received.filter(({ body }) => (body.chat as Chat).chatId === chatId)
  const firsts = firstOfEach(about)
  expect(
    firsts.map(({ event }) => event),
    chatId,
  ).toEqual(EVENTS)
  expect(new Set(about.map(({ body }) => body.event_id)).size).toBe(EVENTS.length)

  const deliveries = await bodyOf(200, read<WebhookDelivery[]>(server, '/api/webhook-deliveries', { chatId }))
  expect(deliveries.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(firsts.map(({ id }) => id).toSorted())
  for (const { deliveryId } of deliveries) {
    const path = `/api/webhook-deliveries/${deliveryId}`
    const detail = await bodyOf(200, read<WebhookDeliveryDetail>(server, path))
    checkLog(
      detail,
      about.filter(({ id }) => id === deliveryId),
    )
  }

  const { status, chatAnalysis, messages } = await readChat(server, chatId)
  expect([status, chatAnalysis.sentiment]).toEqual(['completed', expect.any(String)])
  // Where the user came to say nothing there is nothing to sum up.
  const isTalk = messages.some(({ role }) => role === 'user')
  expect(chatAnalysis.summary).toEqual(isTalk ? expect.stringMatching(/./) : null)
  const told = firsts.at(-1)?.body.chat as Chat | undefined
  expect(told?.chatAnalysis).toEqual(chatAnalysis)
}

function firstOfEach(webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  return webhooks.filter(({ id }, index) => webhooks.findIndex((other) => other.id === id) === index)
}

/** An attempt whose end was lost with its process has its number again: the last one of each number counts. */
function checkLog(detail: WebhookDeliveryDetail, requests: readonly ReceivedWebhook[]): void {
  expect(detail).toMatchObject({ status: 'delivered', lastStatus: 200, lastError: null, nextAttemptAt: null })
  expect(detail.attempts.map(({ attempt }) => attempt)).toEqual(detail.attempts.map((_attempt, index) => index + 1))
  expect(detail.attemptCount).toBe(detail.attempts.length)
  expect(detail.attempts.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(detail.attempts.at(-1)).toMatchObject({ status: 200, error: null })
  expect(requests.at(-1)?.attempt).toBe(detail.attemptCount)
  for (const { rawBody } of requests) expect(rawBody.toString()).toBe(detail.requestBody)
}

/** The same id comes again only where a kill fell between. */
function checkRepetitions({ received }: WebhookReceiver, { kills }: Ledger): void {
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
  // Each kill came while the last request waited for its answer.
  expect(repetitions).toBeGreaterThan(0)
}
