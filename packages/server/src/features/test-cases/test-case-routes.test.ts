import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { VersionStore } from '../../kernel/versions/version-store.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { registerTestCaseRoutes } from './test-case-routes.ts'
import { createTestCaseEngineUsers, createTestCaseService } from './test-case-service.ts'

const PATH = '/api/test-case-definitions'

/** Opens engines: `llm_a` (versions 1 to 3) and `llm_b` in workspace 1, `flow_a` in 1, `llm_x` in 2. */
async function openTestCases() {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const { clock, advance } = createManualClock()
  const stores = { llm: new VersionStore('llm'), 'conversation-flow': new VersionStore('conversation-flow') }
  const addVersion = (id: string, version: number) =>
    database.transaction((transaction) =>
      stores.llm.insertNext(transaction, { id, version, now: 0 }, { definition: {} }),
    )
  await database.transaction(async (transaction) => {
    await stores.llm.insert(transaction, { id: 'llm_a', workspaceId: 1, now: 0 }, { definition: {} })
    await stores.llm.insert(transaction, { id: 'llm_b', workspaceId: 1, now: 0 }, { definition: {} })
    await stores.llm.insert(transaction, { id: 'llm_x', workspaceId: 2, now: 0 }, { definition: {} })
    const flow = { id: 'flow_a', workspaceId: 1, now: 0 }
    await stores['conversation-flow'].insert(transaction, flow, { definition: {} })
  })
  await addVersion('llm_a', 2)
  await addVersion('llm_a', 3)
  let ids = 0
  const makeId = (prefix: string) => `${prefix}_${++ids}`
  const service = createTestCaseService({ database, clock, makeId, engines: stores })
  const routes = openRoutes({ database, clock, makeId }, (api) => registerTestCaseRoutes(api, service))
  return {
    database,
    advance,
    addVersion,
    ...routes,
    add: async (body: object) => {
      await advance(1)
      return (await routes.send(`POST ${PATH}`, { workspaceId: 1, name: 'Case', llm_id: 'llm_a', ...body })).body
    },
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

const getPaths = (body: { details: { path: string }[] }) => body.details.map(({ path }) => path)

test('a new test case has every field', async () => {
  await using cases = await openTestCases()
  const created = await cases.send(`POST ${PATH}`, { workspaceId: 1, name: 'Refund', llm_id: 'llm_a' })
  expect(created).toMatchObject({ status: 201, etag: '"1"' })
  expect(created.body).toEqual({
    test_case_definition_id: expect.stringMatching(/^test_case_/),
    workspaceId: 1,
    type: 'llm',
    llm_id: 'llm_a',
    conversation_flow_id: null,
    version: 3,
    name: 'Refund',
    description: '',
    user_prompt: '',
    metrics: [],
    dynamic_variables: {},
    tool_mocks: [],
    llm_model: null,
    max_turns: 30,
    created_at: '2026-01-05T12:00:00.000Z',
    updated_at: '2026-01-05T12:00:00.000Z',
  })
})

test('returns all fields as given', async () => {
  await using cases = await openTestCases()
  const requestBody = {
    test_case_definition_id: 'Refund-1',
    conversation_flow_id: 'flow_a',
    version: 1,
    name: 'Refund',
    description: 'Two orders',
    user_prompt: 'You want your money back.',
    metrics: ['The agent is polite', 'The refund is booked'],
    dynamic_variables: { order: '17', express: true },
    tool_mocks: [
      { tool_name: 'find_order', input_match_rule: { type: 'partial_match', args: { order_id: 17 } }, output: '{}' },
      { tool_name: 'refund', output: 'done', result: true },
    ],
    llm_model: 'offline',
    max_turns: 12,
  }
  const created = await cases.send(`POST ${PATH}`, { workspaceId: 1, ...requestBody })
  expect(created).toMatchObject({
    status: 201,
    body: {
      ...requestBody,
      type: 'conversation-flow',
      llm_id: null,
      dynamic_variables: { order: '17', express: 'true' },
      tool_mocks: [
        { ...requestBody.tool_mocks[0], result: null },
        { ...requestBody.tool_mocks[1], input_match_rule: { type: 'any' } },
      ],
    },
  })
  const read = await cases.send(`GET /api/v1/test-case-definitions/Refund-1?workspaceId=1`)
  expect(read).toMatchObject({ status: 200, etag: '"1"', body: created.body })
  expect((await cases.send(`GET ${PATH}/Refund-1?workspaceId=2`)).status).toBe(404)
})

test('an id is unique in the whole installation', async () => {
  await using cases = await openTestCases()
  await cases.add({ test_case_definition_id: 'mine' })
  for (const [workspaceId, llm_id] of [
    [1, 'llm_b'],
    [2, 'llm_x'],
  ]) {
    const duplicate = await cases.send(`POST ${PATH}`, {
      workspaceId,
      llm_id,
      name: 'x',
      test_case_definition_id: 'mine',
    })
    expect(duplicate).toMatchObject({
      status: 422,
      body: { code: 'id_taken', details: [{ path: 'test_case_definition_id' }] },
    })
  }
})

describe('rejected creations name the field', () => {
  test.each<[string, object, string[]]>([
    ['no engine', { llm_id: null }, ['llm_id']],
    ['two engines', { conversation_flow_id: 'flow_a' }, ['llm_id']],
    ['an unknown engine', { llm_id: 'llm_none' }, ['llm_id']],
    ['an engine of another workspace', { llm_id: 'llm_x' }, ['llm_id']],
    ['an engine of another kind', { llm_id: null, conversation_flow_id: 'llm_a' }, ['conversation_flow_id']],
    ['an unknown version', { version: 4 }, ['version']],
    ['no name', { name: '' }, ['name']],
    [
      'several problems at once',
      { name: null, test_case_definition_id: 'a b', version: 0, max_turns: 101, metrics: [''] },
      ['test_case_definition_id', 'version', 'name', 'metrics[0]', 'max_turns'],
    ],
    [
      'a mock with an invalid tool name',
      { tool_mocks: [{ tool_name: 'find order', output: '' }] },
      ['tool_mocks[0].tool_name'],
    ],
    [
      'a match without arguments',
      { tool_mocks: [{ tool_name: 'x', output: '', input_match_rule: { type: 'partial_match' } }] },
      ['tool_mocks[0].input_match_rule.args'],
    ],
    [
      'an output that is too long',
      { tool_mocks: [{ tool_name: 'x', output: 'x'.repeat(15_001) }] },
      ['tool_mocks[0].output'],
    ],
  ])('%s', async (_, body, paths) => {
    await using cases = await openTestCases()
    const valid = { workspaceId: 1, name: 'Case', llm_id: 'llm_a' }
    const response = await cases.send(`POST ${PATH}`, { ...valid, ...body })
    expect(response.status).toBe(400)
    expect(getPaths(response.body)).toEqual(paths)
  })
})

test('without a version, tests the newest, even after the engine got another', async () => {
  await using cases = await openTestCases()
  const { send, add, addVersion } = cases
  await add({ test_case_definition_id: 'follows' })
  await add({ test_case_definition_id: 'pinned', version: 3 })
  await addVersion('llm_a', 4)
  expect((await send(`GET ${PATH}/follows?workspaceId=1`)).body.version).toBe(4)
  expect((await send(`GET ${PATH}/pinned?workspaceId=1`)).body.version).toBe(3)
  expect((await send(`GET ${PATH}?workspaceId=1&version=4`)).body).toMatchObject([
    { test_case_definition_id: 'follows', version: 4 },
  ])
})

test('lists newest first, filtered and page by page', async () => {
  await using cases = await openTestCases()
  const { send, add } = cases
  await add({ test_case_definition_id: 'one' })
  await add({ test_case_definition_id: 'two', version: 1 })
  await add({ test_case_definition_id: 'three', llm_id: 'llm_b' })
  await add({ test_case_definition_id: 'four', llm_id: null, conversation_flow_id: 'flow_a' })
  await send(`POST ${PATH}`, { workspaceId: 2, name: 'x', llm_id: 'llm_x' })
  const listed = async (query: string) => {
    const response = await send(`GET ${PATH}?workspaceId=1${query}`)
    const items: { test_case_definition_id: string }[] = response.body
    return { ids: items.map((item) => item.test_case_definition_id), next: response.next }
  }
  expect(await listed('')).toEqual({ ids: ['four', 'three', 'two', 'one'], next: undefined })
  expect((await listed('&type=llm')).ids).toEqual(['three', 'two', 'one'])
  expect((await listed('&response_engine_type=conversation-flow')).ids).toEqual(['four'])
  expect((await listed('&llm_id=llm_a')).ids).toEqual(['two', 'one'])
  expect((await listed('&llmId=llm_a&version=1')).ids).toEqual(['two'])
  expect((await listed('&version=1')).ids).toEqual(['four', 'three', 'two'])
  expect((await listed('&conversationFlowId=flow_a')).ids).toEqual(['four'])
  expect((await listed('&conversationFlowId=llm_a')).ids).toEqual([])
  const firstPage = await listed('&type=llm&limit=2')
  expect(firstPage.ids).toEqual(['three', 'two'])
  expect(await listed(`&type=llm&limit=2&paginationKey=${firstPage.next}`)).toEqual({ ids: ['one'], next: undefined })
  expect((await send(`GET ${PATH}?workspaceId=1&version=0`)).status).toBe(400)
  expect((await send(`GET ${PATH}?workspaceId=1&type=custom-llm`)).status).toBe(400)
})

test('PATCH keeps absent fields, clears with null, and resets the version with another engine', async () => {
  await using cases = await openTestCases()
  const { send, add, advance } = cases
  await add({ test_case_definition_id: 'case', version: 2, metrics: ['polite'], llm_model: 'offline', max_turns: 5 })
  await advance(1000)
  const patch = (body: object) => send(`PATCH ${PATH}/case`, { workspaceId: 1, ...body })
  expect(await patch({ name: 'Case', llm_id: 'llm_a' })).toMatchObject({
    status: 200,
    etag: '"1"',
    body: { version: 2 },
  })
  expect(await patch({ name: 'Renamed' })).toMatchObject({
    etag: '"2"',
    body: { name: 'Renamed', metrics: ['polite'], version: 2, updated_at: '2026-01-05T12:00:01.001Z' },
  })
  expect(await patch({ metrics: null, llm_model: null, max_turns: null, version: null })).toMatchObject({
    body: { metrics: [], llm_model: null, max_turns: 30, version: 3 },
  })
  expect((await patch({ version: 1 })).body).toMatchObject({ llm_id: 'llm_a', version: 1 })
  expect((await patch({ llm_id: null, conversation_flow_id: 'flow_a' })).body).toMatchObject({
    type: 'conversation-flow',
    llm_id: null,
    conversation_flow_id: 'flow_a',
    version: 1,
  })
  expect((await patch({ llm_id: 'llm_a' })).body).toMatchObject({ type: 'llm', conversation_flow_id: null, version: 3 })
  expect((await patch({ conversation_flow_id: null })).body).toMatchObject({ llm_id: 'llm_a' })
  for (const [body, path] of [
    [{ llm_id: null }, 'llm_id'],
    [{ llm_id: 'llm_a', conversation_flow_id: 'flow_a' }, 'llm_id'],
    [{ conversation_flow_id: 'flow_none' }, 'conversation_flow_id'],
    [{ version: 9 }, 'version'],
  ] as const) {
    const response = await patch(body)
    expect(response.status).toBe(400)
    expect(getPaths(response.body)).toEqual([path])
  }
})

test('rejects edits of a stale state, and a deleted case is gone', async () => {
  await using cases = await openTestCases()
  const { send, add } = cases
  await add({ test_case_definition_id: 'case' })
  await send(`PATCH ${PATH}/case`, { workspaceId: 1, name: 'Two' }, { 'if-match': '"1"' })
  const stale = { 'if-match': '"1"' }
  expect((await send(`PATCH ${PATH}/case`, { workspaceId: 1, name: 'x' }, stale)).status).toBe(412)
  expect((await send(`DELETE ${PATH}/case?workspaceId=1`, undefined, stale)).status).toBe(412)
  expect((await send(`DELETE ${PATH}/case?workspaceId=2`)).status).toBe(404)
  expect(await send(`DELETE ${PATH}/case?workspaceId=1`, undefined, { 'if-match': '"2"' })).toMatchObject({
    status: 204,
    body: null,
  })
  expect((await send(`GET ${PATH}/case?workspaceId=1`)).status).toBe(404)
})

test('viewers read but cannot write', async () => {
  await using cases = await openTestCases()
  await cases.add({ test_case_definition_id: 'case' })
  const workspaces = new Map([[1, { level: 'viewer' as const, accountSid: SEEDED_TENANT }]])
  cases.actAs({ role: 'end_user', workspaces })
  expect((await cases.send(`GET ${PATH}/case?workspaceId=1`)).status).toBe(200)
  expect((await cases.send(`PATCH ${PATH}/case`, { workspaceId: 1, name: 'x' })).status).toBe(403)
})

test('an engine knows its test cases', async () => {
  await using cases = await openTestCases()
  await cases.add({ test_case_definition_id: 'b', name: 'Beta' })
  await cases.add({ test_case_definition_id: 'a', name: 'Alpha' })
  const users = createTestCaseEngineUsers()
  expect(await users.findUsers(cases.database.read, 1, 'llm_a')).toEqual([
    { id: 'a', name: 'Alpha' },
    { id: 'b', name: 'Beta' },
  ])
  expect(await users.findUsers(cases.database.read, 1, 'llm_b')).toEqual([])
  expect(await users.findUsers(cases.database.read, 2, 'llm_a')).toEqual([])
})
