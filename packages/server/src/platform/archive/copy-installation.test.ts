import { mkdir } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { MIGRATIONS } from '../database/migrator.ts'
import { openDatabase } from '../database/sqlite-database.ts'
import { lockDataDirectory } from '../lock-file.ts'
import { systemClock } from '../system.ts'
import { StoppedError } from './archive-error.ts'
import {
  createInstallation,
  createTemporaryFolder,
  QUIET,
  readAllRows,
  SECRET_KEY,
  type TemporaryFolder,
} from './archive-test-kit.ts'
import { toSqliteAddress } from './connection.ts'
import { type CopyOptions, type CopyResult, copyInstallation } from './copy-installation.ts'

const clock = systemClock

/** An installation in a folder of its own, and another folder to copy to. */
async function scene(migrations = MIGRATIONS): Promise<TemporaryFolder & { from: string; to: string }> {
  const folder = await createTemporaryFolder()
  for (const name of ['a', 'b']) await mkdir(folder.file(name))
  await createInstallation(folder.file('a/parley.db'), { migrations })
  return Object.assign(folder, { from: folder.file('a/parley.db'), to: folder.file('b/parley.db') })
}

type Scene = Awaited<ReturnType<typeof scene>>

const copy = ({ from, to }: Scene, options: Partial<CopyOptions> = {}): Promise<CopyResult> =>
  copyInstallation({
    from: toSqliteAddress(from),
    to: toSqliteAddress(to),
    secretKey: SECRET_KEY,
    restart: false,
    clock,
    ...QUIET,
    ...options,
  })

/** Copies until some rows of a table have arrived. */
async function interrupt(folder: Scene, table: string): Promise<void> {
  const controller = new AbortController()
  const onProgress = (work: string, name: string): void => {
    if (work === 'copied' && name === table) controller.abort()
  }
  await expect(copy(folder, { signal: controller.signal, onProgress })).rejects.toThrow(StoppedError)
}

function write(file: string, statement: string): void {
  const database = new DatabaseSync(file)
  database.exec(statement)
  database.close()
}

async function messages(file: string): Promise<unknown> {
  return (await readAllRows(file)).messages
}

test('a copy has every row and the current schema, and servers start on it', async () => {
  await using folder = await scene(MIGRATIONS.slice(0, 9))
  const { mismatchedTables, copiedRows, source, target } = await copy(folder)
  expect(mismatchedTables).toEqual([])
  expect(target).toEqual(source)
  expect(copiedRows).toBe([...source.values()].reduce((sum, { rows }) => sum + rows, 0))
  expect(await messages(folder.to)).toEqual(await messages(folder.from))
  const server = await openDatabase({ file: folder.to, clock })
  const steps = await server.read.selectFrom('chats').select('active_turn_id').execute()
  expect(steps).toHaveLength(12)
  await server.close()
})

test('no server starts on an interrupted copy; the next run resumes it', async () => {
  await using folder = await scene()
  await interrupt(folder, 'chats')
  await expect(openDatabase({ file: folder.to, clock })).rejects.toThrow('was not finished: run it again')
  await expect(copy({ ...folder, from: folder.to, to: folder.file('c.db') })).rejects.toThrow(/unfinished copy/)
  const { mismatchedTables, copiedRows, source } = await copy(folder)
  const all = [...source.values()].reduce((sum, { rows }) => sum + rows, 0)
  expect(mismatchedTables).toEqual([])
  expect(copiedRows).toBeGreaterThan(0)
  expect(copiedRows).toBeLessThan(all)
  expect(await messages(folder.to)).toEqual(await messages(folder.from))
  const server = await openDatabase({ file: folder.to, clock })
  await server.close()
})

test('detects a changed source, and --restart starts over', async () => {
  await using folder = await scene()
  await interrupt(folder, 'messages')
  write(folder.from, "update messages set content = 'changed' where position = 3")
  await expect(copy(folder)).rejects.toThrow(/the source has changed since \(table messages\).*--restart/)
  const { mismatchedTables } = await copy(folder, { restart: true })
  expect(mismatchedTables).toEqual([])
  expect(await messages(folder.to)).toEqual(await messages(folder.from))
})

test('the comparison detects concurrent changes of the target', async () => {
  await using folder = await scene()
  await interrupt(folder, 'messages')
  write(folder.to, "update workspaces set name = 'other' where workspace_id = 3")
  const { mismatchedTables } = await copy(folder)
  expect(mismatchedTables).toEqual(['workspaces'])
  await expect(openDatabase({ file: folder.to, clock })).rejects.toThrow('was not finished: run it again')
  expect((await copy(folder, { restart: true })).mismatchedTables).toEqual([])
})

test('rejects a target with data and names its tables', async () => {
  await using folder = await scene()
  await copy(folder)
  await expect(copy(folder)).rejects.toThrow(/already contains data: tenants \(12 rows\), workspaces \(12 rows\)/)
  await expect(copy(folder, { restart: true })).rejects.toThrow(/already contains data/)
  await expect(copy({ ...folder, to: folder.from })).rejects.toThrow(/the same database/)
})

test('rejects a source that a server uses, and another key', async () => {
  await using folder = await scene()
  const lock = lockDataDirectory(folder.file('a'), clock)
  await expect(copy(folder)).rejects.toThrow(/Another Parley .* is already using/)
  lock.release()
  write(folder.from, "insert into installation values ('secret_key_fingerprint', '0011223344556677')")
  await expect(copy(folder)).rejects.toThrow(/secret key does not match/)
})
