import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { workspaceRoute } from '../../lib/routes.ts'

/** The filters in the URL. */
export interface VoicesSearch {
  readonly search?: string
  readonly provider?: string
  readonly gender?: string
  readonly language?: string
  readonly accent?: string
}

function readSearch(search: Record<string, unknown>): VoicesSearch {
  const names = ['search', 'provider', 'gender', 'language', 'accent'] as const
  const presentNames = names.filter((name) => typeof search[name] === 'string' && search[name] !== '')
  return Object.fromEntries(presentNames.map((name) => [name, search[name]]))
}

const voicesRoute = createRoute({
  getParentRoute: () => workspaceRoute,
  path: 'voices',
  validateSearch: readSearch,
  component: lazyRouteComponent(() => import('./voices-screen.tsx'), 'VoicesScreen'),
})

export const voiceRoutes = [voicesRoute] as const
