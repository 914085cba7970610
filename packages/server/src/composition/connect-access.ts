import type { Config } from '../config.ts'
import {
  type AccessService,
  createAccessService,
  createAccessWatch,
  createPasswordProblemFinder,
  createPasswords,
  createTenantDirectoryReader,
  findBootstrapError,
  type Passwords,
} from '../features/access/public.ts'
import { type AuditTrail, createAuditTrail } from '../features/audit/public.ts'
import type { AccessWatch, TenantDirectory } from '../kernel/access/actor-context.ts'
import { StartError } from '../start-error.ts'
import type { Cluster } from './connect-cluster.ts'
import type { Storage } from './connect-storage.ts'
import type { Runtime } from './runtime.ts'

/** Authentication, authorization and the audit log. */
export interface Access {
  readonly service: AccessService
  readonly watch: AccessWatch
  readonly readTenantDirectory: () => Promise<TenantDirectory>
  readonly audit: AuditTrail
  readonly passwords: Passwords
  /** Idle time after which a dashboard session ends. */
  readonly sessionIdleMs: number
}

export interface AccessParts {
  readonly runtime: Runtime
  readonly storage: Storage
  readonly cluster: Cluster
}

/**
 * Checks the configured password of the first owner.
 * @throws StartError if the password is too weak.
 */
export async function rejectWeakBootstrapPassword(
  { bootstrap }: Pick<Config, 'bootstrap'>,
  { database }: Pick<Storage, 'database'>,
): Promise<void> {
  const problem = await findBootstrapError(database.read, bootstrap, createPasswordProblemFinder())
  if (problem !== null) throw new StartError(`BOOTSTRAP_PASSWORD: ${problem}`)
}

export function connectAccess(
  { sessionIdleMs }: Pick<Config, 'sessionIdleMs'>,
  { runtime, storage, cluster }: AccessParts,
): Access {
  const { clock, makeId, background } = runtime
  const { database } = storage
  const { bus } = cluster
  const readTenantDirectory = createTenantDirectoryReader(database, clock)
  const dependencies = { database, background, bus, clock, readTenantDirectory, sessionIdleMs }
  return {
    service: createAccessService(dependencies),
    watch: createAccessWatch(dependencies),
    readTenantDirectory,
    audit: createAuditTrail(database, clock, makeId),
    passwords: createPasswords(),
    sessionIdleMs,
  }
}
