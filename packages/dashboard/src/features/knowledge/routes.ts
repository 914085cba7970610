import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readBaseSearch } from './base-search.ts'

const knowledgeBasesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'knowledge',
  component: lazyRouteComponent(() => import('./knowledge-bases-screen.tsx'), 'KnowledgeBasesScreen'),
})

const knowledgeBaseRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'knowledge/$knowledgeBaseId',
  validateSearch: readBaseSearch,
  component: lazyRouteComponent(() => import('./knowledge-base-screen.tsx'), 'KnowledgeBaseScreen'),
})

export const knowledgeRoutes = [knowledgeBasesRoute, knowledgeBaseRoute] as const
