import { Agent as HttpAgent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { ERROR_STATUS, ErrorBody } from '@parley/contract/errors'
import { operations } from '@parley/contract/index'
import { type Operation, pathsOf } from '@parley/contract/operation'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OWNER_TOKEN, runServer } from '../../testing/running-server.ts'
import { complete } from '../../testing/server-test.ts'
import { goodBody, type KnownIds, makeIds } from './good-requests.ts'
import { applyEdits, edits, nastyText, nastyValue } from './mutations.ts'

const REQUESTS = Number(process.env.REQUESTS ?? 10_000)
const AT_ONCE = 16
const TIMEOUT_MS = 5_000
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

/** Strict: not one key more than the one form has. */
const StrictErrorBody = ErrorBody.strict()

interface RawRequest {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string | Buffer | null
}

interface RawAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

test(`${REQUESTS} spoilt requests get the right form of answer (SEED=${seed})`, async () => {
  await using server = await runServer()
  const agent = new HttpAgent({ keepAlive: true, maxSockets: AT_ONCE })
  const ids = await makeIds(server, server.workspaceId)
  const requests = fc.sample(spoiltRequest(ids), { seed, numRuns: REQUESTS })
  let next = 0
  const tally = new Map<number, number>()
  const work = async (): Promise<void> => {
    while (next < requests.length) {
      const number = next
      next += 1
      const sent = requests[number] as RawRequest
      const answer = await exchange(server.url, agent, sent).catch((cause: unknown) => {
        throw new Error(`SEED=${seed} request ${number} got no answer: ${describe(sent)}\n${server.output}`, { cause })
      })
      tally.set(answer.status, (tally.get(answer.status) ?? 0) + 1)
      const problem = problemOf(sent, answer)
      if (problem !== null) {
        throw new Error(
          `SEED=${seed} request ${number}: ${problem}\n${describe(sent)}\n${answer.status} ${answer.text.slice(0, 2000)}\n${server.output.slice(-3000)}`,
        )
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  agent.destroy()
  // Most must have been spoilt indeed, and in more than one way.
  expect(tally.get(400) ?? 0).toBeGreaterThan(REQUESTS / 5)
  expect(tally.get(404) ?? 0).toBeGreaterThan(0)
  expect((await server.call('GET', '/readyz')).status).toBe(200)
  expect(await complete(server, ids.values.chatId, 'Are you still there?')).toHaveLength(1)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

/** Mostly `null`. */
function oneIn<Value>(times: number, arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: times - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary })
}

/** Requests around the contract: each begins as a good one. */
function spoiltRequest(ids: KnownIds): fc.Arbitrary<RawRequest> {
  const all: readonly Operation[] = Object.values(operations)
  // Deleting what the others need would make them all 404.
  const paths = fc.constantFrom(...all).chain((operation) =>
    fc.record({
      operation: fc.constant(operation),
      alias: fc.boolean(),
      id: oneIn(5, nastyText),
      query: spoiltQuery(operation, ids),
      body: spoiltBody(goodBody(operation, ids) ?? {}),
      method: oneIn(
        12,
        fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND'),
      ),
      headers: spoiltHeaders,
      tail: oneIn(20, fc.constantFrom('/', '/x', '%', '%zz', '%00', '//', ';a', '?', '#')),
    }),
  )
  return paths.map(({ operation, alias, id, query, body, method, headers, tail }) => {
    const template = pathsOf(operation)[alias ? 1 : 0]
    const isDelete = operation.method === 'DELETE' || method === 'DELETE'
    const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const known = ids.values[name as keyof KnownIds['values']]
      const value = id ?? (isDelete || operation.name === 'endChat' ? `${known}0` : known)
      return encodeURIComponent(value.toWellFormed()).slice(0, 9000) || 'x'
    })
    const verb = method ?? operation.method
    const carries = operation.body !== undefined && verb !== 'GET' && verb !== 'HEAD'
    return {
      method: verb,
      path: `${path}${tail ?? ''}${query}`,
      headers: {
        authorization: `Bearer ${OWNER_TOKEN}`,
        ...(carries && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: carries ? body : null,
    }
  })
}

function spoiltQuery(operation: Operation, ids: KnownIds): fc.Arbitrary<string> {
  const names = [
    ...Object.keys(operation.query?.shape ?? {}),
    'workspaceId',
    'workspace_id',
    'version',
    'limit',
    'nothing',
    'from',
    '__proto__',
  ]
  const pair = fc.tuple(
    fc.oneof(fc.constantFrom(...names), nastyText),
    fc.oneof(nastyText, fc.constantFrom('1', '0', '-1', '1.5', 'NaN', '9999999999', 'latest', '2024-01-01')),
  )
  return fc.tuple(fc.boolean(), fc.array(pair, { maxLength: 3 })).map(([withWorkspace, pairs]) => {
    const parts = pairs.map(([name, value]) => `${percent(name)}=${percent(value)}`)
    if (withWorkspace && operation.workspace === 'query') parts.unshift(`workspaceId=${ids.workspaceId}`)
    return parts.length === 0 ? '' : `?${parts.join('&')}`
  })
}

function percent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).slice(0, 6000)
}

function spoiltBody(good: unknown): fc.Arbitrary<string | Buffer> {
  const edited = edits.map((changes) => JSON.stringify(applyEdits(good, changes)) ?? '')
  const text = JSON.stringify(good)
  return fc.oneof(
    { weight: 12, arbitrary: edited },
    { weight: 1, arbitrary: fc.nat(text.length).map((end) => text.slice(0, end)) },
    { weight: 1, arbitrary: nastyValue.map((value) => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        '',
        '{',
        '[',
        '{"a":1,"a":2}',
        '{"__proto__":{"x":1}}',
        '['.repeat(50_000),
        `${text}x`,
        `\ufeff${text}`,
      ),
    },
    { weight: 1, arbitrary: fc.nat(text.length).map((at) => `${text.slice(0, at)}\u0000${text.slice(at)}`) },
  )
}

const spoiltHeaders: fc.Arbitrary<OutgoingHttpHeaders> = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(
        'text/plain',
        'application/xml',
        'multipart/form-data',
        'application/json; charset=utf-16',
        'application/merge-patch+json',
        'APPLICATION/JSON',
        ';',
        '',
      )
      .map((type) => ({ 'content-type': type })),
  },
  { weight: 1, arbitrary: headerText().map((value) => ({ 'if-match': value })) },
  { weight: 1, arbitrary: headerText().map((value) => ({ 'idempotency-key': value })) },
  { weight: 1, arbitrary: headerText().map((value) => ({ 'last-event-id': value })) },
  { weight: 1, arbitrary: headerText().map((value) => ({ 'x-workspace-id': value })) },
  { weight: 1, arbitrary: headerText().map((value) => ({ accept: value })) },
  { weight: 1, arbitrary: headerText().map((value) => ({ authorization: value })) },
  { weight: 1, arbitrary: fc.constantFrom('text/event-stream', 'text/event-stream;q=0').map((accept) => ({ accept })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<OutgoingHttpHeaders>(
      { 'idempotency-key': ['a', 'b'] },
      { expect: '200-ok' },
      { 'content-encoding': 'gzip' },
      { 'x-big': 'y'.repeat(14_000) },
    ),
  },
)

/** What node lets a client send: printable Latin-1. */
function headerText(): fc.Arbitrary<string> {
  return fc
    .oneof(fc.string({ maxLength: 300 }), fc.constantFrom('', '"1"', 'W/"1"', '*', '1', '99999999999', 'é'))
    .map((text) => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/g, '?'))
}

/** Why an answer is not as promised; `null` when all is well. */
function problemOf(sent: RawRequest, { status, headers, text }: RawAnswer): string | null {
  if (status >= 500) return 'a fault of ours'
  if (status < 400) return null
  const requestId = headers['x-request-id']
  if (sent.method === 'HEAD') return null
  if (headers['content-type'] !== 'application/json; charset=utf-8') return 'not JSON'
  const parsed = StrictErrorBody.safeParse(JSON.parse(text))
  if (!parsed.success) return `not the one form: ${parsed.error.message}`
  const { data } = parsed
  if (data.status !== status) return 'the body tells another status'
  if (ERROR_STATUS[data.code] !== status) return 'the code does not go with the status'
  if (data.requestId !== requestId || !/^req_[0-9a-f]{26}$/.test(data.requestId)) return `X-Request-Id is ${requestId}`
  if (data.error.trim() === '') return 'nothing is said'
  if (data.details.length > 50) return 'too much is said'
  if (
    /\n\s+at |node_modules|SQLITE|sqlite|undefined|\[object/.test(
      data.error + JSON.stringify(data.details.map(({ message }) => message)),
    )
  )
    return 'something of the inside is told'
  if (status === 401 && headers['www-authenticate'] !== 'Bearer') return 'WWW-Authenticate is missing'
  if (status === 405 && headers.allow === undefined) return 'Allow is missing'
  return null
}

function exchange(url: string, agent: HttpAgent, { method, path, headers, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    // Node leaves the length of a DELETE's body out, which would make the body look like the next request.
    const framed = body === null ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
    const outgoing = request(
      { hostname, port, method, path, headers: framed, agent, timeout: TIMEOUT_MS },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
        })
      },
    )
    outgoing.on('timeout', () => outgoing.destroy(new Error(`No answer within ${TIMEOUT_MS} ms.`)))
    outgoing.on('error', reject)
    outgoing.end(body ?? undefined)
  })
}

function describe({ method, path, headers, body }: RawRequest): string {
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(headers).slice(0, 500)}\n${String(body).slice(0, 2000)}`
}
