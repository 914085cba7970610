import { SCOPES, type Scope } from '@parley/contract/access'
import type { CreateTokenBody } from '@parley/contract/token'
import type { Actor } from '../../kernel/access/actor.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'

/** What bounds a new token: whoever makes it. */
export interface TokenBounds {
  readonly scopes: ReadonlySet<Scope>
  readonly workspaces: Actor['workspaces']
  /** Whether its maker acts within less than all that its owner reaches, now and later. */
  readonly isLimited: boolean
  /** When the token that makes it ends; null when that never does, and for a login. */
  readonly endsAt: number | null
}

export interface TokenPlan {
  readonly scopes: readonly Scope[]
  /** Null: all that the owner reaches. */
  readonly workspaceIds: readonly number[] | null
  readonly expiresAt: number | null
}

type TokenRequest = Pick<CreateTokenBody, 'scopes' | 'workspaceIds' | 'expiresAt'>

/** What a new token may do: what was asked for, never more than its maker may. Throws for more than that. */
export function planToken(bounds: TokenBounds, request: TokenRequest, now: number): TokenPlan {
  const expiresAt = planEnd(bounds, request.expiresAt ?? null, now)
  return { scopes: planScopes(bounds, request), workspaceIds: planWorkspaces(bounds, request), expiresAt }
}

function planEnd({ endsAt }: TokenBounds, requested: number | null, now: number): number | null {
  if (requested !== null && requested <= now) throw invalidField('expiresAt', 'must be in the future')
  if (endsAt === null) return requested
  if (requested !== null && requested > endsAt) {
    const end = new Date(endsAt).toISOString()
    throw new AppError('forbidden', `This token ends at ${end} and makes none that lives longer.`)
  }
  return requested ?? endsAt
}

function planScopes({ scopes }: TokenBounds, request: TokenRequest): readonly Scope[] {
  const missing = request.scopes?.find((scope) => !scopes.has(scope))
  if (missing !== undefined) {
    throw new AppError('forbidden', `Whoever makes this token does not have the scope "${missing}" itself.`)
  }
  // In the order of the contract, whatever order was asked for.
  return SCOPES.filter((scope) => (request.scopes ?? scopes.values().toArray()).includes(scope))
}

function planWorkspaces({ workspaces, isLimited }: TokenBounds, request: TokenRequest): readonly number[] | null {
  const wanted = request.workspaceIds ?? null
  if (wanted === null) return isLimited ? planAllReached(workspaces) : null
  const foreign = wanted.find((id) => !workspaces.has(id))
  if (foreign !== undefined) {
    throw new AppError('workspace_forbidden', `This token does not reach workspace ${foreign}.`)
  }
  return wanted.toSorted((a, b) => a - b)
}

function planAllReached(workspaces: Actor['workspaces']): readonly number[] {
  if (workspaces.size > 0) return [...workspaces.keys()].toSorted((a, b) => a - b)
  throw new AppError(
    'forbidden',
    'Within the limits of this request no workspace is reached, so a token could do nothing.',
  )
}
