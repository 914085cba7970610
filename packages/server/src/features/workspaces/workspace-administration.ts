import {
  type CreateWorkspaceBody,
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  type UpdateWorkspaceBody,
  updateWorkspace,
  type Workspace,
} from '@parley/contract/workspace'
import type { Clock } from '@parley/engine/ports'
import type { Actor } from '../../kernel/access/actor.ts'
import { type Api, implement } from '../../kernel/api/implement.ts'
import { AppError, invalidField, notFound } from '../../kernel/errors.ts'
import type { Database, Reader, Transaction } from '../../kernel/storage/database.ts'
import type { AccessCache } from '../members/public.ts'
import type { WorkspaceService } from './workspace-service.ts'
import { deleteWorkspaceRow, findWorkspaces, hasLiveCalls, updateWorkspaceRow } from './workspace-store.ts'

interface WorkspaceAdministrationDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly workspaces: Pick<WorkspaceService, 'createInTenant'>
  readonly tenants: TenantAdministration
  readonly people: WorkspacePeople
  readonly recordings: RecordedCalls
  readonly access: AccessCache
}

/** Manages workspaces. Callers must check access. */
interface WorkspaceAdministration {
  /** Creates a workspace. Throws `forbidden` for a tenant that the actor does not administer. */
  create(actor: Actor, body: CreateWorkspaceBody): Promise<Workspace>
  get(workspaceId: number): Promise<Workspace>
  update(workspaceId: number, body: UpdateWorkspaceBody): Promise<Workspace>
  /** Deletes the workspace with its content. Throws `in_use` while calls are live. */
  remove(workspaceId: number): Promise<void>
}

export function createWorkspaceAdministration(
  dependencies: WorkspaceAdministrationDependencies,
): WorkspaceAdministration {
  const { database, clock, workspaces, tenants, people, recordings, access } = dependencies

  async function requireWorkspace(reader: Reader, workspaceId: number): Promise<Workspace> {
    const [workspace] = await findWorkspaces(reader, new Set([workspaceId]))
    if (workspace === undefined) throw notFound('workspace', workspaceId)
    return workspace
  }

  async function chooseTenant(transaction: Transaction, actor: Actor, requestedTenant: string | null): Promise<string> {
    const selectedTenant = requestedTenant ?? actor.accountSid ?? (await tenants.findOnlyTenant(transaction, actor))
    if (selectedTenant === null) {
      throw invalidField('tenantId', 'is required. Use the id of a tenant from GET /api/tenants')
    }
    if (await tenants.administersTenant(transaction, actor, selectedTenant)) return selectedTenant
    throw new AppError('forbidden', 'Workspaces can be created only in tenants that you administer.')
  }

  return {
    async create(actor, body) {
      const workspace = await database.transaction(async (transaction) => {
        const accountSid = await chooseTenant(transaction, actor, body.tenantId ?? null)
        return await requireWorkspace(transaction, await workspaces.createInTenant(transaction, accountSid, body.name))
      })
      access.invalidate()
      return workspace
    },

    get: (workspaceId) => requireWorkspace(database.read, workspaceId),

    update: (workspaceId, body) =>
      database.transaction(async (transaction) => {
        await updateWorkspaceRow(transaction, workspaceId, body)
        return await requireWorkspace(transaction, workspaceId)
      }),

    async remove(workspaceId) {
      await database.transaction(async (transaction) => {
        if (await hasLiveCalls(transaction, workspaceId, clock.now())) {
          throw new AppError('in_use', 'This workspace has live calls. End them first, or wait until they have ended.')
        }
        await people.deleteWorkspaceOnlyUsers(transaction, workspaceId)
        await recordings.removeAllInWorkspace(transaction, workspaceId)
        if (!(await deleteWorkspaceRow(transaction, workspaceId))) throw notFound('workspace', workspaceId)
      })
      access.invalidate()
    },
  }
}

/** Finds the tenants that an actor administers. */
interface TenantAdministration {
  administersTenant(reader: Reader, actor: Actor, accountSid: string): Promise<boolean>
  /** Returns the tenant that the actor administers, or null if there is none or more than one. */
  findOnlyTenant(reader: Reader, actor: Actor): Promise<string | null>
}

/** Deletes call recordings. */
export interface RecordedCalls {
  /** Deletes the recordings of all calls in the workspace after the commit. */
  removeAllInWorkspace(transaction: Transaction, workspaceId: number): Promise<void>
}

/** Deletes users along with their workspace. */
interface WorkspacePeople {
  deleteWorkspaceOnlyUsers(transaction: Transaction, workspaceId: number): Promise<void>
}

export function registerWorkspaceRoutes(api: Api, service: Pick<WorkspaceService, 'listWorkspaces'>): void {
  implement(api, listWorkspaces, async (_input, { actor }) => ({
    workspaces: [...(await service.listWorkspaces(actor))],
  }))
}

export function registerWorkspaceAdministrationRoutes(api: Api, service: WorkspaceAdministration): void {
  implement(api, createWorkspace, ({ body }, { actor }) => service.create(actor, body))

  implement(api, getWorkspace, (_input, { workspaceId }) => service.get(workspaceId))

  implement(api, updateWorkspace, ({ body }, { workspaceId }) => service.update(workspaceId, body))

  implement(api, deleteWorkspace, (_input, { workspaceId }) => service.remove(workspaceId))
}
