import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { openPostgresDatabase } from '../packages/server/src/platform/database/open-postgres.ts'
import type { PostgresDatabase } from '../packages/server/src/platform/database/postgres-database.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'

export interface TemporaryPostgresDatabase extends PostgresDatabase, AsyncDisposable {
  /** URL for opening the database again, as another node does. */
  readonly url: string
}

/** Template databases, created once per process and server. */
const templates = new Map<string, Promise<string>>()

const createName = (purpose: string): string => `parley_${purpose}_${randomUUID().replaceAll('-', '')}`

/** Returns the URL of another database on the same server. */
export function buildDatabaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

async function runAsAdministrator(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Creates a migrated database to copy. Rows written by migrations are dated 1970, so they are older than any test data. */
async function createTemplate(serverUrl: string): Promise<string> {
  const name = createName('template')
  await runAsAdministrator(serverUrl, `create database ${name}`)
  const clock = { ...systemClock, now: () => 0 }
  const database = await openPostgresDatabase({ url: buildDatabaseUrl(serverUrl, name), clock, connections: 1 })
  await database.close()
  return name
}

/** Creates an empty, migrated database on the server and returns its URL. */
export async function createTemporaryDatabase(serverUrl: string): Promise<string> {
  const template = templates.get(serverUrl) ?? createTemplate(serverUrl)
  templates.set(serverUrl, template)
  const name = createName('test')
  await runAsAdministrator(serverUrl, `create database ${name} template ${await template} strategy file_copy`)
  return buildDatabaseUrl(serverUrl, name)
}

/** Ends all connections to the database and removes it. */
export async function dropTemporaryDatabase(serverUrl: string, url: string): Promise<void> {
  await runAsAdministrator(serverUrl, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

/**
 * Creates an empty, migrated database on a server that allows it. The database runs in real time, even if the test does not.
 */
export async function temporaryPostgresDatabase(
  serverUrl: string,
  options: { readonly transactionTimeoutMs?: number } = {},
): Promise<TemporaryPostgresDatabase> {
  const url = await createTemporaryDatabase(serverUrl)
  const { transactionTimeoutMs } = options
  const limits = transactionTimeoutMs === undefined ? {} : { transactionTimeoutMs }
  const database = await openPostgresDatabase({ url, clock: systemClock, random: Math.random, ...limits })
  return Object.assign(database, {
    url,
    async [Symbol.asyncDispose]() {
      await database.close()
      await dropTemporaryDatabase(serverUrl, url)
    },
  })
}
