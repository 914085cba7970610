import type { CreateWorkspaceBody, UpdateWorkspaceBody, Workspace } from '@parley/contract/workspace'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AccessCache } from '../members/public.ts'
import type { RecordedCalls, TenantAdministration, WorkspacePeople } from './workspace-ports.ts'
import type { WorkspaceService } from './workspace-service.ts'
import { deleteWorkspaceRow, findWorkspaces, hasLiveCalls, updateWorkspaceRow } from './workspace-store.ts'

export interface WorkspaceAdministrationDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly workspaces: Pick<WorkspaceService, 'createInTenant'>
  readonly tenants: TenantAdministration
  readonly people: WorkspacePeople
  readonly recordings: RecordedCalls
  readonly access: AccessCache
}

/** What is done with one workspace; that the actor may do it in this one is checked before. */
export interface WorkspaceAdministration {
  /** Throws `forbidden` for an account that the actor does not administer. */
  create(actor: Actor, body: CreateWorkspaceBody): Promise<Workspace>
  get(workspaceId: number): Promise<Workspace>
  update(workspaceId: number, body: UpdateWorkspaceBody): Promise<Workspace>
  /** Removes it with everything in it. Throws `in_use` while calls are live. */
  remove(workspaceId: number): Promise<void>
}

export function createWorkspaceAdministration(
  dependencies: WorkspaceAdministrationDependencies,
): WorkspaceAdministration {
  const { database, clock, workspaces, tenants, people, recordings, access } = dependencies

  async function findOne(reader: Reader, workspaceId: number): Promise<Workspace> {
    const [found] = await findWorkspaces(reader, new Set([workspaceId]))
    if (found === undefined) throw notFound('workspace', workspaceId)
    return found
  }

  async function chooseTenant(transaction: Transaction, actor: Actor, named: string | null): Promise<string> {
    const chosen = named ?? actor.accountSid ?? (await tenants.findOnlyTenant(transaction, actor))
    if (chosen === null) {
      throw invalidField('tenantId', 'is required: the account that the workspace belongs to, from GET /api/tenants')
    }
    if (await tenants.administersTenant(transaction, actor, chosen)) return chosen
    throw new AppError('forbidden', 'Workspaces can be created in accounts that you administer only.')
  }

  return {
    async create(actor, body) {
      const created = await database.transaction(async (transaction) => {
        const accountSid = await chooseTenant(transaction, actor, body.tenantId ?? null)
        return await findOne(transaction, await workspaces.createInTenant(transaction, accountSid, body.name))
      })
      access.forget()
      return created
    },

    get: (workspaceId) => findOne(database.read, workspaceId),

    update: (workspaceId, body) =>
      database.transaction(async (transaction) => {
        await updateWorkspaceRow(transaction, workspaceId, body)
        return await findOne(transaction, workspaceId)
      }),

    async remove(workspaceId) {
      await database.transaction(async (transaction) => {
        if (await hasLiveCalls(transaction, workspaceId, clock.now())) {
          throw new AppError(
            'in_use',
            'Calls of this workspace are live. End them first, or wait until they have ended.',
          )
        }
        await people.deleteUsersOnlyIn(transaction, workspaceId)
        await recordings.removeAllInWorkspace(transaction, workspaceId)
        if (!(await deleteWorkspaceRow(transaction, workspaceId))) throw notFound('workspace', workspaceId)
      })
      access.forget()
    },
  }
}
