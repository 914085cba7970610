import type { ApiToken, CreateTokenBody, NewApiToken } from '@parley/contract/token'
import type { Clock, MakeId } from '@parley/engine/ports'
import { type Actor, coversRights, limitActor, toActorRights } from '../../kernel/access/actor.ts'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { planToken, type TokenBounds } from './plan-token.ts'
import {
  canManageUser,
  findConfirmedAt,
  findTokenLimit,
  findTokenRow,
  insertTokenRow,
  listTokenRows,
  revokeTokenRow,
  toApiToken,
} from './token-store.ts'

const TOKEN_BYTES = 32
/** Time after entering the password during which a session may create tokens. */
const CONFIRMATION_TTL_MS = 10 * 60_000

/** The parts of the access feature that tokens need. */
interface TokenAccess {
  /** Returns the rights of a person with an unrestricted credential, or null if the person does not exist. */
  findUserActor(userId: string): Promise<Actor | null>
  /** Hashes a token. Only the hash is stored. */
  hashToken(token: string): string
  /** Clears cached access rights. Call after tokens change. */
  invalidate(): void
}

interface TokenServiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  /** Returns bytes from a cryptographic generator. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly access: TokenAccess
}

export interface TokenService {
  /**
   * Lists the tokens of the actor or of a person that the actor administers. A token can list only tokens with at most its own
   * rights. Throws `not_found` for other people.
   */
  list(actor: Actor, userId: string, page: PageRequest): Promise<Page<ApiToken>>
  /**
   * Creates a token with at most the actor's rights. Throws `reauthentication_required` for a session without a recent password
   * check.
   */
  create(actor: Actor, body: CreateTokenBody): Promise<NewApiToken>
  /**
   * Revokes a token of the actor or of a person that the actor administers. Throws `not_found` for other tokens, and
   * `forbidden` if the actor uses a token with fewer rights.
   */
  revoke(actor: Actor, tokenId: string): Promise<void>
}

export function createTokenService(dependencies: TokenServiceDependencies): TokenService {
  const { database, clock, access } = dependencies

  return {
    async list(actor, userId, page) {
      if (!(await isSelfOrManages(dependencies, actor, userId)))
        throw new AppError('not_found', `No person "${userId}" exists.`)
      const [{ items, next }, isCovered] = await Promise.all([
        listTokenRows(database.read, userId, page),
        createCoverageCheck(dependencies, actor, userId),
      ])
      return { items: items.filter(isCovered), next }
    },

    create: (actor, body) => createToken(dependencies, actor, body),

    async revoke(actor, tokenId) {
      const row = await findTokenRow(database.read, tokenId)
      const isKnown = row !== null && (await isSelfOrManages(dependencies, actor, row.user_id))
      if (!isKnown) throw createTokenNotFoundError(tokenId)
      const isCovered = await createCoverageCheck(dependencies, actor, row.user_id)
      if (!isCovered(toApiToken(row))) {
        throw new AppError(
          'forbidden',
          'A token can revoke only tokens with at most its own rights. Use a token with more rights, or the dashboard.',
        )
      }
      const isRevoked = await database.transaction((transaction) => revokeTokenRow(transaction, tokenId, clock.now()))
      if (!isRevoked) throw createTokenNotFoundError(tokenId)
      access.invalidate()
    },
  }
}

async function isSelfOrManages(
  { database }: Pick<TokenServiceDependencies, 'database'>,
  actor: Actor,
  userId: string,
): Promise<boolean> {
  return userId === actor.userId || (await canManageUser(database.read, actor, userId))
}

/**
 * Creates a function that checks whether the actor's credential has all rights of a person's token. Returns true for every
 * token if the actor has a session.
 */
async function createCoverageCheck(
  { access }: Pick<TokenServiceDependencies, 'access'>,
  actor: Actor,
  userId: string,
): Promise<(token: ApiToken) => boolean> {
  if (actor.isSession) return () => true
  const [tokenOwner, unrestrictedActor] = await Promise.all([
    access.findUserActor(userId),
    access.findUserActor(actor.userId),
  ])
  if (tokenOwner === null || unrestrictedActor === null) return ({ tokenId }) => tokenId === actor.credentialId
  return (token) => {
    const rights = toActorRights(limitActor(tokenOwner, token))
    // Ignores workspaces that the actor cannot access with any credential.
    const workspaces = rights.workspaces.filter((workspace) =>
      coversRights(unrestrictedActor, { ...rights, workspaces: [workspace] }),
    )
    return token.tokenId === actor.credentialId || coversRights(actor, { ...rights, workspaces })
  }
}

/** Throws unless the password was entered recently, so that an unattended browser cannot be used to create a token. */
async function requireRecentPassword(
  { database, clock }: Pick<TokenServiceDependencies, 'database' | 'clock'>,
  { isSession, credentialId }: Actor,
): Promise<void> {
  if (!isSession || (await findConfirmedAt(database.read, credentialId)) > clock.now() - CONFIRMATION_TTL_MS) return
  throw new AppError(
    'reauthentication_required',
    'Confirm your password with POST /api/auth/confirm-password, then repeat this request.',
  )
}

async function findTokenBounds(
  { access, database }: Pick<TokenServiceDependencies, 'access' | 'database'>,
  actor: Actor,
): Promise<TokenBounds> {
  const owner = await access.findUserActor(actor.userId)
  const tokenLimit = actor.isSession ? { isLimited: false } : await findTokenLimit(database.read, actor.credentialId)
  if (owner === null || tokenLimit === null) throw new AppError('unauthorized', 'This token is no longer valid.')
  return {
    scopes: actor.scopes,
    workspaces: actor.workspaces,
    isLimited: tokenLimit.isLimited || hasFewerRights(actor, owner),
    maxExpiresAt: actor.isSession ? null : actor.expiresAt,
  }
}

async function createToken(
  dependencies: TokenServiceDependencies,
  actor: Actor,
  body: CreateTokenBody,
): Promise<NewApiToken> {
  const { clock, makeId, access, database } = dependencies
  await requireRecentPassword(dependencies, actor)
  const bounds = await findTokenBounds(dependencies, actor)
  const now = clock.now()
  const { scopes, workspaceIds, expiresAt } = planToken(bounds, body, now)
  const token = `sk_${Buffer.from(dependencies.randomBytes(TOKEN_BYTES)).toString('hex')}`
  const row = {
    token_id: makeId('token'),
    token_hash: access.hashToken(token),
    user_id: actor.userId,
    name: body.name,
    scopes: JSON.stringify(scopes),
    workspace_ids: workspaceIds === null ? null : JSON.stringify(workspaceIds),
    expires_at: expiresAt,
    last_used_at: null,
    revoked_at: null,
    created_at: now,
  }
  await database.transaction((transaction) => insertTokenRow(transaction, row))
  return { ...toApiToken(row), token }
}

function createTokenNotFoundError(tokenId: string): AppError {
  return new AppError('not_found', `No API token "${tokenId}" exists.`)
}

/** Whether context headers or limits give the actor fewer rights than its owner. */
function hasFewerRights(actor: Actor, owner: Actor): boolean {
  return (
    actor.role !== owner.role ||
    actor.providerId !== owner.providerId ||
    actor.accountSid !== owner.accountSid ||
    actor.workspaces.size !== owner.workspaces.size
  )
}
