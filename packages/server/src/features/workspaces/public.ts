export type { RecordedCalls } from './workspace-administration.ts'
export {
  createWorkspaceAdministration,
  registerWorkspaceAdministrationRoutes,
  registerWorkspaceRoutes,
} from './workspace-administration.ts'
export { createWorkspaceService, type WorkspaceService } from './workspace-service.ts'
export { findFirstReseller, readMarkup } from './workspace-store.ts'
