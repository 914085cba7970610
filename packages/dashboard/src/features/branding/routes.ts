import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const brandingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'branding',
  component: lazyRouteComponent(() => import('./branding-screen.tsx'), 'BrandingScreen'),
})

export const brandingRoutes = [brandingRoute] as const
