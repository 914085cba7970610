import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'
import { readTab, type WorkspacesTab } from './workspaces-tab-name.ts'

const workspacesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'workspaces',
  validateSearch: ({ tab }): { tab?: WorkspacesTab } => {
    const known = readTab(tab)
    return known === 'workspaces' ? {} : { tab: known }
  },
  component: lazyRouteComponent(() => import('./workspaces-screen.tsx'), 'WorkspacesScreen'),
})

export const workspaceListRoutes = [workspacesRoute] as const
