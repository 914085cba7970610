import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Scope } from '@parley/contract/access'
import { ErrorBody } from '@parley/contract/errors'
import { operations } from '@parley/contract/index'
import { type Operation, pathsOf } from '@parley/contract/operation'
import { describe, expect, test as plainTest } from 'vitest'
import type { Answer } from '../../testing/api-client.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { goodBody, type KnownIds, makeIds } from './good-requests.ts'

const SCOPES: readonly Scope[] = ['read', 'write', 'calls', 'admin']
/** Stands in everything that the owner's workspace holds. */
const MARK = 'Confidential-4711'
const ALL: readonly Operation[] = Object.values(operations)
const GUARDED = ALL.filter(({ access }) => access !== 'public')

/** The operation of each, with what it needs, on the owner's resources. */
interface Stage {
  readonly server: RunningServer
  /** Of workspace 1. */
  readonly owned: KnownIds
  /** Of workspace 2. */
  readonly other: KnownIds
  /** What workspace 1 answers to its owner, before anybody tried anything. */
  readonly before: string
}

interface TokenRow {
  readonly scopes?: readonly Scope[]
  readonly workspaceIds?: readonly number[] | null
  readonly revokedAt?: number | null
  readonly expiresAt?: number | null
}

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('stage', { scope: 'file' }, async ({}, { onCleanup }): Promise<Stage> => {
    const server = await runServer()
    onCleanup(() => server[Symbol.asyncDispose]())
    await server.stop()
    writeAccounts(server.dataDirectory)
    await server.start()
    const owned = await makeIds(server, 1, MARK)
    const other = await makeIds(server, 2, 'Other')
    return { server, owned, other, before: await snapshot(server, owned) }
  })

/** A second workspace of the same account, and tokens that may less than everything. */
function writeAccounts(dataDirectory: string): void {
  const database = new DatabaseSync(join(dataDirectory, 'parley.db'))
  const now = Date.now()
  database.exec(`
    insert into workspaces select 2, account_sid, 'Second', 0, 20, 0, 100, ${now} from workspaces where workspace_id = 1`)
  const owner = database.prepare('select user_id from users').get()?.user_id ?? ''
  const insert = database.prepare(
    `insert into api_tokens (token_id, token_hash, user_id, name, scopes, workspace_ids, expires_at, revoked_at, created_at)
      values (?, ?, ?, '', ?, ?, ?, ?, ${now})`,
  )
  const add = (token: string, row: TokenRow): void => {
    const { scopes = SCOPES, workspaceIds = null, expiresAt = null, revokedAt = null } = row
    const hash = createHash('sha256').update(token).digest('hex')
    const workspaces = workspaceIds === null ? null : JSON.stringify(workspaceIds)
    insert.run(`token_${token}`, hash, owner, JSON.stringify(scopes), workspaces, expiresAt, revokedAt)
  }
  add('revoked-token-0123456789', { revokedAt: now })
  add('expired-token-0123456789', { expiresAt: now })
  add('second-token-0123456789', { workspaceIds: [2] })
  add('nowhere-token-0123456789', { workspaceIds: [] })
  for (const scope of SCOPES) {
    add(`without-${scope}-0123456789`, { scopes: SCOPES.filter((other) => other !== scope) })
    add(`only-${scope}-0123456789`, { scopes: [scope] })
  }
  database.close()
}

/** Sends a request that is good in every way but what `as` and `ids` make of it. */
async function attempt(
  server: RunningServer,
  operation: Operation,
  { as, ids, workspaceId = ids.workspaceId, alias = false }: Attempt,
): Promise<Answer> {
  const template = pathsOf(operation)[alias ? 1 : 0]
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => ids.values[name as keyof KnownIds['values']])
  const body = goodBody(operation, ids)
  return await server.call(operation.method, path, {
    headers: { authorization: as },
    ...(operation.workspace === 'query' && { query: { workspaceId } }),
    ...(body !== undefined && { body: { ...(body as object), workspaceId } }),
  })
}

interface Attempt {
  /** The `Authorization` header; empty for none. */
  readonly as: string
  readonly ids: KnownIds
  /** Another one than the ids'. */
  readonly workspaceId?: number
  readonly alias?: boolean
}

function expectRefusal({ status, headers, body }: Answer, expected: { status: number; code: string }): void {
  expect([status, body.code], JSON.stringify(body)).toEqual([expected.status, expected.code])
  expect(ErrorBody.strict().safeParse(body).error).toBeUndefined()
  expect(JSON.stringify([body, [...headers]])).not.toContain(MARK)
}

/** Everything that the owner can read of a workspace's resources. */
async function snapshot(server: RunningServer, { workspaceId, values }: KnownIds): Promise<string> {
  const paths = [
    `/api/llms/${values.llmId}`,
    `/api/llms/${values.llmId}/versions`,
    `/api/agents/${values.agentId}`,
    `/api/agents/${values.agentId}/versions`,
    `/api/chats/${values.chatId}`,
    '/api/v1/llms',
    '/api/agents',
    '/api/chats',
    '/api/signing-secret',
  ]
  const answers = await Promise.all(paths.map((path) => server.call('GET', path, { query: { workspaceId } })))
  for (const { status } of answers) expect(status).toBe(200)
  return JSON.stringify(answers.map(({ body }) => body))
}

const STRANGERS = {
  'no token': '',
  'another scheme': 'Basic b3duZXI6cGFzc3dvcmQ=',
  'a word alone': 'Bearer',
  'an unknown token': 'Bearer sk_0000000000000000000000000000000000000000000000000000000000000000',
  'a revoked token': 'Bearer revoked-token-0123456789',
  'an expired token': 'Bearer expired-token-0123456789',
  'two tokens': 'Bearer owner-token-for-tests-0123456789 owner-token-for-tests-0123456789',
}

describe.for(GUARDED)('$name', (operation) => {
  const scope = operation.access as Scope

  test('refuses whoever has no token that counts', async ({ stage: { server, owned } }) => {
    for (const as of Object.values(STRANGERS)) {
      for (const alias of [false, true]) {
        const answer = await attempt(server, operation, { as, ids: owned, alias })
        expectRefusal(answer, { status: 401, code: 'unauthorized' })
        expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      }
    }
  })

  test('needs its scope', async ({ stage: { server, owned } }) => {
    const others = SCOPES.filter((other) => other !== scope).map((other) => `Bearer only-${other}-0123456789`)
    for (const as of [`Bearer without-${scope}-0123456789`, ...others]) {
      expectRefusal(await attempt(server, operation, { as, ids: owned }), { status: 403, code: 'forbidden' })
    }
  })
})

const SCOPED = GUARDED.filter(({ workspace }) => workspace !== 'none')

describe.for(SCOPED)('$name', (operation) => {
  test('refuses workspaces out of reach, existing or not, in the same words', async ({ stage: { server, owned } }) => {
    for (const token of ['second', 'nowhere']) {
      const as = `Bearer ${token}-token-0123456789`
      const existing = await attempt(server, operation, { as, ids: owned })
      const invented = await attempt(server, operation, { as, ids: owned, workspaceId: 999 })
      for (const answer of [existing, invented]) {
        expectRefusal(answer, { status: 403, code: 'workspace_forbidden' })
      }
      const words = [
        String(existing.body.error).replace('workspace 1', ''),
        String(invented.body.error).replace('workspace 999', ''),
      ]
      expect(words[0]).toBe(words[1])
    }
  })
})

const NAMING_OTHERS = GUARDED.filter(({ path, name }) => path.includes('{') || /^create(Agent|Chat)$/.test(name))

describe.for(NAMING_OTHERS)('$name', (operation) => {
  test('does not find what belongs to another workspace', async ({ stage: { server, owned } }) => {
    const as = 'Bearer second-token-0123456789'
    const answer = await attempt(server, operation, { as, ids: owned, workspaceId: 2 })
    const isBodyField = operation.name === 'createAgent'
    const expected = isBodyField ? { status: 400, code: 'invalid_request' } : { status: 404, code: 'not_found' }
    expectRefusal(answer, expected)
  })
})

describe.for(SCOPED.filter(({ method }) => method === 'GET'))('$name', (operation) => {
  test('answers its own workspace alone to a token of another', async ({ stage: { server, other } }) => {
    const answer = await attempt(server, operation, { as: 'Bearer second-token-0123456789', ids: other })
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).not.toContain(MARK)
  })
})

test('an agent cannot be moved onto an engine of another workspace', async ({ stage: { server, owned, other } }) => {
  const { status, body } = await server.call('PATCH', `/api/agents/${other.values.agentId}`, {
    headers: { authorization: 'Bearer second-token-0123456789' },
    body: { workspaceId: 2, response_engine: { type: 'llm', llm_id: owned.values.llmId } },
  })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
})

test('the list of workspaces holds what a token reaches', async ({ stage: { server } }) => {
  const idsOf = async (token: string): Promise<number[]> => {
    const { body } = await server.call<{ workspaces: { id: number }[] }>('GET', '/api/workspaces', {
      headers: { authorization: `Bearer ${token}` },
    })
    return body.workspaces.map(({ id }) => id)
  }
  expect(await idsOf('second-token-0123456789')).toEqual([2])
  expect(await idsOf('nowhere-token-0123456789')).toEqual([])
  expect(await idsOf('only-read-0123456789')).toEqual([1, 2])
})

test('an Idempotency-Key stands for one request, in whichever workspace', async ({ stage: { server } }) => {
  const send = (workspaceId: number) =>
    server.call('POST', '/api/v1/llms', {
      headers: { 'idempotency-key': 'mine' },
      body: { workspaceId, display_name: 'K' },
    })
  expect((await send(2)).status).toBe(201)
  expect((await send(1)).status).toBe(422)
})

test('a token revoked meanwhile stops within seconds', async ({ stage: { server } }) => {
  const as = { headers: { authorization: 'Bearer only-admin-0123456789' }, query: { workspaceId: 2 } }
  expect((await server.call('GET', '/api/signing-secret', as)).status).toBe(200)
  const database = new DatabaseSync(join(server.dataDirectory, 'parley.db'), { timeout: 5000 })
  database
    .prepare(`update api_tokens set revoked_at = ? where token_id = 'token_only-admin-0123456789'`)
    .run(Date.now())
  database.close()
  const until = Date.now() + 8_000
  let status = 200
  while (status === 200 && Date.now() < until) status = (await server.call('GET', '/api/signing-secret', as)).status
  expect(status).toBe(401)
})

test('nobody has changed or read anything of the owner’s', async ({ stage: { server, owned, before } }) => {
  const after = await snapshot(server, owned)
  expect(after).toBe(before)
  expect(after).toContain(MARK)
})
