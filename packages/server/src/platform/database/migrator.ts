import type { Clock } from '@parley/engine/ports'
import type { Kysely, Transaction } from 'kysely'
import type { Database } from '../../kernel/storage/database.ts'
import { initial } from './migrations/0001-initial.ts'
import { accounts } from './migrations/0002-accounts.ts'
import { flowComponents } from './migrations/0003-flow-components.ts'
import { phoneNumbers } from './migrations/0004-phone-numbers.ts'
import { voices } from './migrations/0005-voices.ts'
import { testCases } from './migrations/0006-test-cases.ts'
import { calls } from './migrations/0007-calls.ts'
import { callsOnPostgres } from './migrations/0007-calls-postgres.ts'
import { counters } from './migrations/0008-counters.ts'
import { publishedVersions } from './migrations/0009-published-versions.ts'
import { nodes } from './migrations/0010-nodes.ts'
import { webhooks } from './migrations/0011-webhooks.ts'
import { chatEndings } from './migrations/0012-chat-endings.ts'
import { flowComponentsOfVersions } from './migrations/0013-flow-components-of-versions.ts'
import { dialogue } from './migrations/0014-dialogue.ts'
import { knowledge } from './migrations/0015-knowledge.ts'
import { liveCalls } from './migrations/0016-live-calls.ts'
import { turnsAndClaims } from './migrations/0019-turns-and-claims.ts'
import { invitations } from './migrations/0020-invitations.ts'
import { confirmedSessions } from './migrations/0021-confirmed-sessions.ts'
import { workspaceSecrets } from './migrations/0022-workspace-secrets.ts'
import { domainProofs } from './migrations/0023-domain-proofs.ts'
import { numberProofs } from './migrations/0023-number-proofs.ts'

/** A schema migration. Released migrations and their names never change, because databases record them. */
export interface Migration {
  readonly name: string
  up(transaction: Kysely<unknown>, now: number): Promise<void>
}

/** All migrations, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  { name: '0001-initial', up: initial },
  { name: '0002-accounts', up: accounts },
  { name: '0003-flow-components', up: flowComponents },
  { name: '0004-phone-numbers', up: phoneNumbers },
  { name: '0005-voices', up: voices },
  { name: '0006-test-cases', up: testCases },
  { name: '0007-calls', up: calls },
  { name: '0008-counters', up: counters },
  { name: '0009-published-versions', up: publishedVersions },
  { name: '0010-nodes', up: nodes },
  { name: '0011-webhooks', up: webhooks },
  { name: '0012-chat-endings', up: chatEndings },
  { name: '0013-flow-components-of-versions', up: flowComponentsOfVersions },
  { name: '0014-dialogue', up: dialogue },
  { name: '0015-knowledge', up: knowledge },
  { name: '0016-live-calls', up: liveCalls },
  { name: '0019-turns-and-claims', up: turnsAndClaims },
  { name: '0020-invitations', up: invitations },
  { name: '0021-confirmed-sessions', up: confirmedSessions },
  { name: '0022-workspace-secrets', up: workspaceSecrets },
  { name: '0023-domain-proofs', up: domainProofs },
  { name: '0023-number-proofs', up: numberProofs },
]

/** The same migrations for PostgreSQL, which uses other triggers and indexes for calls. */
export const POSTGRES_MIGRATIONS: readonly Migration[] = MIGRATIONS.map((step) =>
  step.name === '0007-calls' ? { ...step, up: callsOnPostgres } : step,
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
