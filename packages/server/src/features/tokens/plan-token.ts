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

type Wishes = Pick<CreateTokenBody, 'scopes' | 'workspaceIds' | 'expiresAt'>

/** What a new token may do: what was asked for, never more than its maker may. Throws for more than that. */
export function planToken(bounds: TokenBounds, wishes: Wishes, now: number): TokenPlan {
  const expiresAt = planEnd(bounds, wishes.expiresAt ?? null, now)
  return { scopes: planScopes(bounds, wishes), workspaceIds: planWorkspaces(bounds, wishes), expiresAt }
}

function planEnd({ endsAt }: TokenBounds, wish: number | null, now: number): number | null {
  if (wish !== null && wish <= now) throw invalidField('expiresAt', 'must be in the future')
  if (endsAt === null) return wish
  if (wish !== null && wish > endsAt) {
    const end = new Date(endsAt).toISOString()
    throw new AppError('forbidden', `This token ends at ${end} and makes none that lives longer.`)
  }
  return wish ?? endsAt
}

function planScopes({ scopes }: TokenBounds, wishes: Wishes): readonly Scope[] {
  const missing = wishes.scopes?.find((scope) => !scopes.has(scope))
  if (missing !== undefined) {
    throw new AppError('forbidden', `Whoever makes this token does not have the scope "${missing}" itself.`)
  }
  // In the order of the contract, whatever order was asked for.
  return SCOPES.filter((scope) => (wishes.scopes ?? scopes.values().toArray()).includes(scope))
}

function planWorkspaces({ workspaces, isLimited }: TokenBounds, wishes: Wishes): readonly number[] | null {
  const wanted = wishes.workspaceIds ?? null
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
