import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import { Redis } from 'ioredis'
import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { findPostgres, startPrivatePostgres } from '../../testing/private-postgres.ts'
import { findRedis, startPrivateRedis } from '../../testing/private-redis.ts'
import { isAlive } from '../../testing/service-environment.ts'

interface Service {
  readonly pid: number
  readonly folder: string
}

const owners: ChildProcess[] = []

afterEach(() => {
  for (const owner of owners.splice(0)) owner.kill('SIGKILL')
})

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  // Cutting the connection also ends the statement, which this test checks.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

async function ping(url: string): Promise<string> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: null })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await client.ping()
  } finally {
    client.disconnect()
  }
}

/** Starts a service in a separate process that never stops it. */
async function startInOtherProcess(
  name: 'startPrivatePostgres' | 'startPrivateRedis',
): Promise<Service & { end(): void }> {
  const file = name === 'startPrivatePostgres' ? 'private-postgres' : 'private-redis'
  const program = `
    import { ${name} } from '${new URL(`../../testing/${file}.ts`, import.meta.url).href}'
    const { pid, folder } = await ${name}()
    console.log(JSON.stringify({ pid, folder }))
    process.stdin.resume()`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  owners.push(owner)
  const [line] = (await once(createInterface({ input: owner.stdout }), 'line')) as [string]
  return { ...(JSON.parse(line) as Service), end: () => owner.kill('SIGKILL') }
}

function exists({ pid, folder }: Service): boolean {
  return isAlive(pid) || existsSync(folder)
}

describe.skipIf(findPostgres() === null)('a private PostgreSQL', () => {
  test('accepts connections, creates databases, and copies them', async () => {
    await using postgres = await startPrivatePostgres()
    const first = await postgres.createDatabase('first "one"')
    await query(first, 'create table notes as select 7 as number')
    const copies = await Promise.all([postgres.createDatabase(), postgres.createDatabase()])
    expect(new Set([...copies, first, postgres.url]).size).toBe(4)
    const copy = await postgres.createDatabase('copy', 'first "one"')
    expect(await query(copy, 'select number from notes')).toEqual([{ number: 7 }])
    expect(await query(copy, "select current_setting('max_connections') as number")).toEqual([{ number: '200' }])
    expect(await query(copy, "select current_setting('fsync') as fsync")).toEqual([{ fsync: 'off' }])
  })

  test.each(['SIGKILL', 'SIGINT', 'SIGQUIT'] as const)(
    'keeps port and data over %s, and cuts its clients',
    async (signal) => {
      await using postgres = await startPrivatePostgres()
      await query(postgres.url, 'create table notes (number integer)')
      const sleeping = query(postgres.url, 'select pg_sleep(60)').catch(() => 'cut')
      await query(postgres.url, 'insert into notes values (7)')
      await postgres.kill(signal)
      expect(await sleeping).toBe('cut')
      expect(postgres.pid).toBe(0)
      await expect(query(postgres.url, 'select 1')).rejects.toThrow('ECONNREFUSED')
      await postgres.start()
      expect(await query(postgres.url, 'select number from notes')).toEqual([{ number: 7 }])
    },
  )

  test('is durable on request', async () => {
    await using postgres = await startPrivatePostgres({ durable: true })
    const [settings] = await query(
      postgres.url,
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit",
    )
    expect(settings).toEqual({ fsync: 'on', commit: 'on' })
  })

  test('says why it did not start, and leaves no files', async () => {
    const ownFolders = (): string[] => {
      return ['/dev/shm', tmpdir()]
        .filter(existsSync)
        .flatMap((parent) => globSync(`${parent}/parley-*-${process.pid}-*`))
    }
    const before = ownFolders()
    await expect(startPrivatePostgres({ settings: { max_connections: 'many' } })).rejects.toThrow('max_connections')
    expect(ownFolders()).toEqual(before)
  })

  test('leaves no files and processes', async () => {
    const postgres = await startPrivatePostgres()
    const service = { pid: postgres.pid, folder: postgres.folder }
    expect(exists(service)).toBe(true)
    await postgres[Symbol.asyncDispose]()
    expect(exists(service)).toBe(false)
  })

  test('ends with its killed parent process', async () => {
    const service = await startInOtherProcess('startPrivatePostgres')
    expect(exists(service)).toBe(true)
    service.end()
    await expect.poll(() => exists(service), { timeout: 30_000 }).toBe(false)
  })
})

describe.skipIf(findRedis() === null)('a private Redis', () => {
  test('accepts connections, and again after a kill', async () => {
    await using redis = await startPrivateRedis()
    expect(await ping(redis.url)).toBe('PONG')
    await redis.kill('SIGKILL')
    await expect(ping(redis.url)).rejects.toThrow()
    await redis.start()
    expect(await ping(redis.url)).toBe('PONG')
    await redis.stop()
    await redis.start()
    expect(await ping(redis.url)).toBe('PONG')
  })

  test('hangs and continues', async () => {
    await using redis = await startPrivateRedis()
    await redis.kill('SIGSTOP')
    const answer = ping(redis.url)
    await redis.kill('SIGCONT')
    expect(await answer).toBe('PONG')
    await redis.kill('SIGSTOP')
  })

  test('leaves nothing, even after its parent process was killed', async () => {
    const redis = await startPrivateRedis()
    const service = { pid: redis.pid, folder: redis.folder }
    const otherService = await startInOtherProcess('startPrivateRedis')
    expect([service, otherService].map(exists)).toEqual([true, true])
    await redis[Symbol.asyncDispose]()
    expect(exists(service)).toBe(false)
    otherService.end()
    await expect.poll(() => exists(otherService), { timeout: 30_000 }).toBe(false)
  })
})
