import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readVersionsSearch } from '../../parts/versions/versions-search.ts'
import { readAgentTab } from './agent-tabs.ts'

const agentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents',
  component: lazyRouteComponent(() => import('./agents-screen.tsx'), 'AgentsScreen'),
})

const agentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents/$agentId',
  validateSearch: readAgentTab,
  component: lazyRouteComponent(() => import('./agent-screen.tsx'), 'AgentScreen'),
})

const agentVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents/$agentId/versions',
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import('./agent-versions-screen.tsx'), 'AgentVersionsScreen'),
})

export const agentRoutes = [agentsRoute, agentRoute, agentVersionsRoute] as const
