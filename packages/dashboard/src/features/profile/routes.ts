import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const profileRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'profile',
  component: lazyRouteComponent(() => import('./profile-screen.tsx'), 'ProfileScreen'),
})

export const profileRoutes = [profileRoute] as const
