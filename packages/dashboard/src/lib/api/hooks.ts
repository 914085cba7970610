import { operationTable } from '@parley/contract/operation-table'
import {
  keepPreviousData as getPreviousData,
  type QueryClient,
  type UseInfiniteQueryResult,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useWorkspaceIdOrNull } from '../workspace.ts'
import type { Problem } from './problem.ts'
import {
  type AnyRequestParams,
  type ApiResponse,
  type NextPage,
  type OperationName,
  type RequestOptions,
  type RequestParams,
  request,
  type ValueOf,
} from './request.ts'

export interface ReadOptions {
  readonly enabled?: boolean
  /** Refetch interval while the page is visible. */
  readonly refetchMs?: number | false
  /** Displays the previous data while new data loads, to avoid layout shifts. */
  readonly keepPreviousData?: boolean
}

/** Adds the workspace ID if the operation requires one and the caller does not provide it. */
export function addWorkspace<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  workspaceId: number | null,
): RequestParams<Name> {
  if (workspaceId === null) return params
  const baseParams = params as AnyRequestParams
  const workspaceLocation = operationTable[name][3]
  if (workspaceLocation === 'query' || workspaceLocation === 'optional')
    return { ...baseParams, query: { workspaceId, ...baseParams.query } } as never
  if (workspaceLocation === 'body')
    return { ...baseParams, body: { workspaceId, ...(baseParams.body as object | undefined) } } as never
  return params
}

function buildQueryKey(name: OperationName, params: AnyRequestParams): readonly unknown[] {
  return [name, params.path ?? null, params.query ?? null, params.body ?? null]
}

function useReadOptions<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  { enabled = true, refetchMs = false, keepPreviousData = false }: ReadOptions,
) {
  const fullParams = addWorkspace(name, params, useWorkspaceIdOrNull())
  return {
    queryKey: buildQueryKey(name, fullParams as AnyRequestParams),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => request(name, fullParams, { signal }),
    enabled,
    refetchInterval: refetchMs,
    ...(keepPreviousData && { placeholderData: getPreviousData as never }),
  }
}

/** Calls a read operation. `data` includes the response headers. */
export function useResponse<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  options: ReadOptions = {},
): UseQueryResult<ApiResponse<ValueOf<Name>>, Problem> {
  return useQuery<ApiResponse<ValueOf<Name>>, Problem>(useReadOptions(name, params, options))
}

export function useRead<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  options: ReadOptions = {},
): UseQueryResult<ValueOf<Name>, Problem> {
  return useQuery<ApiResponse<ValueOf<Name>>, Problem, ValueOf<Name>>({
    ...useReadOptions(name, params, options),
    select: ({ value }) => value,
  })
}

const ROWS_PER_PAGE = 100

type RowOf<Name extends OperationName> = ValueOf<Name> extends readonly (infer Row)[] ? Row : never

/** A list that loads one page at a time. */
export type Pages<Row> = Pick<
  UseInfiniteQueryResult<Row[], Problem>,
  'error' | 'isPending' | 'isFetching' | 'hasNextPage' | 'isFetchingNextPage'
> & {
  readonly rows: readonly Row[]
  readonly fetchNextPage: () => Promise<unknown>
  readonly refetch: () => Promise<unknown>
}

/** Loads a list one page at a time. `rows` contains the rows of all loaded pages. */
export function usePages<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  { enabled = true, refetchMs = false }: ReadOptions = {},
): Pages<RowOf<Name>> {
  const fullParams = addWorkspace(name, params, useWorkspaceIdOrNull()) as AnyRequestParams
  const result = useInfiniteQuery({
    queryKey: [...buildQueryKey(name, fullParams), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      request(name, { ...fullParams, query: { limit: ROWS_PER_PAGE, ...fullParams.query, ...pageParam } } as never, {
        signal,
      }),
    initialPageParam: null as NextPage | null,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ value }) => value as RowOf<Name>[]),
    enabled,
    refetchInterval: refetchMs,
  }) as UseInfiniteQueryResult<RowOf<Name>[], Problem>
  return { ...result, rows: result.data ?? [] }
}

export interface WriteOptions {
  /** Operations to invalidate afterwards. */
  readonly invalidates?: readonly OperationName[]
}

/** Returns a mutation that calls a write operation. The caller displays errors. */
export function useWrite<Name extends OperationName>(
  name: Name,
  { invalidates = [] }: WriteOptions = {},
): UseMutationResult<ApiResponse<ValueOf<Name>>, Problem, RequestParams<Name> & Pick<RequestOptions, 'ifMatch'>> {
  const client = useQueryClient()
  const workspaceId = useWorkspaceIdOrNull()
  return useMutation({
    mutationFn: ({ ifMatch = null, ...params }) =>
      request(name, addWorkspace(name, params as never, workspaceId), { ifMatch }),
    onSuccess: () => refresh(client, invalidates),
  })
}

/** Invalidates the cached responses of operations. */
export async function refresh(client: QueryClient, names: readonly OperationName[]): Promise<void> {
  await client.invalidateQueries({ predicate: ({ queryKey }) => names.includes(queryKey[0] as OperationName) })
}
