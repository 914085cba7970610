import { deleteWorkspaceSecret, listWorkspaceSecrets, putWorkspaceSecret } from '@parley/contract/workspace-secret'
import { type Api, implement } from '../../kernel/api/implement.ts'
import type { WorkspaceSecretService } from './workspace-secret-service.ts'

/** Mounts the operations of named secrets. */
export function registerWorkspaceSecretRoutes(
  api: Api,
  service: Pick<WorkspaceSecretService, 'list' | 'put' | 'remove'>,
): void {
  implement(api, listWorkspaceSecrets)(async (_input, { workspaceId }) => await service.list(workspaceId))

  implement(
    api,
    putWorkspaceSecret,
  )(async ({ path, body }, { workspaceId }) => await service.put(workspaceId, { name: path.name, value: body.value }))

  implement(
    api,
    deleteWorkspaceSecret,
  )(async ({ path }, { workspaceId }) => {
    await service.remove(workspaceId, path.name)
    return undefined
  })
}
