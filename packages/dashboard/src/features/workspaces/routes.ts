import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'workspaces',
  component: lazyRouteComponent(() => import('./workspaces-screen.tsx'), 'WorkspacesScreen'),
})

export const workspaceListRoutes = [workspacesRoute] as const
