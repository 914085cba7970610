import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../lib/routes.ts'

/** Reads the path to open after sign-in. Accepts only paths in this dashboard to prevent open redirects. */
function parseNextPath(next: unknown): string | undefined {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? next : undefined
}

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: (search): { next?: string } => {
    const next = parseNextPath(search['next'])
    return next === undefined ? {} : { next }
  },
  component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'SignInScreen'),
})

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset-password',
  component: lazyRouteComponent(() => import('./sign-in-screen.tsx'), 'ResetPasswordScreen'),
})

const acceptInvitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/accept-invitation',
  component: lazyRouteComponent(() => import('./accept-invitation-screen.tsx'), 'AcceptInvitationScreen'),
})

export const signInRoutes = [signInRoute, resetPasswordRoute, acceptInvitationRoute] as const
