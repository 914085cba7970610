import type { Operations } from '@parley/contract/index'
import type { RequestOf, ResponseOf } from '@parley/contract/operation'
import { operationTable } from '@parley/contract/operation-table'
import { Problem, readProblem } from './problem.ts'
import { waitForSignIn } from './sign-in-gate.ts'

export type OperationName = keyof Operations

type ParamGroup<Name extends string, Fields, IsRequired extends boolean> = Fields extends undefined
  ? unknown
  : IsRequired extends true
    ? { readonly [Key in Name]: Fields }
    : { readonly [Key in Name]?: Fields }

/** The input of an operation. Hooks add the workspace ID. */
export type RequestParams<Name extends OperationName> = ParamGroup<'path', RequestOf<Operations[Name]>['path'], true> &
  ParamGroup<'query', RequestOf<Operations[Name]>['query'], false> &
  ParamGroup<'body', RequestOf<Operations[Name]>['body'], true>

export type ValueOf<Name extends OperationName> = ResponseOf<Operations[Name]>

export interface ApiResponse<Value> {
  readonly value: Value
  /** Value for `ifMatch` in a later write. */
  readonly etag: string | null
  /** Query parameters for the next page of a list. */
  readonly next: NextPage | null
}

export interface NextPage {
  readonly paginationKey: string
  readonly paginationKeyVersion?: number
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** ETag of the expected state. The server rejects a different state with `version_conflict`. */
  readonly ifMatch?: string | null
  /** Whether to wait for the user to sign in again after the session expires (default), or to fail. */
  readonly onSignedOut?: 'wait' | 'fail'
  readonly accept?: string
  readonly timeoutMs?: number
  readonly headers?: Readonly<Record<string, string>>
}

const TIMEOUT_MS = 30_000

export interface AnyRequestParams {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Calls an operation. Throws a `Problem` on failure. */
export async function request<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  options: RequestOptions = {},
): Promise<ApiResponse<ValueOf<Name>>> {
  const response = await send(name, params as AnyRequestParams, options)
  const value = response.status === 204 ? undefined : await readJson(response)
  return { value: value as ValueOf<Name>, etag: response.headers.get('etag'), next: readNextPage(response) }
}

/** Calls an operation with a binary response. Throws a `Problem` on failure. */
export async function requestBytes<Name extends OperationName>(
  name: Name,
  params: RequestParams<Name>,
  options: RequestOptions = {},
): Promise<Blob> {
  const response = await send(name, params as AnyRequestParams, { ...options, accept: '*/*' })
  return await response.blob()
}

/** Sends a request and returns the response. Throws a `Problem` on failure. */
export async function send(
  name: OperationName,
  params: AnyRequestParams,
  options: RequestOptions = {},
): Promise<Response> {
  for (;;) {
    const response = await sendOnce(name, params, options)
    if (response.ok) return response
    const isSessionExpired =
      response.status === 401 && options.onSignedOut !== 'fail' && operationTable[name][2] !== 'public'
    if (!isSessionExpired) throw await readProblem(response)
    await waitForSignIn(options.signal)
  }
}

async function sendOnce(name: OperationName, params: AnyRequestParams, options: RequestOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const headers: Record<string, string> = { ...options.headers, accept: options.accept ?? 'application/json' }
  if (params.body !== undefined) headers['content-type'] = 'application/json'
  if (options.ifMatch) headers['if-match'] = options.ifMatch
  try {
    return await fetch(buildUrl(name, params), {
      method: operationTable[name][0],
      headers,
      ...(params.body !== undefined && { body: JSON.stringify(params.body) }),
      signal,
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    if (timeout.aborted) throw new Problem('The server did not respond in time.', { code: 'timeout' })
    throw new Problem('The server is unreachable.', { code: 'offline' })
  }
}

export function buildUrl(name: OperationName, { path = {}, query = {} }: AnyRequestParams): string {
  const pathname = operationTable[name][1].replace(/\{(\w+)\}/g, (_match, parameter: string) =>
    encodeURIComponent(String(path[parameter])),
  )
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value))
  }
  return search.size === 0 ? pathname : `${pathname}?${search}`
}

/** Reads a JSON body. Throws a `Problem` if the body is not JSON. */
export async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    throw new Problem('The server sent an unreadable response.', { code: 'unreadable', status: response.status })
  }
}

function readNextPage({ headers }: Response): NextPage | null {
  const paginationKey = headers.get('x-next-pagination-key')
  if (paginationKey === null) return null
  const version = headers.get('x-next-pagination-key-version')
  return { paginationKey, ...(version !== null && { paginationKeyVersion: Number(version) }) }
}
