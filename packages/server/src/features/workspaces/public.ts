export type { RecordedCalls } from './workspace-administration.ts'
export { createWorkspaceAdministration } from './workspace-administration.ts'
export { registerWorkspaceAdministrationRoutes, registerWorkspaceRoutes } from './workspace-routes.ts'
export { createWorkspaceService, type WorkspaceService } from './workspace-service.ts'
