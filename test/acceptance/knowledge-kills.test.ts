import { setTimeout as sleep } from 'node:timers/promises'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { expectBody, send } from '../../testing/server-test.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../../testing/webhook-receiver/webhook-receiver.ts'
import { startWebsite } from '../../testing/website-server/website-server.ts'
import { BASES, createBase, search } from '../e2e/knowledge/knowledge-test-kit.ts'
import { eventually, hasPostgres, startCluster } from '../full/cluster.ts'
import {
  expectNoLeftovers,
  makeDocuments,
  QUESTIONS,
  readStored,
  type SentFile,
  type StoredSource,
  searchAllQuestions,
  uploadDocuments,
  waitUntilRead,
} from '../full/knowledge-scene.ts'

/** Number of kills. `ROUNDS=20` takes some minutes. */
const ROUNDS = Number(process.env.ROUNDS ?? 6)
/** On PostgreSQL a dead node's work is taken over after some seconds. */
const POSTGRES_ROUNDS = Math.ceil(ROUNDS / 2)
/** `SEED` repeats the times of the kills. */
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const READ_WITHIN_MS = 90_000
const CLEANUP_TIMEOUT_MS = 30_000
const TIMEOUT_MS = 900_000

const settingsOf = ({ port }: WebhookReceiver) => ({ ALLOW_PRIVATE_TARGETS: `127.0.0.1:${port}` })

/** The result of reading the documents without a kill. */
interface ReferenceRun {
  readonly documents: readonly SentFile[]
  readonly elapsedMs: number
  readonly stored: readonly StoredSource[]
  readonly answers: readonly object[][]
}

async function runWithoutKill(server: RunningServer): Promise<ReferenceRun> {
  const documents = await makeDocuments()
  const startedAt = performance.now()
  const base = await uploadDocuments(server, documents)
  expect(base.status).toBe('processing')
  const { sources } = await waitUntilRead(server, base, READ_WITHIN_MS)
  const elapsedMs = performance.now() - startedAt
  expect(sources.map(({ status, error }) => [status, error])).toEqual(documents.map(() => ['ready', null]))
  await expectNoLeftovers(server, CLEANUP_TIMEOUT_MS)
  const answers = await searchAllQuestions(server, base)
  expect(answers.filter((passages) => passages.length > 0)).toHaveLength(QUESTIONS.length)
  return { documents, elapsedMs, stored: await readStored(server, base), answers }
}

/** Checks that the result equals a run without kills. */
async function checkRead(server: RunningServer, base: KnowledgeBase, expected: ReferenceRun): Promise<void> {
  const { status, chunkCount } = await waitUntilRead(server, base, READ_WITHIN_MS)
  const stored = await readStored(server, base)
  expect(stored.map(({ columns }) => columns)).toEqual(expected.stored.map(({ columns }) => columns))
  expect([status, chunkCount]).toEqual(['ready', expected.stored.flatMap(({ chunks }) => chunks).length])
  expect(await searchAllQuestions(server, base)).toEqual(expected.answers)
  await expectNoLeftovers(server, CLEANUP_TIMEOUT_MS)
  expect(await readStored(server, base)).toEqual(expected.stored)
}

function wasNotified({ received }: WebhookReceiver, { knowledgeBaseId }: KnowledgeBase): boolean {
  return received.some(({ event, body }) => {
    return event === 'knowledge_base_ready' && JSON.stringify(body).includes(knowledgeBaseId)
  })
}

/** Times of the kills within the reading time, including its end. */
function pickDelays(rounds: number, elapsedMs: number): number[] {
  const permille = fc.sample(fc.integer({ min: 0, max: 1050 }), { seed, numRuns: rounds })
  return permille.map((share) => (share * elapsedMs) / 1000)
}

async function listen(server: RunningServer, receiver: WebhookReceiver): Promise<void> {
  const events = ['knowledge_base_ready']
  await expectBody(201, send(server, 'POST', '/api/webhooks', { url: receiver.url, events }))
}

/** How far a kill found the reading; of many most have to find it under way, or the test proves nothing. */
function checkKillPoints(readCountsAtKill: readonly number[], count: number): void {
  console.log(`SEED=${seed} sources that were read when the kill came: ${readCountsAtKill.join(' ')} of ${count}`)
  if (readCountsAtKill.length < 10) return
  expect(readCountsAtKill.filter((read) => read < count).length).toBeGreaterThanOrEqual(readCountsAtKill.length / 2)
}

async function countRead(server: RunningServer, base: KnowledgeBase): Promise<number> {
  const stored = await readStored(server, base)
  return stored.filter(({ columns }) => columns.status === 'ready').length
}

test(`SIGKILL at ${ROUNDS} points of reading loses and doubles nothing (SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  await using receiver = await startWebhookReceiver()
  await using server = await runServer({ embedded: true, env: settingsOf(receiver) })
  const expected = await runWithoutKill(server)
  await listen(server, receiver)
  const readCountsAtKill: number[] = []
  for (const delayMs of pickDelays(ROUNDS, expected.elapsedMs)) {
    const base = await uploadDocuments(server, expected.documents)
    await sleep(delayMs)
    await server.kill('SIGKILL')
    readCountsAtKill.push(await countRead(server, base))
    await server.start()
    await checkRead(server, base, expected)
    await eventually('the word that it is ready', READ_WITHIN_MS, async () => wasNotified(receiver, base) || null)
  }
  checkKillPoints(readCountsAtKill, expected.documents.length)
  expect(await server.stop()).toEqual({ code: 0, signal: null })
})

const PAGES = ['hours', 'prices', 'returns']
const REFRESHES = Math.min(ROUNDS, 5)

test(`SIGKILL while pages are read again leaves the old text or the new (SEED=${seed})`, {
  timeout: TIMEOUT_MS,
}, async () => {
  await using website = await startWebsite()
  const env = { ALLOW_PRIVATE_TARGETS: `127.0.0.1:${website.port}` }
  await using server = await runServer({ embedded: true, env })
  const putPages = (round: number): void => {
    for (const name of PAGES)
      website.putHtml(`/${name}`, `<h1>${name}</h1><p>About ${name}: this is edition ${round}.</p>`)
  }
  const editions = async (): Promise<readonly string[]> => {
    const passages = await search(server, base, 'Which edition is this?', { topK: 10 })
    return passages.map(({ text }) => /edition (\d+)/.exec(text)?.[1] ?? text)
  }
  putPages(0)
  const sources = PAGES.map((name) => ({ url: `${website.url}/${name}` }))
  const base = await createBase(server, { sources })
  const startedAt = performance.now()
  await waitUntilRead(server, base, READ_WITHIN_MS)
  const elapsedMs = performance.now() - startedAt
  for (const [index, delayMs] of pickDelays(REFRESHES, elapsedMs).entries()) {
    putPages(index + 1)
    await expectBody(200, send(server, 'POST', `${BASES}/${base.knowledgeBaseId}/refresh`))
    await sleep(delayMs)
    await server.kill('SIGKILL')
    await server.start()
    const between = await editions()
    expect(between).toHaveLength(PAGES.length)
    for (const edition of between) expect([String(index), String(index + 1)]).toContain(edition)
    const read = await waitUntilRead(server, base, READ_WITHIN_MS)
    expect(read.sources.map(({ status, error }) => [status, error])).toEqual(PAGES.map(() => ['ready', null]))
    expect(await editions()).toEqual(PAGES.map(() => String(index + 1)))
    await expectNoLeftovers(server, CLEANUP_TIMEOUT_MS)
  }
})

test.skipIf(!hasPostgres)(
  `another node goes on reading when one is killed at ${POSTGRES_ROUNDS} points (SEED=${seed})`,
  { timeout: TIMEOUT_MS },
  async () => {
    await using receiver = await startWebhookReceiver()
    await using cluster = await startCluster({ env: settingsOf(receiver) })
    const expected = await runWithoutKill(cluster.nodes[0])
    await listen(cluster.nodes[0], receiver)
    const readCountsAtKill: number[] = []
    for (const [round, delayMs] of pickDelays(POSTGRES_ROUNDS, expected.elapsedMs).entries()) {
      const [first, second] = cluster.nodes
      const [target, takeoverNode] = round % 2 === 0 ? [first, second] : [second, first]
      // The node that got the request, and the other one.
      const base = await uploadDocuments(round % 4 < 2 ? target : takeoverNode, expected.documents)
      await sleep(delayMs)
      await target.kill('SIGKILL')
      readCountsAtKill.push(await countRead(takeoverNode, base))
      await checkRead(takeoverNode, base, expected)
      await eventually('the word that it is ready', READ_WITHIN_MS, async () => wasNotified(receiver, base) || null)
      await target.start()
      const [question] = QUESTIONS
      expect(await search(target, base, question ?? '')).toEqual(await search(takeoverNode, base, question ?? ''))
    }
    checkKillPoints(readCountsAtKill, expected.documents.length)
  },
)
