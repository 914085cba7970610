import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const providerKeysRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'provider-keys',
  validateSearch: ({ of }): { of?: 'workspace' | 'account' } => (of === 'workspace' || of === 'account' ? { of } : {}),
  component: lazyRouteComponent(() => import('./provider-keys-screen.tsx'), 'ProviderKeysScreen'),
})

export const providerKeyRoutes = [providerKeysRoute] as const
