import { SECRET_NAME, SECRET_NAME_RULE, type WorkspaceSecret } from '@parley/contract/workspace-secret'
import type { Clock, SecretReader } from '@parley/engine/ports'
import { invalidField, notFound } from '../../kernel/errors.ts'
import type { Secrets } from '../../kernel/security/secrets.ts'
import type { Database } from '../../kernel/storage/database.ts'
import {
  countSecrets,
  findSealed,
  insertSecret,
  listSecrets,
  removeSecret,
  replaceSecret,
  toSecret,
} from './workspace-secret-store.ts'

export interface WorkspaceSecretDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly secrets: Secrets
}

/** Named secrets of workspaces. Nothing but `readerFor` gives values out. */
export interface WorkspaceSecretService {
  list(workspaceId: number): Promise<WorkspaceSecret[]>
  put(workspaceId: number, secret: { readonly name: string; readonly value: string }): Promise<WorkspaceSecret>
  remove(workspaceId: number, name: string): Promise<void>
  /** Reads from the database each time: a replaced value is used by the next call on every node. */
  readerFor(workspaceId: number): SecretReader
}

const MAX_SECRETS = 100

export function createWorkspaceSecretService(dependencies: WorkspaceSecretDependencies): WorkspaceSecretService {
  const { database, clock, secrets } = dependencies
  return {
    list: (workspaceId) => listSecrets(database.read, workspaceId),

    async put(workspaceId, { name, value }) {
      if (!SECRET_NAME.test(name)) throw invalidField('name', SECRET_NAME_RULE)
      const now = clock.now()
      const ciphertext = secrets.seal(value, purposeOf(workspaceId, name))
      const row = { workspace_id: workspaceId, name, ciphertext, created_at: now, updated_at: now }
      return await database.transaction(async (transaction) => {
        const createdAt = await replaceSecret(transaction, row)
        if (createdAt !== null) return toSecret({ ...row, created_at: createdAt })
        if ((await countSecrets(transaction, workspaceId)) >= MAX_SECRETS) {
          throw invalidField(
            'name',
            `is one too many: a workspace has at most ${MAX_SECRETS} secrets. Delete one first`,
          )
        }
        await insertSecret(transaction, row)
        return toSecret(row)
      })
    },

    async remove(workspaceId, name) {
      const isRemoved = await database.transaction((transaction) => removeSecret(transaction, workspaceId, name))
      if (!isRemoved) throw notFound('secret', name)
    },

    readerFor: (workspaceId) => ({
      async read(names) {
        const rows = await findSealed(database.read, workspaceId, names)
        return new Map(
          rows.map(({ name, ciphertext }) => [name, secrets.open(ciphertext, purposeOf(workspaceId, name))]),
        )
      },
    }),
  }
}

/** A value opens only under its own name in its own workspace. */
function purposeOf(workspaceId: number, name: string): string {
  return `workspace-secret:${workspaceId}:${name}`
}
