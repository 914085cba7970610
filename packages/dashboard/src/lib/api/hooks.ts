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
  type AnyRequestParts,
  type ApiResponse,
  type NextPage,
  type OperationName,
  type RequestOptions,
  type RequestParts,
  request,
  type ValueOf,
} from './request.ts'

export interface ReadOptions {
  readonly enabled?: boolean
  /** Refetch interval while the page is visible. */
  readonly refetchMs?: number | false
  /** Keeps the previous data until new parts are loaded, to avoid layout shifts. */
  readonly keepPreviousData?: boolean
}

/** Adds the workspace if the operation requires one and the caller provides none. */
export function addWorkspace<Name extends OperationName>(
  name: Name,
  parts: RequestParts<Name>,
  workspaceId: number | null,
): RequestParts<Name> {
  if (workspaceId === null) return parts
  const requestParts = parts as AnyRequestParts
  const source = operationTable[name][3]
  if (source === 'query' || source === 'optional')
    return { ...requestParts, query: { workspaceId, ...requestParts.query } } as never
  if (source === 'body')
    return { ...requestParts, body: { workspaceId, ...(requestParts.body as object | undefined) } } as never
  return parts
}

function buildQueryKey(name: OperationName, parts: AnyRequestParts): readonly unknown[] {
  return [name, parts.path ?? null, parts.query ?? null, parts.body ?? null]
}

function useReadOptions<Name extends OperationName>(
  name: Name,
  parts: RequestParts<Name>,
  { enabled = true, refetchMs = false, keepPreviousData = false }: ReadOptions,
) {
  const fullParts = addWorkspace(name, parts, useWorkspaceIdOrNull())
  return {
    queryKey: buildQueryKey(name, fullParts as AnyRequestParts),
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => request(name, fullParts, { signal }),
    enabled,
    refetchInterval: refetchMs,
    ...(keepPreviousData && { placeholderData: getPreviousData as never }),
  }
}

/** Reads an operation. `data` includes the response headers. */
export function useResponse<Name extends OperationName>(
  name: Name,
  parts: RequestParts<Name>,
  options: ReadOptions = {},
): UseQueryResult<ApiResponse<ValueOf<Name>>, Problem> {
  return useQuery<ApiResponse<ValueOf<Name>>, Problem>(useReadOptions(name, parts, options))
}

export function useRead<Name extends OperationName>(
  name: Name,
  parts: RequestParts<Name>,
  options: ReadOptions = {},
): UseQueryResult<ValueOf<Name>, Problem> {
  return useQuery<ApiResponse<ValueOf<Name>>, Problem, ValueOf<Name>>({
    ...useReadOptions(name, parts, options),
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
  parts: RequestParts<Name>,
  { enabled = true, refetchMs = false }: ReadOptions = {},
): Pages<RowOf<Name>> {
  const fullParts = addWorkspace(name, parts, useWorkspaceIdOrNull()) as AnyRequestParts
  const result = useInfiniteQuery({
    queryKey: [...buildQueryKey(name, fullParts), 'pages'],
    queryFn: ({ signal, pageParam }) =>
      request(name, { ...fullParts, query: { limit: ROWS_PER_PAGE, ...fullParts.query, ...pageParam } } as never, {
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

/** Calls a write operation. The caller displays any problem. */
export function useWrite<Name extends OperationName>(
  name: Name,
  { invalidates = [] }: WriteOptions = {},
): UseMutationResult<ApiResponse<ValueOf<Name>>, Problem, RequestParts<Name> & Pick<RequestOptions, 'ifMatch'>> {
  const client = useQueryClient()
  const workspaceId = useWorkspaceIdOrNull()
  return useMutation({
    mutationFn: ({ ifMatch = null, ...parts }) =>
      request(name, addWorkspace(name, parts as never, workspaceId), { ifMatch }),
    onSuccess: () => refresh(client, invalidates),
  })
}

/** Invalidates the cached responses of operations. */
export async function refresh(client: QueryClient, names: readonly OperationName[]): Promise<void> {
  await client.invalidateQueries({ predicate: ({ queryKey }) => names.includes(queryKey[0] as OperationName) })
}
