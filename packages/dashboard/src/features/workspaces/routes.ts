import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

export type WorkspacesTab = 'workspaces' | 'tenants' | 'providers'

const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'workspaces',
  validateSearch: ({ tab }): { tab?: WorkspacesTab } => (tab === 'tenants' || tab === 'providers' ? { tab } : {}),
  component: lazyRouteComponent(() => import('./workspaces-screen.tsx'), 'WorkspacesScreen'),
})

export const workspaceListRoutes = [workspacesRoute] as const
