import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const llmsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'llms',
  component: lazyRouteComponent(() => import('./llms-screen.tsx'), 'LlmsScreen'),
})

const llmRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'llms/$llmId',
  component: lazyRouteComponent(() => import('./llm-screen.tsx'), 'LlmScreen'),
})

const llmVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'llms/$llmId/versions',
  component: lazyRouteComponent(() => import('./llm-versions-screen.tsx'), 'LlmVersionsScreen'),
})

export const llmRoutes = [llmsRoute, llmRoute, llmVersionsRoute] as const
