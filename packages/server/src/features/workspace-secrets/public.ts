export {
  createWorkspaceSecretService,
  registerWorkspaceSecretRoutes,
  type WorkspaceSecretService,
} from './workspace-secret-service.ts'
