import type { SceneRecords } from '../../full/dashboard/scene-records.ts'

interface AppRouter {
  readonly routesByPath: Readonly<Record<string, unknown>>
}

/** A variable path, because a static import would type-check dashboard sources with the wrong settings. */
const ROUTER = '../../../packages/dashboard/src/app/router.tsx'

/** Returns all route paths from the dashboard's router, such as `/$workspaceId/agents/$agentId`. */
export async function readRoutes(): Promise<readonly string[]> {
  const { createAppRouter } = (await import(/* @vite-ignore */ ROUTER)) as {
    createAppRouter(client: unknown): AppRouter
  }
  return Object.keys(createAppRouter({}).routesByPath)
}

/** Pages for visitors who are not signed in. */
const PUBLIC_ROUTES: ReadonlySet<string> = new Set(['/sign-in', '/reset-password', '/accept-invitation'])

export function isPublic(route: string): boolean {
  return PUBLIC_ROUTES.has(route)
}

/** Returns the path of a route with known records. Throws for a parameter without a record in `SceneRecords`. */
export function addressOf(route: string, records: SceneRecords): string {
  return route.replace(/\$(\w+)/g, (_all, parameter: string) => {
    const isChatAgent = parameter === 'agentId' && route.includes('/chat-agents/')
    const name = isChatAgent ? 'chatAgentId' : parameter
    const value = (records as unknown as Readonly<Record<string, string | undefined>>)[name]
    if (value === undefined) throw new Error(`${route}: add a record for "${parameter}" to scene-records.ts.`)
    return encodeURIComponent(value)
  })
}
