import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Secrets } from '../kernel/security/secrets.ts'
import type { BlobStore } from '../kernel/storage/blobs.ts'
import { createBlobFolder } from '../platform/blobs/blob-folder.ts'
import type { NodeDatabase } from '../platform/database/node-database.ts'
import { createSecrets } from '../platform/secrets/sealed-secrets.ts'
import { loadSecretKey } from '../platform/secrets/secret-key.ts'
import { orStartError } from '../start-error.ts'
import type { Runtime } from './runtime.ts'

/** Where this node keeps things, alone or with others. */
export interface Storage {
  readonly database: NodeDatabase
  readonly secrets: Secrets
  /** Recordings; all nodes share the folder. */
  readonly blobs: BlobStore
  /** What all nodes of the installation have in common, and no other installation. */
  readonly installationId: string
  close(): Promise<void>
}

/** Opens what the settings name: a PostgreSQL server that nodes share, or a file in the data folder for this one alone. */
export async function connectStorage(
  config: Config,
  { clock, makeUuid, random }: Pick<Runtime, 'clock' | 'makeUuid' | 'random'>,
): Promise<Storage> {
  const opened = await (config.databaseUrl === undefined
    ? openEmbedded(config, clock)
    : openShared(config, config.databaseUrl, { clock, random }))
  const { database, secretKey, release } = opened
  const close = async (): Promise<void> => {
    await database.close()
    release()
  }
  try {
    // Loaded late: an embedded start does not wait for what it seldom needs.
    const { identifyInstallation } = await import('../platform/secrets/installation.ts')
    const installationId = await orStartError(() => identifyInstallation(database, secretKey, makeUuid))
    const blobs = createBlobFolder({ path: config.recordingsDir, makeUniqueSuffix: makeUuid })
    return { database, secrets: createSecrets(secretKey), blobs, installationId, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface OpenedStorage {
  readonly database: NodeDatabase
  readonly secretKey: string
  readonly release: () => void
}

async function openEmbedded(config: Config, clock: Runtime['clock']): Promise<OpenedStorage> {
  const { dataDir } = config
  await orStartError(() => mkdirSync(dataDir, { recursive: true, mode: 0o700 }), 'The data folder cannot be made')
  const { lockDataDirectory } = await import('../platform/lock-file.ts')
  const lock = await orStartError(() => lockDataDirectory(dataDir, clock))
  const secretKey = await orStartError(() => loadSecretKey({ secretKey: config.secretKey, dataDirectory: dataDir }))
  const file = join(dataDir, 'parley.db')
  const { openDatabase } = await import('../platform/database/sqlite-database.ts')
  const database = await orStartError(() => openDatabase({ file, clock }), `The database ${file} cannot be opened`)
  return { database, secretKey, release: () => lock.release() }
}

async function openShared(
  config: Config,
  url: string,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
): Promise<OpenedStorage> {
  const { openPostgresDatabase } = await import('../platform/database/open-postgres.ts')
  const connections = config.databaseConnections
  const database = await orStartError(
    () => openPostgresDatabase({ url, clock, random, connections }),
    'The database of DATABASE_URL cannot be opened',
  )
  // The settings are refused without one.
  return { database, secretKey: config.secretKey ?? '', release: () => undefined }
}
