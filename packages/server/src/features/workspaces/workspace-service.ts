import { DEFAULT_CONCURRENCY } from '@parley/contract/concurrency'
import type { Workspace } from '@parley/contract/workspace'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../kernel/storage/database.ts'
import {
  allocateWorkspaceId,
  findFirstReseller,
  findWorkspaces,
  insertTenant,
  insertWorkspace,
  readFirstTenant,
} from './workspace-store.ts'

/** Account path of the first tenant, in the format `/provider/tenant`. */
const FIRST_TENANT_PATH = '/default/main'

/** Creates the signing secret of a new workspace. */
interface SigningSecrets {
  createInitial(transaction: Transaction, workspaceId: number): Promise<void>
}

interface WorkspaceServiceDependencies {
  readonly database: Database
  readonly clock: Clock
  readonly makeUuid: () => string
  readonly signingSecrets: SigningSecrets
}

export interface WorkspaceService {
  /** Lists the workspaces that the actor can access, ordered by id. */
  listWorkspaces(actor: Pick<Actor, 'workspaces'>): Promise<readonly Workspace[]>
  /** Creates a workspace in the first tenant, which is created if it does not exist. Returns the workspace id. */
  createWorkspace(transaction: Transaction, name: string): Promise<number>
  /** Creates a workspace in an existing tenant. Returns the workspace id. */
  createInTenant(transaction: Transaction, accountSid: string, name: string): Promise<number>
}

export function createWorkspaceService(dependencies: WorkspaceServiceDependencies): WorkspaceService {
  const { database, clock, makeUuid, signingSecrets } = dependencies

  async function ensureTenant(transaction: Transaction, now: number): Promise<string> {
    const existingTenant = await readFirstTenant(transaction)
    if (existingTenant !== null) return existingTenant
    const accountSid = makeUuid()
    const providerId = await findFirstReseller(transaction)
    const tenant = { account_sid: accountSid, provider_id: providerId, account_path: FIRST_TENANT_PATH, name: 'Main' }
    await insertTenant(transaction, { ...tenant, created_at: now })
    return accountSid
  }

  async function createInTenant(transaction: Transaction, accountSid: string, name: string): Promise<number> {
    const workspaceId = await allocateWorkspaceId(transaction)
    await insertWorkspace(transaction, {
      workspace_id: workspaceId,
      account_sid: accountSid,
      name,
      native_transfer_enabled: 0,
      concurrency_base: DEFAULT_CONCURRENCY.base,
      concurrency_purchased: DEFAULT_CONCURRENCY.purchased,
      concurrency_purchase_limit: DEFAULT_CONCURRENCY.purchaseLimit,
      created_at: clock.now(),
    })
    await signingSecrets.createInitial(transaction, workspaceId)
    return workspaceId
  }

  return {
    listWorkspaces: (actor) => findWorkspaces(database.read, new Set(actor.workspaces.keys())),

    createInTenant,

    async createWorkspace(transaction, name) {
      return await createInTenant(transaction, await ensureTenant(transaction, clock.now()), name)
    },
  }
}
