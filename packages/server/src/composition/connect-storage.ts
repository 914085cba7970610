import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Secrets } from '../kernel/security/secrets.ts'
import type { BlobStore } from '../kernel/storage/blobs.ts'
import { createBlobFolder } from '../platform/blobs/blob-folder.ts'
import type { NodeDatabase } from '../platform/database/node-database.ts'
import { createSecrets, loadSecretKey } from '../platform/secrets/sealed-secrets.ts'
import { runStartup } from '../start-error.ts'
import type { Runtime } from './runtime.ts'

/** Persistent storage of this node. */
export interface Storage {
  readonly database: NodeDatabase
  readonly secrets: Secrets
  /** Folder of recordings, which all nodes share. */
  readonly blobs: BlobStore
  /** Id that the nodes of this installation share. */
  readonly installationId: string
  close(): Promise<void>
}

/** Opens the configured PostgreSQL database, or the embedded database in the data folder. */
export async function connectStorage(
  config: Config,
  { clock, makeUuid, random }: Pick<Runtime, 'clock' | 'makeUuid' | 'random'>,
): Promise<Storage> {
  const openedStorage = await (config.databaseUrl === undefined
    ? openEmbedded(config, clock)
    : openShared(config, config.databaseUrl, { clock, random }))
  const { database, secretKey, release } = openedStorage
  const close = async (): Promise<void> => {
    await database.close()
    release()
  }
  try {
    // Loaded lazily, because an embedded start rarely needs it.
    const { identifyInstallation } = await import('../platform/secrets/installation.ts')
    const installationId = await runStartup(() => identifyInstallation(database, secretKey, makeUuid))
    const blobs = createBlobFolder({ path: config.recordingsDir, makeUniqueSuffix: makeUuid })
    return { database, secrets: createSecrets(secretKey), blobs, installationId, close }
  } catch (error) {
    await close()
    throw error
  }
}

interface DatabaseWithKey {
  readonly database: NodeDatabase
  readonly secretKey: string
  readonly release: () => void
}

async function openEmbedded(config: Config, clock: Runtime['clock']): Promise<DatabaseWithKey> {
  const { dataDir } = config
  await runStartup(() => mkdirSync(dataDir, { recursive: true, mode: 0o700 }), 'The data folder cannot be created')
  const { lockDataDirectory } = await import('../platform/lock-file.ts')
  const lock = await runStartup(() => lockDataDirectory(dataDir, clock))
  const secretKey = await runStartup(() => loadSecretKey({ secretKey: config.secretKey, dataDirectory: dataDir }))
  const file = join(dataDir, 'parley.db')
  const { openDatabase } = await import('../platform/database/sqlite-database.ts')
  const database = await runStartup(() => openDatabase({ file, clock }), `The database ${file} cannot be opened`)
  return { database, secretKey, release: () => lock.release() }
}

async function openShared(
  config: Config,
  url: string,
  { clock, random }: Pick<Runtime, 'clock' | 'random'>,
): Promise<DatabaseWithKey> {
  const { openPostgresDatabase } = await import('../platform/database/open-postgres.ts')
  const connections = config.databaseConnections
  const database = await runStartup(
    () => openPostgresDatabase({ url, clock, random, connections }),
    'The database of DATABASE_URL cannot be opened',
  )
  // Validation requires SECRET_KEY with DATABASE_URL.
  return { database, secretKey: config.secretKey ?? '', release: () => undefined }
}
