import type { Clock } from '@parley/engine/ports'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../../kernel/storage/database.ts'
import { createInitialTables } from './migrations/0001-initial.ts'
import { addAccounts } from './migrations/0002-accounts.ts'
import { addFlowComponents } from './migrations/0003-flow-components.ts'
import { addPhoneNumbers } from './migrations/0004-phone-numbers.ts'
import { addVoices } from './migrations/0005-voices.ts'
import { addTestCases } from './migrations/0006-test-cases.ts'
import { addCalls } from './migrations/0007-calls.ts'
import { addPostgresCalls } from './migrations/0007-calls-postgres.ts'
import { addCounters } from './migrations/0008-counters.ts'
import { indexPublishedVersions } from './migrations/0009-published-versions.ts'
import { addNodes } from './migrations/0010-nodes.ts'
import { addWebhooks } from './migrations/0011-webhooks.ts'
import { addChatEndings } from './migrations/0012-chat-endings.ts'
import { addFlowVersionComponents } from './migrations/0013-flow-components-of-versions.ts'
import { addDialogueState } from './migrations/0014-dialogue.ts'
import { addKnowledgeBases } from './migrations/0015-knowledge.ts'
import { addLiveCalls } from './migrations/0016-live-calls.ts'
import { addJobWorkspaces } from './migrations/0019-turns-and-claims.ts'
import { addInvitations } from './migrations/0020-invitations.ts'
import { addSessionConfirmations } from './migrations/0021-confirmed-sessions.ts'
import { addWorkspaceSecrets } from './migrations/0022-workspace-secrets.ts'
import { addDomainProofs } from './migrations/0023-domain-proofs.ts'
import { addNumberProofs } from './migrations/0023-number-proofs.ts'
import { addVoiceSamples } from './migrations/0024-voice-samples.ts'

/** A schema migration. Released migrations and their names never change, because databases record them. */
export interface Migration {
  readonly name: string
  up(transaction: Kysely<unknown>, now: number): Promise<void>
}

/** All migrations, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-initial', up: createInitialTables },
  { name: '0002-accounts', up: addAccounts },
  { name: '0003-flow-components', up: addFlowComponents },
  { name: '0004-phone-numbers', up: addPhoneNumbers },
  { name: '0005-voices', up: addVoices },
  { name: '0006-test-cases', up: addTestCases },
  { name: '0007-calls', up: addCalls },
  { name: '0008-counters', up: addCounters },
  { name: '0009-published-versions', up: indexPublishedVersions },
  { name: '0010-nodes', up: addNodes },
  { name: '0011-webhooks', up: addWebhooks },
  { name: '0012-chat-endings', up: addChatEndings },
  { name: '0013-flow-components-of-versions', up: addFlowVersionComponents },
  { name: '0014-dialogue', up: addDialogueState },
  { name: '0015-knowledge', up: addKnowledgeBases },
  { name: '0016-live-calls', up: addLiveCalls },
  { name: '0019-turns-and-claims', up: addJobWorkspaces },
  { name: '0020-invitations', up: addInvitations },
  { name: '0021-confirmed-sessions', up: addSessionConfirmations },
  { name: '0022-workspace-secrets', up: addWorkspaceSecrets },
  { name: '0023-domain-proofs', up: addDomainProofs },
  { name: '0023-number-proofs', up: addNumberProofs },
  { name: '0024-voice-samples', up: addVoiceSamples },
]

/** The same migrations for PostgreSQL, which uses other triggers and indexes for calls. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = MIGRATIONS.map((migration) =>
  migration.name === '0007-calls' ? { ...migration, up: addPostgresCalls } : migration,
)

interface MigrationTable {
  migrations: { name: string; applied_at: number }
}

/** Recorded like a migration during a copy, so that no server starts on an incomplete database. */
export const UNFINISHED_COPY = 'unfinished-copy'

/** Thrown if the schema is newer than this program. */
class NewerSchemaError extends Error {}

/** Applies the missing migrations in one transaction. Throws if a newer version created the database. */
export async function migrate(
  database: Pick<Database, 'transaction'>,
  clock: Omit<Clock, 'after'>,
  migrations: readonly Migration[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    const migrationDatabase = transaction as unknown as Transaction<MigrationTable>
    await migrationDatabase.schema
      .createTable('migrations')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    const appliedMigrations = await migrationDatabase.selectFrom('migrations').select('name').orderBy('name').execute()
    const knownNames = new Set(migrations.map(({ name }) => name))
    const unknownMigration = appliedMigrations.find(({ name }) => !knownNames.has(name))
    if (unknownMigration?.name === UNFINISHED_COPY) {
      throw new NewerSchemaError('The copy of another installation into this database was not finished: run it again.')
    }
    if (unknownMigration !== undefined) {
      throw new NewerSchemaError(
        `The database was written by a newer version of Parley (migration ${unknownMigration.name}): ` +
          'start that version or a later one, or restore a backup made with this version.',
      )
    }
    const appliedNames = new Set(appliedMigrations.map(({ name }) => name))
    for (const { name, up } of migrations) {
      if (appliedNames.has(name)) continue
      const now = clock.now()
      await up(transaction as unknown as Kysely<unknown>, now)
      await migrationDatabase.insertInto('migrations').values({ name, applied_at: now }).execute()
    }
  })
}
