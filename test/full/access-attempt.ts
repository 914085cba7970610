import { ErrorBody } from '@parley/contract/errors'
import { operations } from '@parley/contract/index'
import type { Operation } from '@parley/contract/operation'
import { expect } from 'vitest'
import type { ApiResponse } from '../../testing/api-client.ts'
import type { RunningServer } from '../../testing/running-server.ts'
import { readAllTables } from '../../testing/server-database.ts'
import { entryOf, type Refusal } from './access-outcome.ts'
import type { Person } from './access-people.ts'
import { MARKER } from './access-scene.ts'
import type { KnownIds } from './known-ids.ts'
import { requiredQuery, validBodyFor, validPath } from './valid-request-parts.ts'

export const ALL: readonly Operation[] = Object.values(operations)
/** Operations that accept a token. */
export const GUARDED = ALL.filter((operation) => !['public', 'session'].includes(entryOf(operation).row))
export const SESSION_ONLY = ALL.filter((operation) => entryOf(operation).row === 'session')

export type Headers = Readonly<Record<string, string>>

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** Returns the headers of a dashboard request with the person's session. */
export const cookieOf = (server: RunningServer, { cookie }: Pick<Person, 'cookie'>): Headers => {
  return { authorization: '', cookie, origin: server.url }
}

export interface Attempt {
  readonly headers: Headers
  readonly ids: KnownIds
  /** Workspace to use instead of the one in `ids`. */
  readonly workspaceId?: number
  /** Whether to use the other path prefix. */
  readonly alias?: boolean
  /** Another path to the same resources. */
  readonly path?: string
  /** Body to send instead of the valid one. */
  readonly body?: object
}

/** Sends a request that is valid except for the attempt's changes. */
export async function attempt(
  server: RunningServer,
  operation: Operation,
  { headers, ids, workspaceId = ids.workspaceId, alias = false, path, body }: Attempt,
): Promise<ApiResponse> {
  const { workspace } = entryOf(operation)
  const values = { ...ids.values, workspaceId: String(workspaceId) }
  const there = { workspaceId, values }
  const sent = body ?? validBodyFor(operation, there)
  return await server.call(operation.method, path ?? validPath(operation, there, { alias }), {
    headers,
    query: {
      ...((workspace === 'query' || workspace === 'optional') && { workspaceId }),
      ...requiredQuery(operation, there),
    },
    ...(sent !== undefined && { body: sent }),
  })
}

/** Checks that the response is one of the refusals and reveals nothing. */
export function expectRefusal(answer: ApiResponse, refusals: readonly Refusal[], about = ''): void {
  const { status, headers, body } = answer
  expect(refusals, `${about} ${status} ${JSON.stringify(body)}`).toContainEqual([status, body.code])
  expect(ErrorBody.strict().safeParse(body).error).toBeUndefined()
  expectNoMarker({ body, headers }, about)
  if (status === 401) expect(headers.get('www-authenticate')).toBe('Bearer')
}

export function expectNoMarker({ body, headers }: Pick<ApiResponse, 'body' | 'headers'>, about = ''): void {
  expect(JSON.stringify([body, [...headers]]).toLowerCase(), about).not.toContain(MARKER)
}

/** Checks that a request passes authorization. */
export function expectAllowed({ status, body }: ApiResponse, about = ''): void {
  expect([401, 403], `${about} ${status} ${JSON.stringify(body)}`).not.toContain(status)
}

/** Returns the owner's responses from all GET operations on these resources. */
export async function readAll(server: RunningServer, owner: Person, ids: KnownIds): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {}
  // The local voice server cannot speak a preview.
  for (const operation of ALL.filter(({ method, name }) => method === 'GET' && name !== 'getVoicePreview')) {
    const isSession = entryOf(operation).row === 'session'
    const headers = isSession ? cookieOf(server, owner) : bearer(owner.token)
    const { status, body } = await attempt(server, operation, { headers, ids })
    expect(status, `${operation.name} ${JSON.stringify(body)}`).toBe(200)
    answers[operation.name] = withoutLastUsed(body)
  }
  return answers
}

/** Tables that only the server itself writes. */
const SERVER_TABLES: ReadonlySet<string> = new Set(['audit_entries', 'jobs', 'leases', 'nodes'])

/** Reads all stored rows by table, except for usage times of credentials and the audit log. */
export async function readTables(server: RunningServer): Promise<Record<string, readonly string[]>> {
  const tables = Object.entries(await readAllTables(server)).filter(([name]) => !SERVER_TABLES.has(name))
  const withoutLastUsedAt = (row: string): string => JSON.stringify({ ...JSON.parse(row), last_used_at: null })
  return Object.fromEntries(tables.map(([name, rows]) => [name, rows.map(withoutLastUsedAt).sort()]))
}

/** Returns the names of changed values with the position of the first difference. */
export function differences(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const [beforeText = '', afterText = ''] = [before[name], after[name]].map((value) => JSON.stringify(value) ?? '')
    if (beforeText === afterText) return []
    const from = Math.max(0, [...beforeText].findIndex((letter, at) => letter !== afterText[at]) - 40)
    return [`${name}: ${beforeText.slice(from, from + 200)} became ${afterText.slice(from, from + 200)}`]
  })
}

function withoutLastUsed(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === 'lastUsedAt' ? null : item)))
}
