import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, notFound, redirect } from '@tanstack/react-router'
import { readSession, sessionQuery, workspacesQuery } from './session/session.ts'

export interface RouteContext {
  readonly client: QueryClient
}

/** The parents of all routes. Files in app/ set their components so that features do not import app/. */
export const rootRoute = createRootRouteWithContext<RouteContext>()()

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context: { client }, location }) => {
    const session = await readSession(client)
    if (session === null) throw redirect({ to: '/sign-in' as string, search: { next: location.href } })
  },
  loader: ({ context: { client } }) => client.ensureQueryData(workspacesQuery),
})

export const workspaceRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '$workspaceId',
  params: {
    parse: ({ workspaceId }) => ({ workspaceId: Number(workspaceId) }),
    stringify: ({ workspaceId }) => ({ workspaceId: String(workspaceId) }),
  },
  beforeLoad: async ({ context: { client }, params }) => {
    const session = await client.ensureQueryData(sessionQuery)
    if (session?.workspaces.some(({ id }) => id === params.workspaceId) !== true) throw notFound()
  },
})
