import type { Voice } from '@parley/contract/voice'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { Problem } from '../../lib/api/problem.ts'
import { type ApiResponse, type NextPage, type RequestParams, request, type ValueOf } from '../../lib/api/request.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'

const ROWS_PER_PAGE = 1_000
const MAX_PAGES = 10

async function readAllVoices(workspaceId: number, signal: AbortSignal): Promise<readonly Voice[]> {
  const voices: Voice[] = []
  let next: NextPage | null = null
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query: RequestParams<'listVoices'>['query'] = {
      workspaceId,
      limit: ROWS_PER_PAGE,
      ...(next as NextPage | null),
    }
    const response: ApiResponse<ValueOf<'listVoices'>> = await request('listVoices', { query }, { signal })
    voices.push(...response.value)
    next = response.next
    if (next === null) break
  }
  return voices
}

/** Reads all voices in the workspace so that searching needs no requests. */
export function useVoices(): UseQueryResult<readonly Voice[], Problem> {
  const workspaceId = useWorkspaceId()
  return useQuery<readonly Voice[], Problem>({
    // Refreshes together with the list.
    queryKey: ['listVoices', 'all', workspaceId],
    queryFn: ({ signal }) => readAllVoices(workspaceId, signal),
  })
}
