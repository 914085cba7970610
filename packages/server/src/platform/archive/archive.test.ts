import { existsSync, readdirSync, statSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../database/migrator.ts'
import { openDatabase } from '../database/sqlite-database.ts'
import { systemClock } from '../system.ts'
import { ArchiveError, StoppedError } from './archive-error.ts'
import { verifyArchive } from './archive-reader.ts'
import { createInstallation, createTemporaryFolder, QUIET, readAllRows, SECRET_KEY } from './archive-test-kit.ts'
import { toSqliteAddress } from './connection.ts'
import { createBackup } from './create-backup.ts'
import { restoreArchive } from './restore-archive.ts'

const clock = systemClock

const save = (database: string, file: string) =>
  createBackup({ from: toSqliteAddress(database), file, secretKey: SECRET_KEY, clock, ...QUIET })

const restore = (file: string, database: string, secretKey = SECRET_KEY) =>
  restoreArchive({ file, to: toSqliteAddress(database), secretKey, clock, ...QUIET })

/** Without those that SQLite keeps beside a database. */
function filesIn(path: string): string[] {
  return readdirSync(path)
    .filter((name) => !/-(wal|shm)$/.test(name))
    .sort()
}

/** What a stop does to the rows of something that runs. */
function settled(rows: Record<string, unknown[]>, endedAt: unknown): Record<string, unknown[]> {
  const change = (table: string, alter: (row: Record<string, unknown>) => object) =>
    (rows[table] as Record<string, unknown>[]).map((row) => ({ ...row, ...alter(row) }))
  return {
    ...rows,
    chats: change('chats', () => ({ active_turn_id: null })),
    turns: change('turns', ({ status }) => ({
      node_id: null,
      ...(status === 'running' && { status: 'interrupted', ended_at: endedAt }),
    })),
    jobs: change('jobs', ({ status, attempts }) =>
      status === 'running'
        ? { status: 'pending', leased_by: null, lease_until: null, attempts: Number(attempts) - 1 }
        : {},
    ),
  }
}

test('restores every row of every table in the state of a stopped installation', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('from.db'))
  const { tables } = await save(folder.file('from.db'), folder.file('saved.gz'))
  const { createdAt } = await restore(folder.file('saved.gz'), folder.file('to.db'))
  const [before, after] = [await readAllRows(folder.file('from.db')), await readAllRows(folder.file('to.db'))]
  expect(after).toEqual(settled(before, Date.parse(createdAt)))
  expect(Object.values(before).every((rows) => rows.length >= 12)).toBe(true)
  expect([...tables.keys()].sort()).toEqual(Object.keys(before).sort())
  expect(statSync(folder.file('saved.gz')).mode & 0o777).toBe(0o600)
  expect(filesIn(folder.path)).toEqual(['from.db', 'saved.gz', 'to.db'])
})

test('a restore rebuilds derived data', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('from.db'))
  await save(folder.file('from.db'), folder.file('saved.gz'))
  await restore(folder.file('saved.gz'), folder.file('to.db'))
  const look = (file: string, query: string) => {
    const database = new DatabaseSync(folder.file(file), { readOnly: true })
    try {
      return database.prepare(query).all()
    } finally {
      database.close()
    }
  }
  for (const query of [
    'select * from call_counts order by workspace_id, period, agent_id, status, hidden',
    'select call_id, words from call_search_entries order by call_id',
    'select call_search_entries.call_id from call_search join call_search_entries on search_key = call_search.rowid where call_search match \'"plain"\' order by 1',
  ]) {
    expect(look('to.db', query)).toEqual(look('from.db', query))
    expect(look('to.db', query)).not.toEqual([])
  }
})

test('a backup of a busy database is a snapshot', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('from.db'))
  const server = await openDatabase({ file: folder.file('from.db'), clock })
  const before = await readAllRows(folder.file('from.db'))
  let writes = 0
  const onProgress = (): void => {
    writes += 1
    const query = server.queryBuilder.updateTable('counters').set({ value: writes }).compile()
    const removal = server.queryBuilder.deleteFrom('messages').compile()
    void server.batch([{ query }, { query: removal }])
  }
  const file = folder.file('saved.gz')
  await createBackup({
    from: toSqliteAddress(folder.file('from.db')),
    file,
    secretKey: SECRET_KEY,
    clock,
    ...QUIET,
    onProgress,
  })
  await server.close()
  const { createdAt } = await restore(file, folder.file('to.db'))
  expect(await readAllRows(folder.file('to.db'))).toEqual(settled(before, Date.parse(createdAt)))
  expect((await readAllRows(folder.file('from.db'))).messages).toEqual([])
})

test('migrates an archive of an older schema and rejects one of a newer schema', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('old.db'), { migrations: MIGRATIONS.slice(0, 9) })
  await save(folder.file('old.db'), folder.file('old.gz'))
  await restore(folder.file('old.gz'), folder.file('now.db'))
  const rows = await readAllRows(folder.file('now.db'))
  expect(rows.messages).toEqual((await readAllRows(folder.file('old.db'))).messages)
  expect(rows.chats).toContainEqual(expect.objectContaining({ active_turn_id: null }))
  const server = await openDatabase({ file: folder.file('now.db'), clock })
  await server.close()

  const later = { name: '9999-later', up: async () => undefined }
  await createInstallation(folder.file('new.db'), { rowsPerTable: 1, migrations: [...MIGRATIONS, later] })
  const saving = save(folder.file('new.db'), folder.file('new.gz'))
  await expect(saving).rejects.toThrow(/newer version of Parley \(migration 9999-later\)/)
})

test('rejects a changed, missing or added byte anywhere and writes nothing', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('from.db'), { rowsPerTable: 2 })
  await save(folder.file('from.db'), folder.file('saved.gz'))
  const bytes = await readFile(folder.file('saved.gz'))
  const corruptFile = folder.file('spoilt.gz')
  const position = fc.nat(bytes.length - 1)
  const damage = fc.oneof(
    fc.tuple(position, fc.integer({ min: 1, max: 255 })).map(([at, mask]) => {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] ?? 0) ^ mask
      return copy
    }),
    position.map((length) => bytes.subarray(0, length)),
    fc.uint8Array({ minLength: 1, maxLength: 40 }).map((more) => Buffer.concat([bytes, more])),
    position.map((at) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)])),
  )
  await fc.assert(
    fc.asyncProperty(damage, async (damaged) => {
      await writeFile(corruptFile, damaged)
      await expect(verifyArchive(corruptFile, QUIET.signal)).rejects.toThrow(ArchiveError)
      await expect(restore(corruptFile, folder.file('to.db'))).rejects.toThrow(/damaged|not a Parley backup/)
    }),
    { numRuns: 150 },
  )
  expect(existsSync(folder.file('to.db'))).toBe(false)
})

test('rejects another secret key, an existing file and a file that is not an archive', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('from.db'), { rowsPerTable: 1 })
  await save(folder.file('from.db'), folder.file('saved.gz'))
  const otherKey = 'another-key-that-is-also-long-enough'
  await expect(restore(folder.file('saved.gz'), folder.file('to.db'), otherKey)).rejects.toThrow(/different secret key/)
  await expect(restore(folder.file('saved.gz'), folder.file('from.db'))).rejects.toThrow(/already exists: restore into/)
  await expect(restore(folder.file('from.db'), folder.file('to.db'))).rejects.toThrow(/is not a Parley backup/)
  await expect(save(folder.file('from.db'), folder.file('saved.gz'))).rejects.toThrow(/already exists: choose/)
  await expect(save(folder.file('none.db'), folder.file('x.gz'))).rejects.toThrow(/does not exist: check DATA_DIR/)
  expect(filesIn(folder.path)).toEqual(['from.db', 'saved.gz'])
})

test('an interrupted backup or restore leaves nothing behind', async () => {
  await using folder = await createTemporaryFolder()
  await createInstallation(folder.file('from.db'))
  await save(folder.file('from.db'), folder.file('saved.gz'))
  for (const work of ['saved', 'restored', 'checked']) {
    const controller = new AbortController()
    const onProgress = (what: string): void => {
      if (what === work) controller.abort()
    }
    const options = { secretKey: SECRET_KEY, clock, signal: controller.signal, onProgress }
    const running =
      work === 'saved'
        ? createBackup({ from: toSqliteAddress(folder.file('from.db')), file: folder.file('two.gz'), ...options })
        : restoreArchive({ file: folder.file('saved.gz'), to: toSqliteAddress(folder.file('to.db')), ...options })
    await expect(running).rejects.toThrow(StoppedError)
    expect(filesIn(folder.path)).toEqual(['from.db', 'saved.gz'])
  }
})
