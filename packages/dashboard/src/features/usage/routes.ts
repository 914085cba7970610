import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const usageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'usage',
  component: lazyRouteComponent(() => import('./usage-screen.tsx'), 'UsageScreen'),
})

export const usageRoutes = [usageRoute] as const
