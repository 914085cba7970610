import { operations } from '@parley/contract/index'
import type { Operation } from '@parley/contract/operation'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { complete } from '../../testing/server-test.ts'
import { startVoiceServer } from '../../testing/voice-server/voice-server.ts'
import { type Exchange, problemOf } from './answer-problem.ts'
import { type GeneratedScene, startScene } from './generated-scene.ts'
import { malformedRequest } from './malformed-requests.ts'
import { createSender, describeRequest, type RawRequest } from './raw-request.ts'
import { validRequest } from './valid-requests.ts'

/** Number of requests by tier. Each sends every operation several times. */
const REQUESTS_BY_TIER: Readonly<Record<string, number>> = {
  acceptance: 20_000,
  postgres: 2_000,
  'postgres-all': 6_000,
}
/** `REQUESTS` and `SEED` repeat a run with the same requests, except for ids and unique names. */
const REQUESTS = Number(process.env.REQUESTS ?? REQUESTS_BY_TIER[process.env.TIER ?? ''] ?? 4_000)
const CONCURRENT_REQUESTS = 16
/** Number of requests that are prepared in advance. */
const CHUNK = 200
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

const ALL: readonly Operation[] = Object.values(operations)

/** Operations that hash or verify a password, which keeps a core busy. */
const COSTLY: ReadonlySet<string> = new Set([
  'login',
  'changePassword',
  'confirmPassword',
  'resetPassword',
  'acceptInvitation',
])

/** Operations that cannot succeed: built-in model turns end too soon, and only the invited user can accept. */
const NEVER_ACCEPTED: ReadonlySet<string> = new Set(['cancelTurn', 'acceptInvitation'])

/** Maximum number of requests with which an operation may have no success. */
const FEW = 10

interface Planned {
  readonly operation: Operation
  readonly isValid: boolean
  readonly isRouted: boolean
  readonly prepare: () => RawRequest
}

interface Count {
  sent: number
  accepted: number
}

test(`${REQUESTS} generated requests get well-formed responses (SEED=${seed})`, { timeout: 300_000 }, async () => {
  await using voices = await startVoiceServer()
  await using scene = await startScene(voices.url)
  const { server } = scene
  const counts = new Map(ALL.map(({ name }): [string, Count] => [name, { sent: 0, accepted: 0 }]))
  const statuses = new Map<number, number>()
  const sender = createSender(server.url, CONCURRENT_REQUESTS)
  const planned = plan(scene)
  /** The first request for each kind of problem. */
  const problems = new Map<string, string>()
  const work = async (): Promise<void> => {
    for (const { number, one } of planned) {
      const sent = one.prepare()
      const report = `SEED=${seed} request ${number}, ${one.isValid ? 'valid' : 'spoilt'}\n${describeRequest(sent)}`
      const answer = await sender.send(sent).catch((cause: unknown) => {
        throw new Error(`No answer: ${report}\n${server.output}`, { cause })
      })
      const problem = problemOf({ ...one, sent, answer })
      const kind = `${one.operation.name}: ${problem}`
      if (problem !== null && !problems.has(kind)) {
        problems.set(kind, `${report}\n${answer.status} ${answer.text.slice(0, 2000)}\n${server.output.slice(-2000)}`)
      }
      if (one.isValid) count({ ...one, sent, answer }, scene, counts)
      else statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, work))
  sender.close()
  expect([...problems].map(([kind, report]) => `${kind}\n${report}`).join('\n\n')).toBe('')
  // The live call is still running.
  const held = await server.call('GET', `/api/v1/calls/${scene.ids.values.liveCallId}`)
  expect(held.body.call).toMatchObject({ status: 'ongoing', disconnectionReason: null })
  checkShares(counts)
  // Malformed requests must fail in more than one way.
  expect(statuses.get(400) ?? 0).toBeGreaterThan(REQUESTS / 10)
  expect(statuses.get(404) ?? 0).toBeGreaterThan(0)
  expect((await server.call('GET', '/readyz')).status).toBe(200)
  expect(await complete(server, scene.ids.values.chatId, 'Are you still there?')).toHaveLength(1)
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
})

/** Yields the requests in order. Several loops can consume it. */
function* plan(scene: GeneratedScene): Generator<{ readonly number: number; readonly one: Planned }> {
  const requests = fc.oneof(
    ...ALL.map((operation) => ({
      weight: COSTLY.has(operation.name) ? 1 : 4,
      arbitrary: fc.oneof(
        validRequest(operation, scene).map(
          (prepare): Planned => ({ operation, isValid: true, isRouted: true, prepare }),
        ),
        malformedRequest(operation, scene).map(
          ({ request, isRouted }): Planned => ({ operation, isValid: false, isRouted, prepare: () => request }),
        ),
      ),
    })),
  )
  for (let number = 0; number < REQUESTS; ) {
    const numRuns = Math.min(CHUNK, REQUESTS - number)
    for (const one of fc.sample(requests, { seed: seed + number, numRuns })) {
      yield { number, one }
      number += 1
    }
  }
}

function count({ operation, answer }: Exchange, scene: GeneratedScene, counts: ReadonlyMap<string, Count>): void {
  const found = counts.get(operation.name)
  if (found === undefined) return
  found.sent += 1
  if (answer.status >= 300) return
  found.accepted += 1
  if (answer.headers['content-type']?.startsWith('application/json') !== true) return
  scene.created.note(operation.name, { headers: answer.headers, body: JSON.parse(answer.text) })
}

/** Checks that most valid requests succeed, and one per operation with a body. `SHARES=1` prints all shares. */
function checkShares(counts: ReadonlyMap<string, Count>): void {
  const table = [...counts].map(([name, { sent, accepted }]) => `${name}: ${accepted} of ${sent}`).join('\n')
  if (process.env.SHARES !== undefined) console.log(table)
  const never = ALL.filter(({ name, body }) => {
    const { sent, accepted } = counts.get(name) ?? { sent: 0, accepted: 0 }
    return body !== undefined && accepted === 0 && sent > FEW && !NEVER_ACCEPTED.has(name)
  })
  expect(
    never.map(({ name }) => name),
    table,
  ).toEqual([])
  const all = [...counts.values()]
  const accepted = all.reduce((sum, one) => sum + one.accepted, 0)
  expect(accepted / all.reduce((sum, one) => sum + one.sent, 0), table).toBeGreaterThan(0.8)
}
