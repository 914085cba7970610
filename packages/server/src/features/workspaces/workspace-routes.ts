import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
} from '@parley/contract/workspace'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { WorkspaceAdministration } from './workspace-administration.ts'
import type { WorkspaceService } from './workspace-service.ts'

/** Registers the list of workspaces. */
export function registerWorkspaceRoutes(api: Api, service: Pick<WorkspaceService, 'listWorkspaces'>): void {
  implement(
    api,
    listWorkspaces,
  )(async (_input, { actor }) => ({
    workspaces: [...(await service.listWorkspaces(actor))],
  }))
}

/** Registers the operations on one workspace. */
export function registerWorkspaceAdministrationRoutes(api: Api, service: WorkspaceAdministration): void {
  implement(api, createWorkspace)(({ body }, { actor }) => service.create(actor, body))

  implement(api, getWorkspace)((_input, { workspaceId }) => service.get(workspaceId))

  implement(api, updateWorkspace)(({ body }, { workspaceId }) => service.update(workspaceId, body))

  implement(
    api,
    deleteWorkspace,
  )(async (_input, { workspaceId }) => {
    await service.remove(workspaceId)
    return undefined
  })
}
