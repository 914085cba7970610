import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { openPostgresDatabase } from '../packages/server/src/platform/database/open-postgres.ts'
import type { PostgresDatabase } from '../packages/server/src/platform/database/postgres-database.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'

export interface TemporaryPostgresDatabase extends PostgresDatabase, AsyncDisposable {
  /** Opens it once more, as another node does. */
  readonly url: string
}

/** Made once a process and server, from which databases are copied. */
const templates = new Map<string, Promise<string>>()

const nameOf = (purpose: string): string => `parley_${purpose}_${randomUUID().replaceAll('-', '')}`

/** The address of another database of the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
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

/** A migrated database to copy. What its steps wrote themselves is of the year 1970, older than anything a test writes. */
async function makeTemplate(serverUrl: string): Promise<string> {
  const name = nameOf('template')
  await runAsAdministrator(serverUrl, `create database ${name}`)
  const clock = { ...systemClock, now: () => 0 }
  const database = await openPostgresDatabase({ url: databaseUrl(serverUrl, name), clock, connections: 1 })
  await database.close()
  return name
}

/** Creates an empty, migrated database on the server; returns its address. */
export async function createTemporaryDatabase(serverUrl: string): Promise<string> {
  const template = templates.get(serverUrl) ?? makeTemplate(serverUrl)
  templates.set(serverUrl, template)
  const name = nameOf('test')
  await runAsAdministrator(serverUrl, `create database ${name} template ${await template} strategy file_copy`)
  return databaseUrl(serverUrl, name)
}

/** Ends all connections to the database and removes it. */
export async function dropTemporaryDatabase(serverUrl: string, url: string): Promise<void> {
  await runAsAdministrator(serverUrl, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`)
}

/** An empty, migrated database of a server that allows to create some. Time in it is real, also where a test has its own. */
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
