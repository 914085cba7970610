import { randomBytes } from 'node:crypto'
import { SCOPES } from '@parley/contract/access'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Database, Reader } from '../../kernel/storage/database.ts'
import { hashToken } from './access-service.ts'
import { insertToken, insertUser } from './credential-store.ts'
import type { FindPasswordProblem } from './passwords.ts'
import { hashPassword } from './passwords.ts'

interface BootstrapSettings {
  readonly token: string | undefined
  readonly email: string
  readonly password: string | undefined
}

/** Credentials of the first owner, printed once on the first start. */
export interface FirstOwner {
  readonly email: string
  readonly password: string
  readonly token: string
  readonly workspaceId: number
}

interface BootstrapDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeId: MakeId
  readonly createWorkspace: (
    transaction: Parameters<Parameters<Database['transaction']>[0]>[0],
    name: string,
  ) => Promise<number>
}

/** Creates the first owner, workspace and API token. Returns `null` if the installation already has an owner. */
export async function bootstrapOwner(
  dependencies: BootstrapDependencies,
  settings: BootstrapSettings,
): Promise<FirstOwner | null> {
  const { database, clock, makeId } = dependencies
  if (await hasUsers(database.read)) return null
  const password = settings.password ?? randomBytes(12).toString('base64url')
  const token = settings.token ?? `sk_${randomBytes(32).toString('hex')}`
  const passwordHash = await hashPassword(password)
  const workspaceId = await database.transaction(async (transaction) => {
    // Another node may have created the owner at the same time.
    if (await hasUsers(transaction)) return null
    const now = clock.now()
    const userId = makeId('user')
    await insertUser(transaction, {
      user_id: userId,
      email: settings.email.toLowerCase(),
      name: '',
      password_hash: passwordHash,
      role: 'platform_admin',
      provider_id: null,
      account_sid: null,
      home_account_sid: null,
      created_at: now,
    })
    await insertToken(transaction, {
      token_id: makeId('token'),
      token_hash: hashToken(token),
      user_id: userId,
      name: 'First token',
      scopes: JSON.stringify(SCOPES),
      workspace_ids: null,
      expires_at: null,
      last_used_at: null,
      revoked_at: null,
      created_at: now,
    })
    return await dependencies.createWorkspace(transaction, 'My workspace')
  })
  return workspaceId === null ? null : { email: settings.email, password, token, workspaceId }
}

/** Returns the reason why `BOOTSTRAP_PASSWORD` is not allowed, such as "must not be …", or null if it is allowed. */
export async function findBootstrapError(
  reader: Reader,
  { password, email }: BootstrapSettings,
  findProblem: FindPasswordProblem,
): Promise<string | null> {
  if (password === undefined || (await hasUsers(reader))) return null
  return await findProblem(password, email)
}

async function hasUsers(reader: Reader): Promise<boolean> {
  return (await reader.selectFrom('users').select('user_id').limit(1).executeTakeFirst()) !== undefined
}
