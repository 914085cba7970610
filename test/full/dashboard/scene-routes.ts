import type { SceneRecords } from './scene-records.ts'

interface AppRouter {
  readonly routesByPath: Readonly<Record<string, unknown>>
}

/** Not written as an import, which would have the sources of the page checked without those of its build. */
const ROUTER = '../../../packages/dashboard/src/app/router.tsx'

/** The paths of all routes of the dashboard, as its own router has them: `/$workspaceId/agents/$agentId`. */
export async function readRoutes(): Promise<readonly string[]> {
  const { createAppRouter } = (await import(/* @vite-ignore */ ROUTER)) as {
    createAppRouter(client: unknown): AppRouter
  }
  return Object.keys(createAppRouter({}).routesByPath)
}

/** Pages of everybody: who is signed in has no need of them. */
const PUBLIC_ROUTES: ReadonlySet<string> = new Set(['/sign-in', '/reset-password', '/accept-invitation'])

export function isPublic(route: string): boolean {
  return PUBLIC_ROUTES.has(route)
}

/** The address of a route on known records. Throws for a parameter of which `SceneRecords` has no record yet. */
export function addressOf(route: string, records: SceneRecords): string {
  return route.replace(/\$(\w+)/g, (_all, parameter: string) => {
    const isChatAgent = parameter === 'agentId' && route.includes('/chat-agents/')
    const name = isChatAgent ? 'chatAgentId' : parameter
    const value = (records as unknown as Readonly<Record<string, string | undefined>>)[name]
    if (value === undefined) throw new Error(`${route}: add a record for "${parameter}" to scene-records.ts.`)
    return encodeURIComponent(value)
  })
}
