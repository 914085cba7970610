import type { ErrorDetail } from '@parley/contract/errors'
import type { Operation } from '@parley/contract/operation'
import type { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import { collapse, joinPath, type NameReport, namePlan, normalizeNames, queryPlan } from './normalize-names.ts'
import { detailsOf, invalidRequest } from './problems.ts'

/** JSON nested deeper than this is refused: nothing the API takes needs it, and deep nesting overflows recursive code. */
const MAX_DEPTH = 64
const NUL_MESSAGE = 'must not contain NUL (U+0000)'

export interface RawRequest {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
  /** What was wrong with the body before it could be held against its schema: said beside all else that is wrong. */
  readonly problems?: readonly ErrorDetail[]
  /** The workspace that a context header names. */
  readonly workspaceHeader: number | null
}

export interface ReadInput {
  readonly input: { readonly path: unknown; readonly query: unknown; readonly body: unknown }
  /** `null`: the operation names no workspace. */
  readonly workspaceId: number | null
  readonly ignored: readonly string[]
}

/** Compiles an operation into a function from the raw request to its validated input. All problems are reported at once. */
export function createRequestReader(operation: Operation): (raw: RawRequest) => ReadInput {
  const pathSchema = operation.pathParameters
  const query = operation.query && { schema: operation.query, plan: queryPlan(operation.query) }
  const body = operation.body && { schema: operation.body, plan: namePlan(operation.body) }
  const source = operation.workspace
  const names = source === 'query' || source === 'body' || source === 'optional'

  return (raw) => {
    const details: ErrorDetail[] = [...(raw.problems ?? [])]
    const report: NameReport = { ignored: [], conflicts: details }
    const rawBody = raw.body ?? (body === undefined ? undefined : {})
    const problem = findUnstorable(rawBody, MAX_DEPTH) ?? findUnstorable(raw.query, 2)
    if (problem !== null) throw invalidRequest([problem])
    const path = pathSchema === undefined ? undefined : readPath(pathSchema, raw.path)
    const queryValue = query && normalizeNames(query.plan, raw.query, report)
    const bodyValue = body && normalizeNames(body.plan, rawBody, report)
    const candidates = workspaceCandidates(operation, raw, rawBody)
    const workspaceId = readWorkspace(candidates, source, details)
    const parsedQuery = query && check(query.schema, queryValue, details)
    const parsedBody = body && check(body.schema, bodyValue, details)
    if (details.length > 0) throw invalidRequest(dedupe(withoutRepeatedProblems(details, raw.problems)))
    // The workspace counts wherever it stands, also where the schema of that part does not name it.
    const ignored = names ? report.ignored.filter((name) => !isWorkspaceKey(name)) : report.ignored
    return { input: { path, query: parsedQuery, body: parsedBody }, workspaceId, ignored }
  }
}

/** The workspace as far as it is known before the body is read; `null` where only that may tell. */
export function workspaceOutsideBody(
  operation: Operation,
  raw: Pick<RawRequest, 'path' | 'query' | 'workspaceHeader'>,
): number | null {
  const [first] = workspaceCandidates(operation, { ...raw, body: undefined }, undefined)
  return first === undefined ? null : toWorkspaceId(first.value)
}

/** Asked of every key of every body: most are told apart by their length alone. */
function isWorkspaceKey(key: string): boolean {
  if (key === 'workspaceId') return true
  return key.length >= 'workspaceid'.length && key.length < 30 && collapse(key) === 'workspaceid'
}

/** A path that cannot name anything names nothing. */
function readPath(schema: z.ZodType, value: unknown): unknown {
  const parsed = findUnstorable(value, 1) === null ? schema.safeParse(value) : undefined
  if (parsed?.success !== true) throw new AppError('not_found', 'Nothing exists at this path.')
  return parsed.data
}

function check(schema: z.ZodType, value: unknown, details: ErrorDetail[]): unknown {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  details.push(...detailsOf(parsed.error.issues))
  return undefined
}

interface WorkspaceCandidate {
  readonly value: unknown
  readonly isHeader: boolean
}

/** Everything in a request that names the workspace, the header last. */
function workspaceCandidates(
  { workspace }: Pick<Operation, 'workspace'>,
  { path, query, workspaceHeader }: RawRequest,
  body: unknown,
): WorkspaceCandidate[] {
  if (workspace === 'none' || workspace === 'inferred') return []
  const values = workspace === 'path' ? workspaceValues(path) : [...workspaceValues(query), ...workspaceValues(body)]
  const given = values.map((value) => ({ value, isHeader: false }))
  return workspaceHeader === null ? given : [...given, { value: workspaceHeader, isHeader: true }]
}

function readWorkspace(
  candidates: readonly WorkspaceCandidate[],
  source: Operation['workspace'],
  details: ErrorDetail[],
): number | null {
  if (candidates.length === 0) {
    if (source === 'query' || source === 'body') {
      details.push({ path: 'workspaceId', message: 'is required: the id of a workspace from GET /api/workspaces' })
    }
    return null
  }
  const ids = candidates.map(({ value }) => toWorkspaceId(value))
  const [first] = ids
  if (first === undefined || ids.includes(null)) {
    if (source === 'path') throw new AppError('not_found', 'Nothing exists at this path.')
    details.push({ path: 'workspaceId', message: 'must be an integer >= 1' })
    return null
  }
  const other = candidates.find((_candidate, index) => ids[index] !== first)
  if (other !== undefined) {
    const message = other.isHeader
      ? { path: 'X-Workspace-Id', message: 'must equal workspaceId where both are given' }
      : { path: 'workspaceId', message: 'must be the same in query and body' }
    details.push(message)
    return null
  }
  return first
}

function workspaceValues(source: unknown): unknown[] {
  if (typeof source !== 'object' || source === null || Array.isArray(source)) return []
  const values = source as Record<string, unknown>
  return Object.keys(values)
    .filter(isWorkspaceKey)
    .map((key) => values[key])
}

function toWorkspaceId(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= 2_147_483_647
    ? number
    : null
}

/** The workspace may be found wrong by both the reader and the schema: one detail per path is enough. */
function dedupe(details: readonly ErrorDetail[]): ErrorDetail[] {
  const seen = new Set<string>()
  return details.filter(({ path, message }) => {
    const key = path === 'workspaceId' ? path : `${path} ${message}`
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

/** What the schema says of a field that could not be read is no news. */
function withoutRepeatedProblems(
  details: readonly ErrorDetail[],
  problems: readonly ErrorDetail[] = [],
): readonly ErrorDetail[] {
  return details.filter((detail) => problems.every((problem) => problem === detail || problem.path !== detail.path))
}

/** What no schema looks at in free-form parts: depth, and NUL, which PostgreSQL cannot store. The first problem, or null. */
function findUnstorable(value: unknown, levels: number): ErrorDetail | null {
  if (typeof value === 'string') return value.includes('\0') ? { path: '', message: NUL_MESSAGE } : null
  if (typeof value !== 'object' || value === null) return null
  if (levels === 0) return { path: '', message: `must not nest deeper than ${MAX_DEPTH} levels` }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findUnstorable(value[index], levels - 1)
      if (problem !== null) return within(index, problem)
    }
    return null
  }
  for (const key of Object.keys(value)) {
    if (key.includes('\0')) return { path: '', message: 'must not have a key that contains NUL (U+0000)' }
    const problem = findUnstorable((value as Record<string, unknown>)[key], levels - 1)
    if (problem !== null) return within(key, problem)
  }
  return null
}

/** The path is put together on the way out of the rare problem, never for all that is well. */
function within(key: string | number, { path, message }: ErrorDetail): ErrorDetail {
  const inner = path === '' || path.startsWith('[') ? path : `.${path}`
  return { path: `${joinPath('', key)}${inner}`, message }
}
