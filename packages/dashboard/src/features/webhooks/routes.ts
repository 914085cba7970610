import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readDeliverySearch } from './delivery-search.ts'

const webhooksRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'webhooks',
  component: lazyRouteComponent(() => import('./webhooks-screen.tsx'), 'WebhooksScreen'),
})

const deliveriesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'webhooks/deliveries',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import('./deliveries-screen.tsx'), 'DeliveriesScreen'),
})

export const webhookRoutes = [webhooksRoute, deliveriesRoute] as const
