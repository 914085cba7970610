import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

const auditLogRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'audit-log',
  component: lazyRouteComponent(() => import('./audit-log-screen.tsx'), 'AuditLogScreen'),
})

export const auditRoutes = [auditLogRoute] as const
