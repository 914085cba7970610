import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const numbersRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'numbers',
  component: lazyRouteComponent(() => import('./numbers-screen.tsx'), 'NumbersScreen'),
})

const numberRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'numbers/$number',
  component: lazyRouteComponent(() => import('./number-screen.tsx'), 'NumberScreen'),
})

export const numberRoutes = [numbersRoute, numberRoute] as const
