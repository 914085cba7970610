import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { describe, expect, test } from 'vitest'
import { loadCorpus } from '../../testing/knowledge/load-corpus.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { readChat, send } from '../../testing/server-test.ts'
import { BASES, createChatOnBases, sendFiles } from '../e2e/knowledge/knowledge-test-kit.ts'
import { hasPostgres, startCluster } from '../full/cluster.ts'
import { makeDocuments, type SentFile, uploadDocuments, waitUntilRead } from '../full/knowledge-scene.ts'

const CHATS_PER_NODE = 4
const WARM_UP_MS = 2_000
const QUIET_MS = 5_000
const READ_WITHIN_MS = 120_000
const NEW_DOCUMENTS = 20
/** Number of turns whose passages a chat returns. */
const REPORTED_TURNS = 100
/** Maximum slowdown of a turn while documents are processed. */
const TOLERANCE_MS = 1_000

const QUESTIONS = [
  'When is the museum open?',
  'What does a bicycle cost?',
  'Wie entkalke ich die Maschine?',
  'Is the clinic open on Sundays?',
  'How much is the deposit at the hotel?',
]

/** One turn of one chat, as its client saw it. */
interface Turn {
  readonly startedAt: number
  readonly elapsedMs: number
}

describe('turns that search while documents are read', () => {
  test('on one node', { timeout: 300_000 }, async () => {
    await using server = await runServer({ embedded: true })
    await measureTurnsWhileReading([server])
  })

  test.skipIf(!hasPostgres)('on two nodes', { timeout: 300_000 }, async () => {
    await using cluster = await startCluster()
    await measureTurnsWhileReading(cluster.nodes)
  })
})

/** Runs chats, first alone and then while documents are added to their knowledge base. */
async function measureTurnsWhileReading(nodes: readonly [RunningServer, ...RunningServer[]]): Promise<void> {
  const [first] = nodes
  const corpus = loadCorpus().map(({ name, raw }) => ({ name, content: raw }))
  const base = await waitUntilRead(first, await uploadDocuments(first, corpus), READ_WITHIN_MS)
  const documents = await newDocuments()
  const chats = await Promise.all(
    nodes.flatMap((node) =>
      Array.from({ length: CHATS_PER_NODE }, async () => ({ node, id: await createChatOnBases(node, [base]) })),
    ),
  )
  const turns: Turn[] = []
  let isDone = false
  const talking = chats.map(async ({ node, id }, index) => {
    for (let number = index; !isDone; number += 1)
      turns.push(await ask(node, id, QUESTIONS[number % QUESTIONS.length] ?? ''))
  })
  const runSchedule = async () => {
    await pass(WARM_UP_MS)
    const quietFrom = performance.now()
    await pass(QUIET_MS)
    const readingFrom = performance.now()
    const answer = await sendFiles<KnowledgeBase>(first, `${BASES}/${base.knowledgeBaseId}/sources`, documents)
    expect(answer.status).toBe(201)
    const after = await waitUntilRead(first, base, READ_WITHIN_MS)
    expect(after.sourceCount).toBe(corpus.length + NEW_DOCUMENTS)
    return { quietFrom, readingFrom, readingTo: performance.now() }
  }
  const { quietFrom, readingFrom, readingTo } = await runSchedule().finally(() => {
    isDone = true
  })
  await Promise.all(talking)
  const baseline = summarize(turns.filter(({ startedAt }) => startedAt >= quietFrom && startedAt < readingFrom))
  const whileReading = summarize(turns.filter(({ startedAt }) => startedAt >= readingFrom && startedAt < readingTo))
  console.log(`${nodes.length} nodes, ${chats.length} chats; ${Math.round(readingTo - readingFrom)} ms of reading
alone  ${JSON.stringify(baseline)}
beside ${JSON.stringify(whileReading)}`)
  expect(whileReading.turns).toBeGreaterThan(chats.length)
  for (const { node, id } of chats) await checkPassages(node, id)
  expect(whileReading.maxMs).toBeLessThan(baseline.maxMs + TOLERANCE_MS)
}

/** Checks that no recent turn skipped the search because it was slow or failed. */
async function checkPassages(node: RunningServer, chatId: string): Promise<void> {
  const { retrievedPassages, messages } = await readChat(node, chatId)
  const answered = messages.filter(({ role }) => role === 'user').slice(-REPORTED_TURNS)
  const withPassages = new Set(retrievedPassages.map(({ turnId }) => turnId))
  expect(withPassages.size).toBe(answered.length)
}

async function newDocuments(): Promise<SentFile[]> {
  const kinds = (await makeDocuments()).slice(0, 6)
  const manual = 'A page about pumps and valves that nobody has asked for. '
  const texts = Array.from({ length: NEW_DOCUMENTS - kinds.length }, (_, number) => {
    const content = Array.from({ length: 2_000 }, (_line, at) => `${manual} ${number} ${at}`).join('\n\n')
    return { name: `pumps-${number}.txt`, content }
  })
  return [...kinds, ...texts]
}

async function ask(node: RunningServer, chatId: string, content: string): Promise<Turn> {
  const startedAt = performance.now()
  const { status, body } = await send(node, 'POST', `/api/chats/${chatId}/completions`, { content })
  expect(status, JSON.stringify(body)).toBe(201)
  return { startedAt, elapsedMs: performance.now() - startedAt }
}

function summarize(turns: readonly Turn[]) {
  const sorted = turns.map(({ elapsedMs }) => elapsedMs).sort((a, b) => a - b)
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0)
  return { turns: turns.length, medianMs: at(0.5), p95Ms: at(0.95), maxMs: at(1) }
}

const pass = (timeMs: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, timeMs))
