import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readTestCasesSearch } from './test-cases-search.ts'

const testCasesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'test-cases',
  validateSearch: readTestCasesSearch,
  component: lazyRouteComponent(() => import('./test-cases-screen.tsx'), 'TestCasesScreen'),
})

const testCaseRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'test-cases/$testCaseId',
  component: lazyRouteComponent(() => import('./test-case-screen.tsx'), 'TestCaseScreen'),
})

export const testCaseRoutes = [testCasesRoute, testCaseRoute] as const
