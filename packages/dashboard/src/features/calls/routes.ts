import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readCallFilter } from './call-filter.ts'

const callsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'calls',
  validateSearch: readCallFilter,
  component: lazyRouteComponent(() => import('./calls-screen.tsx'), 'CallsScreen'),
})

const callRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'calls/$callId',
  component: lazyRouteComponent(() => import('./call-screen.tsx'), 'CallScreen'),
})

export const callRoutes = [callsRoute, callRoute] as const
