import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const agentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents',
  component: lazyRouteComponent(() => import('./agents-screen.tsx'), 'AgentsScreen'),
})

const agentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents/$agentId',
  component: lazyRouteComponent(() => import('./agent-screen.tsx'), 'AgentScreen'),
})

const agentVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'agents/$agentId/versions',
  component: lazyRouteComponent(() => import('./agent-versions-screen.tsx'), 'AgentVersionsScreen'),
})

export const agentRoutes = [agentsRoute, agentRoute, agentVersionsRoute] as const
