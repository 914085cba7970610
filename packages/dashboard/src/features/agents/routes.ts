import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readAgentSearch } from '../../parts/agent/agent-search.ts'
import { readVersionsSearch } from '../../parts/versions/versions-search.ts'

const agentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents',
  component: lazyRouteComponent(() => import('./agents-screen.tsx'), 'AgentsScreen'),
})

const agentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents/$agentId',
  validateSearch: readAgentSearch('agent'),
  component: lazyRouteComponent(() => import('./agent-screen.tsx'), 'AgentScreen'),
})

const agentVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents/$agentId/versions',
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import('./agent-versions-screen.tsx'), 'AgentVersionsScreen'),
})

export const agentRoutes = [agentsRoute, agentRoute, agentVersionsRoute] as const
