import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const voicesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'voices',
  component: lazyRouteComponent(() => import('./voices-screen.tsx'), 'VoicesScreen'),
})

export const voiceRoutes = [voicesRoute] as const
