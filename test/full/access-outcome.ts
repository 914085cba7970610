import type { ErrorCode } from '@parley/contract/errors'
import type { Operation } from '@parley/contract/operation'
import type { Level, Person } from './access-people.ts'
import type { KnownIds } from './known-ids.ts'
import { RIGHTS_TABLE, ROWS, type TableEntry } from './rights-table.ts'

/** Status and error code of a refused request. */
export type Refusal = readonly [status: number, code: ErrorCode]

export const UNAUTHORIZED: Refusal = [401, 'unauthorized']
export const FORBIDDEN: Refusal = [403, 'forbidden']
export const WORKSPACE_FORBIDDEN: Refusal = [403, 'workspace_forbidden']
export const NOT_FOUND: Refusal = [404, 'not_found']
export const INVALID: Refusal = [400, 'invalid_request']
export const TENANT_NEEDED: Refusal = [400, 'tenant_context_required']

const LEVELS: readonly Level[] = ['viewer', 'editor', 'admin', 'account']
const ACTORS: readonly Person['role'][] = ['end_user', 'tenant_admin', 'provider_admin', 'platform_admin']

/** Returns the table entry of an operation. Throws if there is none. */
export function entryOf({ name }: Pick<Operation, 'name'>): TableEntry {
  const entry = RIGHTS_TABLE[name]
  if (entry === undefined) throw new Error(`The table of rights lacks ${name}.`)
  return entry
}

type Right = keyof typeof ROWS
export const isRight = (row: TableEntry['row']): row is Right => row !== 'public' && row !== 'session'

/**
 * Returns the refusals that the table permits for a person's valid request on these resources. Empty if the request is
 * allowed. The response may give any of them.
 */
export function refusalsOf(operation: Operation, person: Person, ids: KnownIds): readonly Refusal[] {
  const { row, workspace } = entryOf(operation)
  if (!isRight(row)) return operation.name === 'deleteSession' ? refuseUnlessOwner(ids, person) : []
  const refusals: Refusal[] = []
  if (isBelow(ACTORS, person.role, ROWS[row].actor)) refusals.push(FORBIDDEN)
  const isDeniedEverywhere = !person.levels.values().some((level) => reaches(level, row))
  const dependsOnLevel = ROWS[row].member !== 'viewer'
  switch (workspace) {
    case 'query':
    case 'body':
    case 'path':
      refusals.push(...workspaceRefusals(person, row, ids.workspaceId, WORKSPACE_FORBIDDEN))
      break
    case 'optional':
    case 'inferred': {
      refusals.push(...workspaceRefusals(person, row, ids.workspaceId, outOfReach(operation)))
      if (dependsOnLevel && isDeniedEverywhere) refusals.push(FORBIDDEN)
      break
    }
    case 'none':
      refusals.push(...refusalsByOperation(operation, person, ids))
      if (dependsOnLevel && isDeniedEverywhere && ROWS[row].actor === 'end_user') refusals.push(FORBIDDEN)
  }
  return refusals
}

/** Returns the refusal of an operation on an inaccessible workspace. */
export function outOfReach(operation: Pick<Operation, 'name'>): Refusal {
  // The valid body of `createWebCall` names the workspace.
  const isInferred = entryOf(operation).workspace === 'inferred' && operation.name !== 'createWebCall'
  return isInferred ? NOT_FOUND : WORKSPACE_FORBIDDEN
}

function isBelow<Word>(words: readonly Word[], given: Word, needed: Word): boolean {
  return words.indexOf(given) < words.indexOf(needed)
}

function reaches(level: Level, row: Right): boolean {
  return !isBelow(LEVELS, level, ROWS[row].member ?? 'account')
}

function workspaceRefusals(person: Person, row: Right, workspaceId: number, notMember: Refusal): Refusal[] {
  const level = person.levels.get(workspaceId)
  if (level === undefined) return [notMember]
  return reaches(level, row) ? [] : [FORBIDDEN]
}

/** Returns the refusals of an operation without a workspace parameter. */
function refusalsByOperation({ name, path }: Operation, person: Person, ids: KnownIds): readonly Refusal[] {
  const { tenantId, providerId } = ids.values
  const refuseIfNot = (isAllowed: boolean, ...refusals: readonly Refusal[]): readonly Refusal[] =>
    isAllowed ? [] : refusals
  if (path.includes('{tenantId}')) return refuseIfNot(person.administers.has(tenantId), NOT_FOUND)
  if (path.includes('{providerId}')) return refuseIfNot(person.administers.has(providerId), NOT_FOUND)
  switch (name) {
    case 'createWorkspace':
      return refuseIfNot(person.administers.has(tenantId), FORBIDDEN)
    case 'createTenant':
      return refuseIfNot(person.administers.has(providerId), FORBIDDEN)
    case 'updateBranding':
    case 'getBrandDomain':
    case 'verifyBrandDomain':
      return refuseIfNot(person.administers.has(tenantId), NOT_FOUND)
    case 'createToken':
      return refuseIfNot(person.levels.has(ids.workspaceId), WORKSPACE_FORBIDDEN)
    case 'deleteToken':
      return refuseUnlessOwner(ids, person)
    case 'createProviderKey':
      return workspaceRefusals(person, 'admin', ids.workspaceId, WORKSPACE_FORBIDDEN)
    case 'updateProviderKey':
    case 'testProviderKey':
    case 'deleteProviderKey':
      return refuseIfNot(workspaceRefusals(person, 'admin', ids.workspaceId, NOT_FOUND).length === 0, NOT_FOUND)
    default:
      return []
  }
}

/** Returns a refusal for everyone but the owner, who has the tokens and sessions of the scene. */
function refuseUnlessOwner({ values }: KnownIds, person: Person): readonly Refusal[] {
  return person.role === 'platform_admin' && values.sessionId === person.sessionId ? [] : [NOT_FOUND]
}
