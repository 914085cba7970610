import {
  deleteWorkspaceSecret,
  listWorkspaceSecrets,
  putWorkspaceSecret,
  SECRET_NAME,
  SECRET_NAME_RULE,
  type WorkspaceSecret,
} from '@parley/contract/workspace-secret'
import type { Clock, SecretReader } from '@parley/engine/ports'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { invalidField, notFound } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { WorkspaceSecretRow } from '../../tables/tenancy-tables.ts'

interface WorkspaceSecretDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly secrets: Secrets
}

/** Manages a workspace's named secrets. Only the reader returns their values. */
export interface WorkspaceSecretService {
  list(workspaceId: number): Promise<WorkspaceSecret[]>
  put(workspaceId: number, secret: { readonly name: string; readonly value: string }): Promise<WorkspaceSecret>
  remove(workspaceId: number, name: string): Promise<void>
  /** Creates a reader that queries the database on every read, so that changes on any node take effect immediately. */
  createReader(workspaceId: number): SecretReader
}

const MAX_SECRETS = 100

export function createWorkspaceSecretService(dependencies: WorkspaceSecretDependencies): WorkspaceSecretService {
  const { database, clock, secrets } = dependencies
  return {
    list: (workspaceId) => listSecrets(database.read, workspaceId),

    async put(workspaceId, { name, value }) {
      if (!SECRET_NAME.test(name)) throw invalidField('name', SECRET_NAME_RULE)
      const now = clock.now()
      const ciphertext = secrets.encrypt(value, buildEncryptionContext(workspaceId, name))
      const row = { workspace_id: workspaceId, name, ciphertext, created_at: now, updated_at: now }
      return await database.transaction(async (transaction) => {
        const createdAt = await replaceSecret(transaction, row)
        if (createdAt !== null) return toWorkspaceSecret({ ...row, created_at: createdAt })
        if ((await countSecrets(transaction, workspaceId)) >= MAX_SECRETS) {
          throw invalidField('name', `exceeds the limit of ${MAX_SECRETS} secrets per workspace. Delete one first`)
        }
        await insertSecret(transaction, row)
        return toWorkspaceSecret(row)
      })
    },

    async remove(workspaceId, name) {
      const isRemoved = await database.transaction((transaction) => removeSecret(transaction, workspaceId, name))
      if (!isRemoved) throw notFound('secret', name)
    },

    createReader: (workspaceId) => ({
      async read(names) {
        const rows = await findEncryptedSecrets(database.read, workspaceId, names)
        return new Map(
          rows.map(({ name, ciphertext }) => [
            name,
            secrets.decrypt(ciphertext, buildEncryptionContext(workspaceId, name)),
          ]),
        )
      },
    }),
  }
}

/** Builds the encryption context that binds a value to its name and workspace. */
function buildEncryptionContext(workspaceId: number, name: string): string {
  return `workspace-secret:${workspaceId}:${name}`
}

/** Lists the secrets in alphabetical order. */
async function listSecrets(reader: Reader, workspaceId: number): Promise<WorkspaceSecret[]> {
  const rows = await reader
    .selectFrom('workspace_secrets')
    .select(['name', 'created_at', 'updated_at'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('name')
    .execute()
  return rows.map(toWorkspaceSecret)
}

/** Finds encrypted values by name. Skips missing secrets. */
async function findEncryptedSecrets(
  reader: Reader,
  workspaceId: number,
  names: readonly string[],
): Promise<readonly Pick<WorkspaceSecretRow, 'name' | 'ciphertext'>[]> {
  return await reader
    .selectFrom('workspace_secrets')
    .select(['name', 'ciphertext'])
    .where('workspace_id', '=', workspaceId)
    .where('name', 'in', names)
    .execute()
}

async function insertSecret(transaction: Transaction, secret: WorkspaceSecretRow): Promise<void> {
  await transaction.insertInto('workspace_secrets').values(secret).execute()
}

/** Replaces the value of a secret. Returns the secret's creation time, or null if the secret does not exist. */
async function replaceSecret(transaction: Transaction, secret: WorkspaceSecretRow): Promise<number | null> {
  const row = await transaction
    .updateTable('workspace_secrets')
    .set({ ciphertext: secret.ciphertext, updated_at: secret.updated_at })
    .where('workspace_id', '=', secret.workspace_id)
    .where('name', '=', secret.name)
    .returning('created_at')
    .executeTakeFirst()
  return row?.created_at ?? null
}

async function countSecrets(transaction: Transaction, workspaceId: number): Promise<number> {
  const { count } = await transaction
    .selectFrom('workspace_secrets')
    .select((builder) => builder.fn.countAll<number>().as('count'))
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Removes a secret. Returns false if the secret does not exist. */
async function removeSecret(transaction: Transaction, workspaceId: number, name: string): Promise<boolean> {
  const row = await transaction
    .deleteFrom('workspace_secrets')
    .where('workspace_id', '=', workspaceId)
    .where('name', '=', name)
    .returning('name')
    .executeTakeFirst()
  return row !== undefined
}

function toWorkspaceSecret(row: Pick<WorkspaceSecretRow, 'name' | 'created_at' | 'updated_at'>): WorkspaceSecret {
  return {
    name: row.name,
    createdAt: new Date(row.created_at).toISOString(),
    updatedAt: new Date(row.updated_at).toISOString(),
  }
}

export function registerWorkspaceSecretRoutes(
  api: Api,
  service: Pick<WorkspaceSecretService, 'list' | 'put' | 'remove'>,
): void {
  implement(api, listWorkspaceSecrets, (_input, { workspaceId }) => service.list(workspaceId))

  implement(api, putWorkspaceSecret, ({ path, body }, { workspaceId }) =>
    service.put(workspaceId, { name: path.name, value: body.value }),
  )

  implement(api, deleteWorkspaceSecret, ({ path }, { workspaceId }) => service.remove(workspaceId, path.name))
}
