import type { CurrentSession } from '@parley/contract/session'
import type { Workspace } from '@parley/contract/workspace'
import { type QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { Problem } from '../api/problem.ts'
import { type RequestOptions, request } from '../api/request.ts'

/** The current session; null if no user is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['getSession'],
  queryFn: async ({ signal }): Promise<CurrentSession | null> => {
    try {
      return (await request('getSession', {}, { signal, onSignedOut: 'fail' })).value
    } catch (error) {
      if (error instanceof Problem && error.code === 'unauthorized') return null
      throw error
    }
  },
  staleTime: 60_000,
})

async function readWorkspaces(options: RequestOptions): Promise<readonly Workspace[]> {
  return (await request('listWorkspaces', {}, options)).value.workspaces
}

export const workspacesQuery = queryOptions({
  queryKey: ['listWorkspaces'],
  queryFn: ({ signal }) => readWorkspaces({ signal }),
  staleTime: 60_000,
})

/** Reads the session and workspaces in parallel. Only the session request reports that the user is not signed in. */
export async function readSession(client: QueryClient): Promise<CurrentSession | null> {
  void client.prefetchQuery({
    ...workspacesQuery,
    queryFn: ({ signal }) => readWorkspaces({ signal, onSignedOut: 'fail' }),
    retry: false,
  })
  return await client.ensureQueryData(sessionQuery)
}

/** Returns the session on pages that require one. */
export function useSession(): CurrentSession {
  const { data } = useSuspenseQuery(sessionQuery)
  if (data === null) throw new Error('No user is signed in.')
  return data
}

export function useWorkspaces(): readonly Workspace[] {
  return useSuspenseQuery(workspacesQuery).data
}

/** Ends the session and clears cached data and drafts. */
export async function signOut(client: QueryClient): Promise<void> {
  await request('logout', {}, { onSignedOut: 'fail' }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error
  })
  sessionStorage.clear()
  client.clear()
}
