import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readBrandSearch } from './brand-owner.ts'

const brandingRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'branding',
  validateSearch: readBrandSearch,
  component: lazyRouteComponent(() => import('./branding-screen.tsx'), 'BrandingScreen'),
})

export const brandingRoutes = [brandingRoute] as const
