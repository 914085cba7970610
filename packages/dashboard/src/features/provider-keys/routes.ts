import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const providerKeysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'provider-keys',
  validateSearch: ({ owner }): { owner?: 'workspace' | 'account' } =>
    owner === 'workspace' || owner === 'account' ? { owner } : {},
  component: lazyRouteComponent(() => import('./provider-keys-screen.tsx'), 'ProviderKeysScreen'),
})

export const providerKeyRoutes = [providerKeysRoute] as const
