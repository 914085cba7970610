import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const secretsRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'secrets',
  component: lazyRouteComponent(() => import('./secrets-screen.tsx'), 'SecretsScreen'),
})

export const secretRoutes = [secretsRoute] as const
