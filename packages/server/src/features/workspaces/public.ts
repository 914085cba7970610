/** What the rest of the server may use of this feature. */

export { createWorkspaceAdministration } from './workspace-administration.ts'
export type { RecordedCalls } from './workspace-ports.ts'
export { registerWorkspaceAdministrationRoutes, registerWorkspaceRoutes } from './workspace-routes.ts'
export { createWorkspaceService, type WorkspaceService } from './workspace-service.ts'
