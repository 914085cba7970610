import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const teamRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'team',
  component: lazyRouteComponent(() => import('./team-screen.tsx'), 'TeamScreen'),
})

export const teamRoutes = [teamRoute] as const
