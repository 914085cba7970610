/** What the rest of the server may use of this feature. */

export { registerWorkspaceSecretRoutes } from './workspace-secret-routes.ts'
export { createWorkspaceSecretService, type WorkspaceSecretService } from './workspace-secret-service.ts'
