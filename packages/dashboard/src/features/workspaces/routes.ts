import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'workspaces',
  validateSearch: ({ tab }): { tab?: 'tenants' | 'providers' } =>
    tab === 'tenants' || tab === 'providers' ? { tab } : {},
  component: lazyRouteComponent(() => import('./workspaces-screen.tsx'), 'WorkspacesScreen'),
})

export const workspaceListRoutes = [workspacesRoute] as const
