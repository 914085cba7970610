import { operations } from '@parley/contract/index'
import type { Operation } from '@parley/contract/operation'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findPostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { OWNER_TOKEN } from '../../testing/running-server.ts'
import { waitForNextMillisecond } from '../../testing/server-test.ts'
import { startVoiceServer } from '../../testing/voice-server/voice-server.ts'
import { type GeneratedScene, startScene } from '../full/generated-scene.ts'
import { malformedRequest } from '../full/malformed-requests.ts'
import { createSender, describeRequest, type RawAnswer, type RawRequest } from '../full/raw-request.ts'
import { requiredQuery, validPath } from '../full/valid-request-parts.ts'
import { validRequest } from '../full/valid-requests.ts'
import { type AnswerComparison, createAnswerComparison } from './answer-comparison.ts'
import { searchPaths, UNUSUAL_CALLS, unusualVariations } from './unusual-values.ts'

/** `REQUESTS` and `SEED` repeat a run with the same requests, except for ids and unique values. */
const REQUESTS = Number(process.env.REQUESTS ?? 2_400)
const CHUNK = 200
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
const MAX_DIFFERENCES = 20

const ALL: readonly Operation[] = Object.values(operations)

/** Verifying a password keeps a core busy for a moment. */
const COSTLY: ReadonlySet<string> = new Set([
  'login',
  'changePassword',
  'confirmPassword',
  'resetPassword',
  'acceptInvitation',
])
/** Would create random call ids, which searches match. */
const EXCLUDED_OPERATIONS: ReadonlySet<string> = new Set(['createWebCall'])
/** Written after the responses that they describe, so their content and order depend on timing. */
const WRITTEN_IN_BACKGROUND: ReadonlySet<string> = new Set([
  'listAuditLog',
  'listWebhookDeliveries',
  'getWebhookDelivery',
  'resendWebhookDelivery',
  // Passages with equal scores are sorted by source id.
  'searchKnowledgeBase',
])
/** Maximum time that servers work after the last response. */
const SETTLE_TIMEOUT_MS = 15_000

interface Planned {
  readonly name: string
  readonly prepare: () => RawRequest
}

interface TestServer {
  readonly scene: GeneratedScene
  readonly send: (request: RawRequest) => Promise<RawAnswer>
}

interface ServerPair {
  readonly first: TestServer
  readonly second: TestServer
  readonly comparison: AnswerComparison
}

test.skipIf(findPostgres() === null)(
  `${REQUESTS} requests get the same answers from both databases (SEED=${seed})`,
  async () => {
    await using servers = await startServerPair()
    const counts = new Map<number, number>()
    /** The first of each kind. */
    const differences = new Map<string, string>()
    for (const { number, name, prepare } of plan(servers.first.scene)) {
      const { request, answer, difference } = await sendToBoth(servers, { name, prepare })
      counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
      if (difference === null) continue
      const kind = `${name} ${difference.split(':', 1)[0]?.replaceAll(/\d+/g, '0')}`
      const report = `SEED=${seed} request ${number} ${name}\n${difference}\n${describeRequest(request)}`
      if (!differences.has(kind)) differences.set(kind, report)
      if (differences.size >= MAX_DIFFERENCES) break
    }
    const left = await compareAll(servers)
    if (process.env.SHARES !== undefined) console.log(Object.fromEntries(counts))
    expect([...differences.values(), ...left].join('\n\n')).toBe('')
    expect([200, 201, 204].reduce((sum, status) => sum + (counts.get(status) ?? 0), 0)).toBeGreaterThan(REQUESTS / 3)
  },
)

/** Starts both servers at once, one per database, so that their times nearly match. */
async function startServerPair(): Promise<ServerPair & AsyncDisposable> {
  const stack = new AsyncDisposableStack()
  try {
    const postgres = stack.use(await startPrivatePostgres())
    const voices = stack.use(await startVoiceServer())
    const env = { DATABASE_URL: await postgres.createDatabase(), SECRET_KEY: 'secret-key-of-tests-0123456789abcdef' }
    const starting = [{ embedded: true }, { env }].map((options) =>
      startScene(voices.url, { ...options, calls: UNUSUAL_CALLS, withLiveCall: false }),
    )
    const servers: TestServer[] = []
    for (const result of await Promise.allSettled(starting)) {
      if (result.status === 'rejected') throw result.reason
      const scene = stack.use(result.value)
      const sender = createSender(scene.server.url, 1)
      stack.defer(() => sender.close())
      servers.push({ scene, send: (request) => sender.send(request).catch(unanswered(scene, request)) })
    }
    const [first, second] = servers
    if (first === undefined || second === undefined) throw new Error('Two have been started.')
    const comparison = pairScenes(first.scene, second.scene)
    return { first, second, comparison, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  } catch (error) {
    await stack.disposeAsync()
    throw error
  }
}

function unanswered({ server }: GeneratedScene, request: RawRequest) {
  return (cause: unknown): never => {
    const place = server.databaseUrl === null ? 'SQLite' : 'PostgreSQL'
    throw new Error(`SEED=${seed}: no answer on ${place}: ${describeRequest(request)}\n${server.output}`, { cause })
  }
}

/** Pairs the random values of both servers that exist before the first request. */
function pairScenes(first: GeneratedScene, second: GeneratedScene): AnswerComparison {
  const comparison = createAnswerComparison()
  const valuesOf = (scene: GeneratedScene): string[] => {
    const { server, ids, mcpUrl, spare, signedInUser, passwordChanger, malformedSender, endedChatIds } = scene
    const people = [signedInUser, passwordChanger, malformedSender].flatMap(({ login, cookie }) => [
      login.email,
      cookie,
    ])
    const names = people.map((text) => text.replace(/^parley_session=|@.*$|^visitor-/g, ''))
    const number = ids.values.number.replace('+', '')
    const mine = { ...ids.values, number }
    return [server.url, mcpUrl, ...Object.values(mine), ...endedChatIds, spare.tenantId, spare.providerId, ...names]
  }
  const others = valuesOf(second)
  for (const [index, value] of valuesOf(first).entries()) comparison.pair(value, others[index] ?? '')
  return comparison
}

/** Yields the requests in order, built for the first server. */
function* plan(scene: GeneratedScene): Generator<Planned & { readonly number: number }> {
  const ofOperations = ALL.filter(({ name }) => !EXCLUDED_OPERATIONS.has(name)).map((operation) => ({
    weight: COSTLY.has(operation.name) ? 1 : 8,
    arbitrary: fc.oneof(
      { weight: 6, arbitrary: unusualRequest(operation, scene) },
      {
        weight: 1,
        arbitrary: malformedRequest(operation, scene).map(({ request }) => ({
          name: operation.name,
          prepare: () => request,
        })),
      },
    ),
  }))
  const search = searchPaths.map((path) => ({ name: 'search', prepare: () => readRequest(path) }))
  const requests = fc.oneof(...ofOperations, { weight: 60, arbitrary: search })
  for (let number = 0; number < REQUESTS; ) {
    const numRuns = Math.min(CHUNK, REQUESTS - number)
    for (const planned of fc.sample(requests, { seed: seed + number, numRuns })) {
      yield { ...planned, number }
      number += 1
    }
  }
}

function unusualRequest(operation: Operation, scene: GeneratedScene): fc.Arbitrary<Planned> {
  return fc.tuple(validRequest(operation, scene), unusualVariations).map(([prepare, vary]) => ({
    name: operation.name,
    prepare: () => vary(prepare()),
  }))
}

function readRequest(path: string): RawRequest {
  return { method: 'GET', path, headers: { authorization: `Bearer ${OWNER_TOKEN}` }, body: null }
}

/** Follows a list for some pages, if there are more. */
async function sendToBoth(servers: ServerPair, { name, prepare }: Planned) {
  const request = prepare()
  const compared = await compareOne(servers, request, { name })
  const difference =
    compared.difference ??
    (await compareRead(servers, compared)) ??
    (await comparePages(servers, compared, { name, maxPages: 3 }))
  return { request, answer: compared.answer, difference }
}

interface About {
  readonly name: string
  readonly isSettled?: boolean
}

interface Compared {
  readonly answer: RawAnswer
  readonly other: RawAnswer
  readonly difference: string | null
}

async function compareOne(
  { first, second, comparison }: ServerPair,
  request: RawRequest,
  { name, isSettled = false }: About,
): Promise<Compared> {
  // The next resource is newer than the previous one, so that the order is fixed.
  waitForNextMillisecond()
  const [answer, other] = await Promise.all([first.send(request), second.send(translate(request, comparison))])
  const isJson = answer.headers['content-type']?.startsWith('application/json') === true
  // HEAD responses describe a body that is not sent.
  if (answer.status < 300 && isJson && answer.text !== '') {
    first.scene.created.note(name, { headers: answer.headers, body: JSON.parse(answer.text) })
  }
  return compare(comparison, { answer, other, name, isSettled })
}

/** Waits until the knowledge base is processed, so that the next request finds the same in both. */
async function compareRead(servers: ServerPair, { answer, other }: Compared): Promise<string | null> {
  const id = /^{"knowledgeBaseId":"(\w+)"/.exec(answer.text)?.[1]
  if (id === undefined || answer.status >= 300 || other.status >= 300) return null
  const path = `/api/knowledge-bases/${id}?workspaceId=${servers.first.scene.ids.workspaceId}`
  const settledAt = Date.now() + SETTLE_TIMEOUT_MS
  for (;;) {
    const read = await compareOne(servers, readRequest(path), { name: 'getKnowledgeBase', isSettled: true })
    const isProcessed = !/"status":"(processing|refreshing)"/.test(read.answer.text + read.other.text)
    if (isProcessed && read.difference === null) return null
    if (Date.now() > settledAt) return read.difference ?? `It is still being read.\n${formatAnswer(read.answer)}`
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

function compare(
  comparison: AnswerComparison,
  { answer, other, name, isSettled = false }: Pick<Compared, 'answer' | 'other'> & About,
): Compared {
  const known = WRITTEN_IN_BACKGROUND.has(name) && answer.status === other.status
  const found = known ? null : comparison.difference(answer, other, isSettled)
  return { answer, other, difference: found && `${found}\n${formatAnswer(answer)}\n${formatAnswer(other)}` }
}

const formatAnswer = ({ status, text }: RawAnswer): string => `${status} ${text.slice(0, 600)}`

function translate(
  { method, path, headers, body }: RawRequest,
  { translate: translateText }: AnswerComparison,
): RawRequest {
  const inHeader = (value: unknown): unknown => (typeof value === 'string' ? translateText(value) : value)
  return {
    method,
    path: translateText(path),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, inHeader(value)]),
    ) as typeof headers,
    body: typeof body === 'string' ? translateText(body) : body,
  }
}

interface Follow extends About {
  readonly maxPages: number
}

/** Compares the following pages. Each server's links are followed separately. */
async function comparePages(
  { first, second, comparison }: ServerPair,
  from: Compared,
  { name, isSettled = false, maxPages }: Follow,
) {
  let { answer, other } = from
  for (let page = 0; page < maxPages; page += 1) {
    const [next, otherNext] = [nextOf(answer), nextOf(other)]
    if (next === null || otherNext === null || WRITTEN_IN_BACKGROUND.has(name)) return null
    ;[answer, other] = await Promise.all([first.send(readRequest(next)), second.send(readRequest(otherNext))])
    const { difference } = compare(comparison, { answer, other, name, isSettled })
    if (difference !== null) return `${next}\n${difference}`
  }
  return null
}

function nextOf({ headers }: RawAnswer): string | null {
  return /^<(\/api\/\S+)>; rel="next"$/.exec(String(headers.link))?.[1] ?? null
}

/** Compares everything that the owner can read at the end. */
async function compareAll(servers: ServerPair): Promise<string[]> {
  const { ids } = servers.first.scene
  const differences: string[] = []
  const settledAt = Date.now() + SETTLE_TIMEOUT_MS
  for (const operation of ALL.filter(({ method, access }) => method === 'GET' && access !== 'session')) {
    const named = operation.workspace === 'query' || operation.workspace === 'optional'
    const query = new URLSearchParams({
      ...(named && { workspaceId: '1' }),
      ...requiredQuery(operation, ids),
    }).toString()
    const path = validPath(operation, ids) + (query && `?${query}`)
    const about = { name: operation.name, isSettled: true }
    let difference: string | null
    do {
      const compared = await compareOne(servers, readRequest(path), about)
      difference = compared.difference ?? (await comparePages(servers, compared, { ...about, maxPages: 100 }))
      if (difference !== null) await new Promise((resolve) => setTimeout(resolve, 200))
    } while (difference !== null && Date.now() < settledAt)
    if (difference !== null) differences.push(`At the end: ${operation.name}\n${difference}`)
  }
  return differences
}
