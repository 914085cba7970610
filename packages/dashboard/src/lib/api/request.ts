import type { Operations } from '@parley/contract/index'
import type { RequestOf, ResponseOf } from '@parley/contract/operation'
import { operationTable } from '@parley/contract/operation-table'
import { Problem, problemOf } from './problem.ts'
import { waitForSignIn } from './sign-in-gate.ts'

export type OperationName = keyof Operations

type Part<Name extends string, Fields, Needed extends boolean> = Fields extends undefined
  ? unknown
  : Needed extends true
    ? { readonly [Key in Name]: Fields }
    : { readonly [Key in Name]?: Fields }

/** What a caller of an operation gives. The workspace is filled in by the hooks. */
export type Parts<Name extends OperationName> = Part<'path', RequestOf<Operations[Name]>['path'], true> &
  Part<'query', RequestOf<Operations[Name]>['query'], false> &
  Part<'body', RequestOf<Operations[Name]>['body'], true>

export type ValueOf<Name extends OperationName> = ResponseOf<Operations[Name]>

/** An answer with what its headers say. */
export interface Answer<Value> {
  readonly value: Value
  /** Stands for the state that was read or written; for `ifMatch`. */
  readonly etag: string | null
  /** Where the list goes on. */
  readonly next: NextPage | null
}

export interface NextPage {
  readonly paginationKey: string
  readonly paginationKeyVersion?: number
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Refused with `version_conflict` when this is not the newest state. */
  readonly ifMatch?: string | null
  /** What to do when the login has ended: ask for a new one and go on (default), or fail. */
  readonly onSignedOut?: 'wait' | 'fail'
  readonly accept?: string
  readonly timeoutMs?: number
  /** Sent beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Longer than any operation may take that answers at once. */
const TIMEOUT_MS = 30_000

/** The parts as they are sent, whatever the operation. */
export interface SentParts {
  readonly path?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** Calls an operation. Throws a `Problem`. */
export async function request<Name extends OperationName>(
  name: Name,
  parts: Parts<Name>,
  options: RequestOptions = {},
): Promise<Answer<ValueOf<Name>>> {
  const response = await send(name, parts as SentParts, options)
  const value = response.status === 204 ? undefined : await readJson(response)
  return { value: value as ValueOf<Name>, etag: response.headers.get('etag'), next: nextPageOf(response) }
}

/** Calls an operation that answers bytes. Throws a `Problem`. */
export async function requestBytes<Name extends OperationName>(
  name: Name,
  parts: Parts<Name>,
  options: RequestOptions = {},
): Promise<Blob> {
  const response = await send(name, parts as SentParts, { ...options, accept: '*/*' })
  return await response.blob()
}

/** Sends a request and answers what came, if it is no error. */
export async function send(name: OperationName, parts: SentParts, options: RequestOptions = {}): Promise<Response> {
  for (;;) {
    const response = await attempt(name, parts, options)
    if (response.ok) return response
    const isOver = response.status === 401 && options.onSignedOut !== 'fail' && operationTable[name][2] !== 'public'
    if (!isOver) throw await problemOf(response)
    await waitForSignIn(options.signal)
  }
}

async function attempt(name: OperationName, parts: SentParts, options: RequestOptions): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS)
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout
  const headers: Record<string, string> = { ...options.headers, accept: options.accept ?? 'application/json' }
  if (parts.body !== undefined) headers['content-type'] = 'application/json'
  if (options.ifMatch) headers['if-match'] = options.ifMatch
  try {
    return await fetch(addressOf(name, parts), {
      method: operationTable[name][0],
      headers,
      ...(parts.body !== undefined && { body: JSON.stringify(parts.body) }),
      signal,
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    if (timeout.aborted) throw new Problem('The server did not answer in time.', { code: 'timeout' })
    throw new Problem('The server cannot be reached.', { code: 'offline' })
  }
}

/** Path and query of a request. */
export function addressOf(name: OperationName, { path = {}, query = {} }: SentParts): string {
  const filled = operationTable[name][1].replace(/\{(\w+)\}/g, (_all, parameter: string) =>
    encodeURIComponent(String(path[parameter])),
  )
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value))
  }
  return search.size === 0 ? filled : `${filled}?${search}`
}

async function readJson(response: Response): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    throw new Problem('The answer of the server cannot be read.', { code: 'unreadable', status: response.status })
  }
}

function nextPageOf({ headers }: Response): NextPage | null {
  const paginationKey = headers.get('x-next-pagination-key')
  if (paginationKey === null) return null
  const version = headers.get('x-next-pagination-key-version')
  return { paginationKey, ...(version !== null && { paginationKeyVersion: Number(version) }) }
}
