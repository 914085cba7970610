import { listWorkspaces } from '@parley/contract/workspace'
import { type Api, implement } from '../../http/implement.ts'
import type { WorkspaceService } from './workspace-service.ts'

/** Mounts the operations of workspaces. */
export function registerWorkspaceRoutes(api: Api, service: Pick<WorkspaceService, 'listWorkspaces'>): void {
  implement(
    api,
    listWorkspaces,
  )(async (_input, { actor }) => ({
    workspaces: [...(await service.listWorkspaces(actor))],
  }))
}
