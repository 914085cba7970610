import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const tokensRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'tokens',
  validateSearch: ({ userId }): { userId?: string } => (typeof userId === 'string' && userId !== '' ? { userId } : {}),
  component: lazyRouteComponent(() => import('./tokens-screen.tsx'), 'TokensScreen'),
})

export const tokenRoutes = [tokensRoute] as const
