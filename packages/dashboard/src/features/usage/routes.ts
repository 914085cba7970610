import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readUsageSearch } from './usage-search.ts'

const usageRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'usage',
  validateSearch: readUsageSearch,
  component: lazyRouteComponent(() => import('./usage-screen.tsx'), 'UsageScreen'),
})

export const usageRoutes = [usageRoute] as const
