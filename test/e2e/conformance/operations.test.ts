import { describe, expect, test as plainTest } from 'vitest'
import type { ApiResponse } from '../../../testing/api-client.ts'
import { createChat, expectBody, read, send } from '../../../testing/server-test.ts'
import { openScene, type Scene } from './scene.ts'
import { shapeProblems } from './shape-problems.ts'
import { SPECIFIED_REQUESTS, type SpecifiedRequest } from './specified-operations.ts'
import { type Spelling, spellBody, spellingsOf, spellQuery } from './spellings.ts'

const test = plainTest
  // biome-ignore lint/correctness/noEmptyPattern: the runner wants an object pattern to see what a fixture needs
  .extend('scene', { scope: 'file' }, async ({}, { onCleanup }) => {
    const scene = await openScene()
    onCleanup(() => scene[Symbol.asyncDispose]())
    return scene
  })

/** Returns a path under both API prefixes, the specified one first. */
function bothPrefixes(path: string): readonly string[] {
  const other = path.startsWith('/api/v1/') ? path.replace('/api/v1/', '/api/') : path.replace('/api/', '/api/v1/')
  return [path, other]
}

interface PrefixVariant {
  readonly path: string
  readonly spelling: Spelling
}

async function walk(
  scene: Scene,
  request: SpecifiedRequest,
  { path, spelling }: PrefixVariant,
): Promise<ApiResponse<unknown>> {
  const ids = { ...scene.ids, ...request.target?.(scene), ...(await request.fresh?.(scene)) }
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: keyof typeof ids) => encodeURIComponent(ids[name]))
  const body = bodyFor(scene, request)
  return await scene.server.call<unknown>(request.method, filled, {
    query: spellQuery(request.query?.(scene) ?? {}, spelling),
    ...(body !== undefined && { body: spellBody(body, spelling) }),
  })
}

function bodyFor(scene: Scene, { body }: SpecifiedRequest): object | undefined {
  return body && { workspaceId: scene.workspaceId, ...body(scene) }
}

/** Masks generated IDs, times and numbers. */
function masked(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replace(/_[0-9a-f]{26}/g, '_id')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
    .replace(/1555\d{7}/g, 'number')
    .replace(/"id":\d+/g, '"id":0')
  return JSON.parse(text)
}

describe('operation', () => {
  test.for(SPECIFIED_REQUESTS.map((request) => [`${request.row}: ${request.title}`, request] as const))(
    '%s',
    async ([, request], { scene }) => {
      const answers: unknown[] = []
      for (const path of bothPrefixes(request.path)) {
        for (const spelling of spellingsOf(request.query?.(scene) ?? {}, bodyFor(scene, request))) {
          const answer = await walk(scene, request, { path, spelling })
          const prefixVariant = `${request.method} ${path} (${spelling})`
          expect(answer.status, `${prefixVariant}: ${JSON.stringify(answer.body)}`).toBe(request.status)
          expect(answer.headers.get('x-ignored-fields'), prefixVariant).toBeNull()
          expect(answer.headers.get('x-request-id'), prefixVariant).toMatch(/^req_[0-9a-f]{26}$/)
          checkBody(scene, request, answer)
          answers.push(request.method === 'GET' ? answer.body : masked(answer.body))
        }
      }
      for (const answer of answers) expect(answer).toEqual(answers[0])
    },
  )

  function checkBody(scene: Scene, { answer, says }: SpecifiedRequest, { headers, body }: ApiResponse<unknown>): void {
    if (answer === undefined) {
      expect([body, headers.get('content-type')]).toEqual(['', null])
      return
    }
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(shapeProblems(body, answer)).toEqual([])
    if (Array.isArray(body)) expect(body).not.toHaveLength(0)
    if (says !== undefined) expect(body).toMatchObject(says(scene))
  }
})

test('every row of the specification is tested', () => {
  const rows = Array.from({ length: 29 }, (_, index) => index + 1)
  expect([...new Set(SPECIFIED_REQUESTS.map(({ row }) => row))]).toEqual(rows)
})

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>
}

interface DescribedOperation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly responses: Readonly<Record<string, unknown>>
}

test('the OpenAPI document contains the paths, parameters and statuses of the specification', async ({ scene }) => {
  const { paths } = await expectBody(200, scene.server.call<Description>('GET', '/openapi.json'))
  for (const request of SPECIFIED_REQUESTS) {
    const described = paths[request.path]?.[request.method.toLowerCase()]
    expect(Object.keys(described?.responses ?? {}), `${request.method} ${request.path}`).toContain(
      String(request.status),
    )
    const parameters = described?.parameters?.filter((parameter) => parameter.in === 'query') ?? []
    expect(parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(Object.keys(request.query?.(scene) ?? {})),
    )
  }
})

test('ending a chat twice returns the same response', async ({ scene: { server, ids } }) => {
  const { chatId } = await createChat(server, { agent_id: ids.agentId })
  const end = () => expectBody(200, send(server, 'POST', `/api/chats/${chatId}/end`))
  // An ended chat may have been analyzed in between.
  const { chatAnalysis: _analysis, chatCost: _cost, ...first } = await end()
  expect(await end()).toMatchObject(first)
})

test.for([
  ['the SID of the call', 'ca0123456789ABCDEF'],
  ['a part of a phone number', '5550100001'],
  ['the ID of the call', `call_${'1'.repeat(26)}`],
  ['a customer', 'ada love'],
  ['an agent', 'reception'],
] as const)('the call history can be searched for %s', async ([, text], { scene: { server } }) => {
  for (const name of ['search', 'q', 'query', 'searchText', 'search_text', 'search-text']) {
    const { calls } = await expectBody(
      200,
      read<{ calls: { callSid: string }[] }>(server, '/api/calls/history', { [name]: text }),
    )
    expect(calls.map(({ callSid }) => callSid)).toEqual(['CA0123456789abcdef'])
  }
})

test('aliases of the page size and the test case type are accepted', async ({ scene: { server } }) => {
  for (const name of ['perPage', 'per_page', 'per-page', 'pageSize', 'page_size', 'page-size', 'limit']) {
    expect(await expectBody(200, read(server, '/api/v1/calls', { [name]: 1 }))).toMatchObject({
      pagination: { limit: 1 },
    })
    expect(await expectBody(200, read(server, '/api/agents', { [name]: 1 }))).toHaveLength(1)
  }
  for (const name of ['responseEngineType', 'response_engine_type', 'response-engine-type']) {
    const cases = await expectBody(200, read<object[]>(server, '/api/test-case-definitions', { [name]: 'llm' }))
    expect(new Set(cases.map((item) => (item as { type: string }).type))).toEqual(new Set(['llm']))
  }
})

test('aliases must have equal values', async ({ scene: { server } }) => {
  const { status, body } = await read(server, '/api/agents', { limit: 1, page_size: 2 })
  expect([status, body.code]).toEqual([400, 'invalid_request'])
  expect((await read(server, '/api/agents', { limit: 1, page_size: 1 })).status).toBe(200)
})
