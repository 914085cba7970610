import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readVersionsSearch } from '../../parts/versions/versions-search.ts'
import { readFlowSearch } from './flow-search.ts'

const flowsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'flows',
  component: lazyRouteComponent(() => import('./flows-screen.tsx'), 'FlowsScreen'),
})

const flowRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'flows/$flowId',
  validateSearch: readFlowSearch,
  component: lazyRouteComponent(() => import('./flow-screen.tsx'), 'FlowScreen'),
})

const flowVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'flows/$flowId/versions',
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import('./flow-versions-screen.tsx'), 'FlowVersionsScreen'),
})

export const flowRoutes = [flowsRoute, flowRoute, flowVersionsRoute] as const
