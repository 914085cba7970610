import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readVersionsSearch } from '../../parts/versions/versions-search.ts'
import { readLlmSearch } from './llm-search.ts'

const llmsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'llms',
  component: lazyRouteComponent(() => import('./llms-screen.tsx'), 'LlmsScreen'),
})

const llmRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'llms/$llmId',
  validateSearch: readLlmSearch,
  component: lazyRouteComponent(() => import('./llm-screen.tsx'), 'LlmScreen'),
})

const llmVersionsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'llms/$llmId/versions',
  validateSearch: readVersionsSearch,
  component: lazyRouteComponent(() => import('./llm-versions-screen.tsx'), 'LlmVersionsScreen'),
})

export const llmRoutes = [llmsRoute, llmRoute, llmVersionsRoute] as const
