import { describe, expect, test as plainTest } from 'vitest'
import type { ApiResponse } from '../../../testing/api-client.ts'
import { type RunningServer, runServer } from '../../../testing/running-server.ts'
import { seedCalls } from '../../../testing/seed-calls.ts'
import { withStoppedServer } from '../../../testing/server-database.ts'
import { expectBody, read } from '../../../testing/server-test.ts'
import { CLONES, cloneId, cloneTime, newestFirst } from './cloned-rows.ts'
import { LOGIN, makeTemplates, PAGED_LISTS, type PagedList, type Templates, writeClones } from './paged-lists.ts'

interface Stage {
  readonly server: RunningServer
  readonly templates: Templates
}

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('stage', { scope: 'file' }, async ({}, { onCleanup }): Promise<Stage> => {
    const env = { BOOTSTRAP_EMAIL: LOGIN.email, BOOTSTRAP_PASSWORD: LOGIN.password }
    const server = await runServer({ env })
    onCleanup(() => server[Symbol.asyncDispose]())
    const templates = await makeTemplates(server)
    const calls = Array.from({ length: CLONES }, (_, index) => ({
      call_id: cloneId('call', index),
      created_at: cloneTime(index),
    }))
    await withStoppedServer(server, async (database) => {
      await writeClones(database, templates)
      await seedCalls(database, calls)
    })
    return { server, templates }
  })

// Filling the lists takes longer than the timeout of a test.
test.beforeAll(({ stage }) => void stage)

type Item = Readonly<Record<string, string | number>>
type Page = ApiResponse<Item[]>
type Query = Readonly<Record<string, string | number>>

const LINK = /^<(\/api\/\S+)>; rel="next"$/

/** Gets one page of a list. */
function readPage({ server, templates }: Stage, list: PagedList, query: Query = {}): Promise<Page> {
  const headers: Record<string, string> = list.needsLogin ? { authorization: '', cookie: templates.cookie } : {}
  return server.call<Item[]>('GET', list.path(templates), { headers, query: { ...workspaceOf(list), ...query } })
}

/** Account lists do not belong to a workspace, so a workspace would be reported as ignored. */
const workspaceOf = ({ path }: PagedList): Query =>
  /^\/api\/(auth|tokens|tenants|providers|workspaces|audit-log)/.test(path({} as Templates)) ? {} : { workspaceId: 1 }

/** Follows `Link` from a page to the end. */
async function followLinks({ server, templates }: Stage, list: PagedList, first: Page): Promise<Page[]> {
  const pages = [first]
  for (let page = first; page.headers.get('x-has-more') === 'true'; pages.push(page)) {
    const [, next = ''] = LINK.exec(page.headers.get('link') ?? '') ?? []
    const headers: Record<string, string> = list.needsLogin ? { authorization: '', cookie: templates.cookie } : {}
    page = await server.call<Item[]>('GET', next, { headers })
    expect(page.status).toBe(200)
  }
  return pages
}

/** Expects each copy exactly once and in order among the other items. */
function expectAll(list: PagedList, pages: readonly Page[]): (string | number)[] {
  const keys = pages.flatMap(({ body }) => body.map((item) => item[list.key] ?? ''))
  expect(new Set(keys).size).toBe(keys.length)
  const copies = new Set(list.expected)
  expect(keys.filter((key) => copies.has(key))).toEqual(list.expected)
  return keys
}

describe.each(PAGED_LISTS.map((list) => [list.name, list] as const))('the list of %s', (_name, list) => {
  test('returns every item exactly once', async ({ stage }) => {
    const first = await readPage(stage, list)
    expect(first.status, JSON.stringify(first.body)).toBe(200)
    expect(first.headers.get('x-ignored-fields')).toBeNull()
    const pages = await followLinks(stage, list, first)
    expectAll(list, pages)
    const last = pages.pop()
    for (const { body, headers } of pages) {
      expect(body).toHaveLength(list.defaultLimit)
      expect(headers.get('x-next-pagination-key')).toMatch(/^[\w-]+$/)
      const version = headers.get('x-next-pagination-key-version')
      expect(version === null).toBe(list.hasVersions !== true)
      if (version !== null) expect(Number(version)).toBe(body.at(-1)?.version ?? Number(version))
    }
    for (const name of ['link', 'x-next-pagination-key', 'x-next-pagination-key-version']) {
      expect(last?.headers.get(name), name).toBeNull()
    }
    expect(last?.headers.get('x-has-more')).toBe('false')
  })

  test('keeps its pages when items are added', async ({ stage }) => {
    const before = expectAll(list, await followLinks(stage, list, await readPage(stage, list, { limit: 1000 })))
    const pages = [await readPage(stage, list, { limit: 333 })]
    await list.create?.(stage.server, stage.templates)
    for (let page = pages[0]; page?.headers.get('x-has-more') === 'true'; pages.push(page)) {
      const version = page.headers.get('x-next-pagination-key-version')
      page = await readPage(stage, list, {
        limit: 333,
        'pagination-key': page.headers.get('x-next-pagination-key') ?? '',
        ...(version !== null && { pagination_key_version: version }),
      })
      expect(page.status).toBe(200)
    }
    expect(expectAll(list, pages)).toEqual(before)
    if (list.create === undefined) return
    const after = expectAll(list, await followLinks(stage, list, await readPage(stage, list, { limit: 1000 })))
    expect(after).toHaveLength(before.length + 1)
    expect(after.slice(-before.length)).toEqual(before)
  })

  test('limits its page size', async ({ stage }) => {
    const one = await readPage(stage, list, { limit: 1 })
    expect([one.status, one.body.length, one.headers.get('x-has-more')]).toEqual([200, 1, 'true'])
    expect((await readPage(stage, list, { limit: 1000 })).body).toHaveLength(1000)
    for (const query of [{ limit: 0 }, { limit: 1001 }, { limit: -1 }, { limit: 'all' }, { paginationKey: 'none' }]) {
      const { status, body } = await readPage(stage, list, query)
      expect([status, (body as unknown as { code: string }).code], JSON.stringify(query)).toEqual([
        400,
        'invalid_request',
      ])
    }
  })
})

interface CallPage {
  readonly calls: readonly { readonly callId: string }[]
  readonly pagination: Readonly<Record<string, number>>
}

describe.each([
  ['calls', '/api/v1/calls', {}],
  ['the call history', '/api/v1/calls/history', { pages: true }],
  ['a search of the call history', '/api/v1/calls/history?search=front%20desk', { pages: true, tiesByEntry: true }],
] as const)('the list of %s', (_name, path, options: { pages?: boolean; tiesByEntry?: boolean }) => {
  const { pages: tellsPages = false, tiesByEntry = false } = options
  // The text index returns items by time and entry instead of time and ID; PostgreSQL does not need one.
  const byEntry = Array.from({ length: CLONES }, (_, index) => cloneId('call', CLONES - 1 - index))
  const expected =
    tiesByEntry && process.env.TEST_DATABASE_URL === undefined
      ? byEntry
      : newestFirst((index) => cloneId('call', index))
  const readCalls = async ({ server }: Stage, query: Query) =>
    await expectBody(200, read<CallPage>(server, path, query))
  const pagination = (page: number, limit: number) => ({
    page,
    limit,
    total: CLONES,
    ...(tellsPages && { pages: Math.ceil(CLONES / limit) }),
  })

  test('returns every item exactly once', async ({ stage }) => {
    const ids: string[] = []
    for (let page = 1; page <= CLONES / 100; page += 1) {
      const answer = await readCalls(stage, { page, limit: 100 })
      expect(answer.pagination).toEqual(pagination(page, 100))
      ids.push(...answer.calls.map(({ callId }) => callId))
    }
    expect(ids).toEqual(expected)
  })

  test('is empty after its end and has 20 calls per page', async ({ stage }) => {
    expect(await readCalls(stage, { page: 26, limit: 100 })).toMatchObject({
      calls: [],
      pagination: pagination(26, 100),
    })
    expect(await readCalls(stage, { page: 2_147_483_647 })).toMatchObject({ calls: [] })
    const first = await readCalls(stage, {})
    expect(first.pagination).toEqual(pagination(1, 20))
    expect(first.calls.map(({ callId }) => callId)).toEqual(expected.slice(0, 20))
    const uneven = await readCalls(stage, { page: 358, limit: 7 })
    expect(uneven.calls.map(({ callId }) => callId)).toEqual(expected.slice(-1))
  })

  test('limits its page size', async ({ stage: { server } }) => {
    expect((await read(server, path, { limit: 100, page: 1 })).status).toBe(200)
    for (const query of [{ limit: 101 }, { limit: 0 }, { page: 0 }, { page: -1 }, { page: 1.5 }, { limit: '' }]) {
      const { status, body } = await read(server, path, query)
      expect([status, body.code, body.success], JSON.stringify(query)).toEqual([400, 'invalid_request', false])
    }
  })
})
