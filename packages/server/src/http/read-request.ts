import type { ErrorDetail } from '@parley/contract/errors'
import type { Operation } from '@parley/contract/operation'
import type { z } from 'zod'
import { AppError } from '../kernel/errors.ts'
import {
  collapseName,
  compileNamePlan,
  compileQueryPlan,
  joinPath,
  type NameReport,
  normalizeNames,
} from './normalize-names.ts'
import { createInvalidRequestError, toErrorDetails } from './problems.ts'

/** Maximum depth of JSON. Deeper nesting could overflow recursive code. */
const MAX_DEPTH = 64
const NUL_MESSAGE = 'must not contain NUL (U+0000)'

export interface RawRequest {
  readonly path: unknown
  readonly query: unknown
  readonly body: unknown
  /** Problems found before schema validation, reported together with all others. */
  readonly problems?: readonly ErrorDetail[]
  /** Workspace from the context header. */
  readonly workspaceHeader: number | null
}

export interface ParsedRequest {
  readonly input: { readonly path: unknown; readonly query: unknown; readonly body: unknown }
  /** Null if the operation has no workspace. */
  readonly workspaceId: number | null
  readonly ignored: readonly string[]
}

/** Compiles an operation into a request parser that reports all problems together. */
export function createRequestReader(operation: Operation): (raw: RawRequest) => ParsedRequest {
  const pathSchema = operation.pathParameters
  const query = operation.query && { schema: operation.query, plan: compileQueryPlan(operation.query) }
  const body = operation.body && { schema: operation.body, plan: compileNamePlan(operation.body) }
  const workspaceSource = operation.workspace
  const hasWorkspaceField = workspaceSource === 'query' || workspaceSource === 'body' || workspaceSource === 'optional'

  return (rawRequest) => {
    const details: ErrorDetail[] = [...(rawRequest.problems ?? [])]
    const report: NameReport = { ignored: [], conflicts: details }
    const rawBody = rawRequest.body ?? (body === undefined ? undefined : {})
    const problem = findStorageProblem(rawBody, MAX_DEPTH) ?? findStorageProblem(rawRequest.query, 2)
    if (problem !== null) throw createInvalidRequestError([problem])
    const path = pathSchema === undefined ? undefined : parsePath(pathSchema, rawRequest.path)
    const queryValue = query && normalizeNames(query.plan, rawRequest.query, report)
    const bodyValue = body && normalizeNames(body.plan, rawBody, report)
    const candidates = collectWorkspaceCandidates(operation, rawRequest, rawBody)
    const workspaceId = parseWorkspace(candidates, workspaceSource, details)
    const parsedQuery = query && validateWith(query.schema, queryValue, details)
    const parsedBody = body && validateWith(body.schema, bodyValue, details)
    if (details.length > 0)
      throw createInvalidRequestError(removeDuplicateDetails(dropSchemaDetails(details, rawRequest.problems)))
    // `workspaceId` is accepted in the query and body even if the schema does not declare it.
    const ignored = hasWorkspaceField ? report.ignored.filter((name) => !isWorkspaceKey(name)) : report.ignored
    return { input: { path, query: parsedQuery, body: parsedBody }, workspaceId, ignored }
  }
}

/** Returns the workspace that the path, query or header names. Returns null if only the body can name it. */
export function readWorkspaceOutsideBody(
  operation: Operation,
  rawRequest: Pick<RawRequest, 'path' | 'query' | 'workspaceHeader'>,
): number | null {
  const [firstCandidate] = collectWorkspaceCandidates(operation, { ...rawRequest, body: undefined }, undefined)
  return firstCandidate === undefined ? null : toWorkspaceId(firstCandidate.value)
}

/** Whether the key names a workspace. Runs for every key of every body, so lengths are compared first. */
function isWorkspaceKey(key: string): boolean {
  if (key === 'workspaceId') return true
  return key.length >= 'workspaceid'.length && key.length < 30 && collapseName(key) === 'workspaceid'
}

/** Parses the path parameters. Throws `not_found` if they are invalid. */
function parsePath(schema: z.ZodType, value: unknown): unknown {
  const result = findStorageProblem(value, 1) === null ? schema.safeParse(value) : undefined
  if (result?.success !== true) throw new AppError('not_found', 'Nothing exists at this path.')
  return result.data
}

function validateWith(schema: z.ZodType, value: unknown, details: ErrorDetail[]): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  details.push(...toErrorDetails(result.error.issues))
  return undefined
}

interface WorkspaceCandidate {
  readonly value: unknown
  readonly isHeader: boolean
}

/** Returns all workspace values of a request, with the header last. */
function collectWorkspaceCandidates(
  { workspace }: Pick<Operation, 'workspace'>,
  { path, query, workspaceHeader }: RawRequest,
  body: unknown,
): WorkspaceCandidate[] {
  if (workspace === 'none' || workspace === 'inferred') return []
  const values =
    workspace === 'path'
      ? collectWorkspaceValues(path)
      : [...collectWorkspaceValues(query), ...collectWorkspaceValues(body)]
  const fieldCandidates = values.map((value) => ({ value, isHeader: false }))
  return workspaceHeader === null ? fieldCandidates : [...fieldCandidates, { value: workspaceHeader, isHeader: true }]
}

function parseWorkspace(
  candidates: readonly WorkspaceCandidate[],
  workspaceSource: Operation['workspace'],
  details: ErrorDetail[],
): number | null {
  if (candidates.length === 0) {
    if (workspaceSource === 'query' || workspaceSource === 'body') {
      details.push({ path: 'workspaceId', message: 'is required: the id of a workspace from GET /api/workspaces' })
    }
    return null
  }
  const ids = candidates.map(({ value }) => toWorkspaceId(value))
  const [firstId] = ids
  if (firstId === undefined || ids.includes(null)) {
    if (workspaceSource === 'path') throw new AppError('not_found', 'Nothing exists at this path.')
    details.push({ path: 'workspaceId', message: 'must be an integer >= 1' })
    return null
  }
  const conflictingCandidate = candidates.find((_candidate, index) => ids[index] !== firstId)
  if (conflictingCandidate !== undefined) {
    const message = conflictingCandidate.isHeader
      ? { path: 'X-Workspace-Id', message: 'must equal workspaceId if both are sent' }
      : { path: 'workspaceId', message: 'must be the same in query and body' }
    details.push(message)
    return null
  }
  return firstId
}

function collectWorkspaceValues(source: unknown): unknown[] {
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

/** Removes repeated details, because the reader and the schema can report the same problem. */
function removeDuplicateDetails(details: readonly ErrorDetail[]): ErrorDetail[] {
  const seenKeys = new Set<string>()
  return details.filter(({ path, message }) => {
    const key = path === 'workspaceId' ? path : `${path} ${message}`
    if (seenKeys.has(key)) return false
    seenKeys.add(key)
    return true
  })
}

/** Drops the schema's details about fields that could not be parsed. */
function dropSchemaDetails(
  details: readonly ErrorDetail[],
  problems: readonly ErrorDetail[] = [],
): readonly ErrorDetail[] {
  return details.filter((detail) => problems.every((problem) => problem === detail || problem.path !== detail.path))
}

/**
 * Checks free-form values for depth and NUL, which PostgreSQL cannot store. Returns the first problem, or null if there
 * is none.
 */
function findStorageProblem(value: unknown, remainingLevels: number): ErrorDetail | null {
  if (typeof value === 'string') return value.includes('\0') ? { path: '', message: NUL_MESSAGE } : null
  if (typeof value !== 'object' || value === null) return null
  if (remainingLevels === 0) return { path: '', message: `must not be nested deeper than ${MAX_DEPTH} levels` }
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const problem = findStorageProblem(value[index], remainingLevels - 1)
      if (problem !== null) return prefixDetailPath(index, problem)
    }
    return null
  }
  for (const key of Object.keys(value)) {
    if (key.includes('\0')) return { path: '', message: 'must not have a key that contains NUL (U+0000)' }
    const problem = findStorageProblem((value as Record<string, unknown>)[key], remainingLevels - 1)
    if (problem !== null) return prefixDetailPath(key, problem)
  }
  return null
}

/** Prefixes the path of a problem while unwinding, so that valid values cost nothing. */
function prefixDetailPath(key: string | number, { path, message }: ErrorDetail): ErrorDetail {
  const suffix = path === '' || path.startsWith('[') ? path : `.${path}`
  return { path: `${joinPath('', key)}${suffix}`, message }
}
