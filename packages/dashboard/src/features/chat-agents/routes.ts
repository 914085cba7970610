import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readAgentSearch } from '../../parts/agent/agent-search.ts'
import { readVersionsSearch } from '../../parts/versions/versions-search.ts'

const chatAgentsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'chat-agents',
  component: lazyRouteComponent(() => import('./chat-agents-screen.tsx'), 'ChatAgentsScreen'),
})

const chatAgentRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'chat-agents/$agentId',
  validateSearch: readAgentSearch('chat-agent'),
  component: lazyRouteComponent(() => import('./chat-agent-screen.tsx'), 'ChatAgentScreen'),
})

const chatAgentVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'chat-agents/$agentId/versions',
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import('./chat-agent-versions-screen.tsx'), 'ChatAgentVersionsScreen'),
})

export const chatAgentRoutes = [chatAgentsRoute, chatAgentRoute, chatAgentVersionsRoute] as const
