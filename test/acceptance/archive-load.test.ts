import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createTemporaryFolder, SECRET_KEY } from '../../packages/server/src/platform/archive/archive-test-kit.ts'
import { findPostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { type RunningServer, runServer } from '../../testing/running-server.ts'
import { complete, createAgent, createChat, readChat } from '../../testing/server-test.ts'
import { startCommand } from './archive-command.ts'

const CLIENTS = 6

/** Queries for inconsistencies. A consistent snapshot has none. */
const RULES: Readonly<Record<string, string>> = {
  'chats count their messages': `select chat_id from chats
    where message_count <> (select count(*) from messages where messages.chat_id = chats.chat_id)`,
  'chats count their turns': `select chat_id from chats
    where turn_count <> (select count(*) from turns where turns.chat_id = chats.chat_id)`,
  'every turn has its message': `select turn_id from turns where not exists
    (select 1 from messages where messages.chat_id = turns.chat_id and message_id = turns.user_message_id)`,
  'positions are contiguous': `select chat_id from messages group by chat_id
    having min(position) <> 0 or max(position) <> count(*) - 1`,
  'no turn runs': `select turn_id from turns where status = 'running'`,
  'no chat waits for a turn': 'select chat_id from chats where active_turn_id is not null',
  'no job runs': `select job_id from jobs where status = 'running'`,
}

type Query = (sql: string) => Promise<unknown[]>

/** Sends messages to new chats until stopped. Resolves to the number of answered turns. */
async function talk(server: RunningServer, agentId: string, shouldStop: () => boolean): Promise<number> {
  let turns = 0
  while (!shouldStop()) {
    const chat = await createChat(server, { agent_id: agentId })
    for (let turn = 0; turn < 5 && !shouldStop(); turn += 1) {
      await complete(server, chat.chatId, `Turn ${turn}`)
      turns += 1
    }
  }
  return turns
}

/** Backs up the installation while all clients work. Returns an earlier chat. */
async function backUpUnderLoad(server: RunningServer, settings: Record<string, string>, file: string): Promise<string> {
  const { agent_id } = await createAgent(server)
  const early = await createChat(server, { agent_id })
  await complete(server, early.chatId, 'Before the backup')
  let isBackupDone = false
  const clients = Array.from({ length: CLIENTS }, () => talk(server, agent_id, () => isBackupDone))
  // Enough data that clients write during the backup.
  const backgroundLoad = talk(server, agent_id, () => isBackupDone)
  await completeTurns(server, agent_id, 20)
  const saved = await startCommand('backup', settings, '--to', file).ended()
  expect(saved.code, saved.stderr).toBe(0)
  isBackupDone = true
  const turns = await Promise.all([...clients, backgroundLoad])
  expect(turns.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(CLIENTS)
  return early.chatId
}

async function completeTurns(server: RunningServer, agentId: string, turns: number): Promise<void> {
  let left = turns
  await talk(server, agentId, () => left-- <= 0)
}

async function checkRules(query: Query): Promise<void> {
  for (const [rule, sql] of Object.entries(RULES)) expect(await query(sql), rule).toEqual([])
  const [row] = (await query('select count(*) as messages from messages')) as { messages: unknown }[]
  expect(Number(row?.messages)).toBeGreaterThan(20)
}

/** The restored installation answers and remembers the chat. */
async function checkServer(server: RunningServer, chatId: string): Promise<void> {
  const contents = (await readChat(server, chatId)).messages.map(({ content }) => content)
  expect(contents).toContain('Before the backup')
  expect(await complete(server, chatId, 'After the restore')).not.toEqual([])
}

test('a backup of a busy embedded installation is consistent', async () => {
  await using folder = await createTemporaryFolder()
  await using other = await createTemporaryFolder()
  await using server = await runServer({ dataDirectory: folder.path, env: { SECRET_KEY } })
  const chatId = await backUpUnderLoad(server, { DATA_DIR: folder.path, SECRET_KEY }, folder.file('saved.gz'))
  const settings = { DATA_DIR: other.path, SECRET_KEY }
  const restored = await startCommand('restore', settings, '--from', folder.file('saved.gz')).ended()
  expect(restored.code, restored.stderr).toBe(0)
  const database = new DatabaseSync(other.file('parley.db'), { readOnly: true })
  try {
    await checkRules(async (sql) => database.prepare(sql).all())
  } finally {
    database.close()
  }
  await using again = await runServer({ dataDirectory: other.path, env: { SECRET_KEY } })
  await checkServer(again, chatId)
})

describe.skipIf(findPostgres() === null)('a backup of a busy installation on PostgreSQL', () => {
  test('is consistent, and can be restored into either database', async () => {
    await using folder = await createTemporaryFolder()
    await using other = await createTemporaryFolder()
    await using postgres = await startPrivatePostgres()
    const from = { DATABASE_URL: await postgres.createDatabase('busy'), SECRET_KEY }
    const to = { DATABASE_URL: await postgres.createDatabase('restored'), SECRET_KEY }
    await using server = await runServer({ env: from })
    const chatId = await backUpUnderLoad(server, from, folder.file('saved.gz'))

    const running = await startCommand(
      'db-copy',
      { SECRET_KEY },
      '--from',
      from.DATABASE_URL,
      '--to',
      to.DATABASE_URL,
    ).ended()
    expect(running).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/A server is using .*: stop all nodes, then copy/),
    })

    for (const settings of [to, { DATA_DIR: other.path, SECRET_KEY }]) {
      const restored = await startCommand('restore', settings, '--from', folder.file('saved.gz')).ended()
      expect(restored.code, restored.stderr).toBe(0)
    }
    const client = new pg.Client({ connectionString: to.DATABASE_URL })
    await client.connect()
    try {
      await checkRules(async (sql) => (await client.query(sql)).rows)
    } finally {
      await client.end()
    }
    await using again = await runServer({ env: to })
    await checkServer(again, chatId)
    await using embedded = await runServer({ dataDirectory: other.path, env: { SECRET_KEY } })
    await checkServer(embedded, chatId)
  })

  test('is refused for a database with data', async () => {
    await using folder = await createTemporaryFolder()
    await using postgres = await startPrivatePostgres()
    const settings = { DATABASE_URL: await postgres.createDatabase('used'), SECRET_KEY }
    const server = await runServer({ env: settings })
    expect(await server.stop()).toMatchObject({ code: 0 })
    const saved = await startCommand('backup', settings, '--to', folder.file('saved.gz')).ended()
    expect(saved.code, saved.stderr).toBe(0)
    const refused = await startCommand('restore', settings, '--from', folder.file('saved.gz')).ended()
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('already contains data') })
    const missing = settings.DATABASE_URL.replace(/used$/, 'missing')
    const absent = await startCommand(
      'restore',
      { ...settings, DATABASE_URL: missing },
      '--from',
      folder.file('saved.gz'),
    ).ended()
    expect(absent).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not exist: create an empty database'),
    })
  })
})
