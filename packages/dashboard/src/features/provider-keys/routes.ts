import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const providerKeysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'provider-keys',
  component: lazyRouteComponent(() => import('./provider-keys-screen.tsx'), 'ProviderKeysScreen'),
})

export const providerKeyRoutes = [providerKeysRoute] as const
