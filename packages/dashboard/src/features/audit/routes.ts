import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readAuditSearch } from './audit-search.ts'

const auditLogRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'audit-log',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('./audit-log-screen.tsx'), 'AuditLogScreen'),
})

export const auditRoutes = [auditLogRoute] as const
