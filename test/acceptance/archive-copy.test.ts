import { copyFile, mkdir } from 'node:fs/promises'
import type { Chat } from '@parley/contract/chat'
import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import type { WebhookDelivery, WebhookDeliveryDetail } from '@parley/contract/webhook'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import {
  createInstallation,
  createTemporaryFolder,
  readAllRows,
  SECRET_KEY,
} from '../../packages/server/src/platform/archive/archive-test-kit.ts'
import { openDatabase } from '../../packages/server/src/platform/database/sqlite-database.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { findPostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { seedCalls } from '../../testing/seed-calls.ts'
import { complete, createAgent, createChat, expectBody, read, send } from '../../testing/server-test.ts'
import { BASES, search } from '../e2e/knowledge/knowledge-test-kit.ts'
import { eventually } from '../full/cluster.ts'
import { makeDocuments, QUESTIONS, uploadDocuments, waitUntilRead } from '../full/knowledge-scene.ts'
import { UNREACHABLE_URL } from '../full/valid-account-bodies.ts'
import { dialogNodes } from '../full/valid-bodies.ts'
import { startCommand } from './archive-command.ts'

/** About 100,000 rows with the current tables. */
const ROWS_PER_TABLE = 3_600

const PARSERS: Readonly<Record<number, (text: string) => unknown>> = { 20: Number, 1700: Number }

/** Reads all rows of the tables through the server's client. */
async function dumpPostgres(url: string, tables: Record<string, unknown[]>): Promise<Record<string, unknown[]>> {
  const types = { getTypeParser: (oid: number) => PARSERS[oid] ?? pg.types.getTypeParser(oid) }
  const client = new pg.Client({ connectionString: url, types: types as pg.CustomTypesConfig })
  await client.connect()
  try {
    const found: Record<string, unknown[]> = {}
    for (const name of Object.keys(tables)) found[name] = (await client.query(`select * from "${name}"`)).rows
    return found
  } finally {
    await client.end()
  }
}

/** Sorted rows as texts with sorted columns, so that a difference is reported as a row number instead of a megabyte of JSON. */
function canonical(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row as object).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()
}

/** Omits finished work, because stopping changes it. */
function withoutRunningRows(tables: Record<string, unknown[]>): Record<string, unknown[]> {
  const { chats: _chats, turns: _turns, jobs: _jobs, ...rest } = tables
  return rest
}

test('a server on a restored backup gives the same answers', async () => {
  await using folder = await createTemporaryFolder()
  await using other = await createTemporaryFolder()
  await prepareEmbedded(folder.path)
  await copyFolder(folder.path, folder.file('old'))
  const file = folder.file('backup.gz')
  for (const [name, ...given] of [
    ['backup', '--to', file],
    ['restore', '--from', file],
  ] as const) {
    const DATA_DIR = name === 'backup' ? folder.path : other.path
    const { code, stderr } = await startCommand(name, { DATA_DIR, SECRET_KEY }, ...given).ended()
    expect(code, stderr).toBe(0)
  }
  await using before = await runServer({ dataDirectory: folder.file('old'), env: { SECRET_KEY } })
  await using after = await runServer({ dataDirectory: other.path, env: { SECRET_KEY } })
  expect(await readLists(after)).toEqual(await readLists(before))
})

describe.skipIf(findPostgres() === null)('db:copy to PostgreSQL', () => {
  test('100,000 rows are copied despite a kill in the middle', async () => {
    await using folder = await createTemporaryFolder()
    await using postgres = await startPrivatePostgres()
    const url = await postgres.createDatabase('copied')
    await createInstallation(folder.file('parley.db'), { rowsPerTable: ROWS_PER_TABLE })
    const settings = { DATA_DIR: folder.path, SECRET_KEY }

    const interruptedCommand = startCommand('db-copy', settings, '--to', url)
    await interruptedCommand.waitForOutput('copied messages: ')
    interruptedCommand.child.kill('SIGKILL')
    expect(await interruptedCommand.ended()).toMatchObject({ code: null, stdout: '' })
    const server = startCommand('backup', { ...settings, DATABASE_URL: url }, '--to', folder.file('unfinished.gz'))
    expect(await server.ended()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('contains an unfinished copy'),
    })

    const resumed = await startCommand('db-copy', settings, '--to', url).ended()
    expect(resumed.code, resumed.stderr).toBe(0)
    const [, copied, rate] =
      /Copied (\d+) rows in [\d.]+ s \((\d+) rows\/s\)\. Source and target are equal/.exec(resumed.stdout) ?? []
    const before = await readAllRows(folder.file('parley.db'))
    const total = Object.values(before).reduce((sum, rows) => sum + rows.length, 0)
    expect(total).toBeGreaterThan(100_000)
    expect(Number(copied)).toBeGreaterThan(0)
    expect(Number(copied)).toBeLessThan(total - ROWS_PER_TABLE)
    expect(Number(rate)).toBeGreaterThan(0)

    const after = await dumpPostgres(url, before)
    for (const [name, rows] of Object.entries(withoutRunningRows(before))) {
      const [expected, found] = [canonical(rows), canonical(after[name] ?? [])]
      expect(found.length, name).toBe(expected.length)
      expect(
        found.findIndex((row, index) => row !== expected[index]),
        name,
      ).toBe(-1)
    }
    expect(after.turns).toHaveLength(before.turns?.length ?? 0)
  })

  test('two servers, one on each database, give the same answers', async () => {
    await using folder = await createTemporaryFolder()
    await using postgres = await startPrivatePostgres()
    const url = await postgres.createDatabase('moved')
    await prepareEmbedded(folder.path)
    await copyFolder(folder.path, folder.file('old'))
    const copied = await startCommand('db-copy', { DATA_DIR: folder.path, SECRET_KEY }, '--to', url).ended()
    expect(copied.code, copied.stderr).toBe(0)

    await using before = await runServer({ dataDirectory: folder.file('old'), env: { SECRET_KEY } })
    await using after = await runServer({ env: { DATABASE_URL: url, SECRET_KEY } })
    const lists = await readLists(before)
    expect(await readLists(after)).toEqual(lists)
    expect(Object.values(lists).every((answer) => JSON.stringify(answer).length > 100)).toBe(true)
    const chat = (lists.chats as Chat[]).find(({ status }) => status === 'ongoing')
    expect(await complete(after, chat?.chatId ?? '', 'Still there?')).not.toEqual([])
    expect((lists.chat as Chat).chatAnalysis.summary).toMatch(/./)
    const { deliveryId, attemptCount } = lists.delivery as WebhookDeliveryDetail
    const path = `/api/webhook-deliveries/${deliveryId}`
    await expectBody(200, send(after, 'POST', `${path}/resend`))
    await eventually('another attempt', 20_000, async () => {
      const { body } = await read<WebhookDeliveryDetail>(after, path)
      return body.attempts.length > attemptCount || null
    })
  })
})

/** Creates a stopped installation with records of every kind. */
async function prepareEmbedded(dataDirectory: string): Promise<void> {
  await using server = await runServer({ dataDirectory, env: { SECRET_KEY } })
  await expectBody(
    201,
    send(server, 'POST', '/api/webhooks', { url: `${UNREACHABLE_URL}/hooks`, description: 'Ünï 🚲' }),
  )
  for (let index = 0; index < 5; index += 1) {
    const agent = await createAgent(server, { agent_name: `Agent ${index} Ünï 🚲` })
    const chat = await createChat(server, agent, { metadata: { index } })
    await complete(server, chat.chatId, `Hello ${index}`)
    if (index % 2 === 0) await expectBody(200, send(server, 'POST', `/api/chats/${chat.chatId}/end`))
  }
  await expectBody(201, send(server, 'POST', '/api/chats', { agentId: (await createAgent(server)).agent_id }))
  const { flow_component_id: component_id } = await expectBody(
    201,
    send(server, 'POST', '/api/flow-components', { name: 'Shared', nodes: dialogNodes('Be brief.') }),
  )
  const nodes = [{ id: 'part', type: 'component', name: 'Part', component_type: 'shared', component_id }]
  await expectBody(201, send(server, 'POST', '/api/conversation-flows', { nodes }))
  const base = await waitUntilRead(server, await uploadDocuments(server, await makeDocuments()), 60_000)
  expect(base.status).toBe('ready')
  // Six chats start; three end and are analyzed, each with webhook events that no receiver accepts.
  await eventually('the deliveries', 20_000, async () => {
    const failed = await read<unknown[]>(server, '/api/webhook-deliveries', { status: 'failed' })
    return failed.body.length === 6 + 3 + 3 || null
  })
  expect(await server.stop()).toMatchObject({ code: 0 })
  const database = await openDatabase({ file: `${dataDirectory}/parley.db`, clock: systemClock })
  await seedCalls(
    database,
    Array.from({ length: 2000 }, (_, index) => ({
      call_id: `call_${String(index * 7919).padStart(26, '0')}`,
      workspace_id: server.workspaceId,
      // Several in one millisecond are sorted by id.
      created_at: 1_795_219_200_000 + Math.floor(index / 3),
      customer_name: index % 5 === 0 ? `Zoë ${index}` : null,
      status: index % 4 === 0 ? 'not_connected' : 'ended',
    })),
  )
  await database.close()
}

async function copyFolder(from: string, to: string): Promise<void> {
  await mkdir(to)
  await copyFile(`${from}/parley.db`, `${to}/parley.db`)
}

async function readLists(server: RunningServer): Promise<Record<string, unknown>> {
  const paths = {
    llms: ['/api/v1/llms', {}],
    agents: ['/api/agents', {}],
    chats: ['/api/chats', {}],
    flows: ['/api/conversation-flows', {}],
    components: ['/api/flow-components', {}],
    bases: [BASES, {}],
    webhooks: ['/api/webhooks', {}],
    deliveries: ['/api/webhook-deliveries', {}],
    secrets: ['/api/signing-secret', {}],
    calls: ['/api/v1/calls', { limit: 100 }],
    found: ['/api/v1/calls/history', { search: 'zoë 1', limit: 50 }],
    missed: ['/api/v1/calls/history', { status: 'not_connected', limit: 20 }],
  } as const
  const answers: Record<string, unknown> = {}
  const readOne = async (name: string, path: string, query = {}): Promise<void> => {
    answers[name] = await expectBody(200, read(server, path, query))
  }
  for (const [name, [path, query]] of Object.entries(paths)) await readOne(name, path, query)
  const ended = (answers.chats as Chat[]).find(({ status }) => status === 'completed')
  const [delivery] = answers.deliveries as WebhookDelivery[]
  await readOne('turns', `/api/chats/${ended?.chatId}/turns`)
  await readOne('chat', `/api/chats/${ended?.chatId}`)
  await readOne('delivery', `/api/webhook-deliveries/${delivery?.deliveryId}`)
  const [base] = answers.bases as KnowledgeBase[]
  const basePath = `${BASES}/${base?.knowledgeBaseId}`
  await readOne('base', basePath)
  for (const { source_id } of (answers.base as KnowledgeBase).sources) {
    await readOne(`chunks of ${source_id}`, `${basePath}/sources/${source_id}/chunks`, { limit: 1000 })
  }
  for (const question of QUESTIONS) {
    answers[question] = await search(server, base as KnowledgeBase, question, { topK: 10 })
  }
  return answers
}
