import type { ApiToken, CreateTokenBody, NewApiToken } from '@parley/contract/token'
import type { Clock, MakeId } from '@parley/engine/ports'
import type { Actor } from '../../kernel/actor.ts'
import type { Database } from '../../kernel/database.ts'
import { AppError } from '../../kernel/errors.ts'
import type { Page, PageRequest } from '../../kernel/paging.ts'
import { governs } from './governs.ts'
import { planToken, type TokenBounds } from './plan-token.ts'
import {
  findPerson,
  findTokenLimit,
  findTokenOwner,
  insertTokenRow,
  listTokenRows,
  revokeTokenRow,
  toApiToken,
} from './token-store.ts'

const TOKEN_BYTES = 32

/** What tokens need of whoever decides about access. */
export interface TokenAccess {
  /** What a person may do with a credential that has no limits; null when there is no such person. */
  actorOf(userId: string): Promise<Actor | null>
  /** Of a token, the only form in which it is stored. */
  hashToken(token: string): string
  /** After tokens have changed. */
  forget(): void
}

export interface TokenServiceDependencies {
  readonly database: Database
  readonly clock: Pick<Clock, 'now'>
  readonly makeId: MakeId
  /** Bytes from a cryptographic generator. */
  readonly randomBytes: (size: number) => Uint8Array
  readonly access: TokenAccess
}

export interface TokenService {
  /** Tokens of a person whom the actor is or administers. Throws `not_found` for others. */
  list(actor: Actor, userId: string, page: PageRequest): Promise<Page<ApiToken>>
  /** Makes a token of the actor's own that may do at most what the actor may. */
  create(actor: Actor, body: CreateTokenBody): Promise<NewApiToken>
  /** Ends a token of a person whom the actor is or administers. Throws `not_found` for others. */
  revoke(actor: Actor, tokenId: string): Promise<void>
}

export function createTokenService(dependencies: TokenServiceDependencies): TokenService {
  const { database, clock, makeId, access } = dependencies

  async function isOrGoverns(actor: Actor, userId: string): Promise<boolean> {
    if (userId === actor.userId) return true
    const person = await findPerson(database.read, userId)
    return person !== null && governs(actor, person)
  }

  async function boundsOf(actor: Actor): Promise<TokenBounds> {
    const owner = await access.actorOf(actor.userId)
    const limit = actor.isSession ? { isLimited: false } : await findTokenLimit(database.read, actor.credentialId)
    if (owner === null || limit === null) throw new AppError('unauthorized', 'This token does not work any longer.')
    return {
      scopes: actor.scopes,
      workspaces: actor.workspaces,
      isLimited: limit.isLimited || isNarrower(actor, owner),
      endsAt: actor.isSession ? null : actor.expiresAt,
    }
  }

  return {
    async list(actor, userId, page) {
      if (!(await isOrGoverns(actor, userId))) throw new AppError('not_found', `No person "${userId}" exists.`)
      return await listTokenRows(database.read, userId, page)
    },

    async create(actor, body) {
      const bounds = await boundsOf(actor)
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
    },

    async revoke(actor, tokenId) {
      const owner = await findTokenOwner(database.read, tokenId)
      const isAllowed = owner !== null && (await isOrGoverns(actor, owner))
      const isRevoked = isAllowed && (await database.transaction((unit) => revokeTokenRow(unit, tokenId, clock.now())))
      if (!isRevoked) throw new AppError('not_found', `No API token "${tokenId}" exists.`)
      access.forget()
    },
  }
}

/** Whether context headers or limits leave the actor less than all that its owner has. */
function isNarrower(actor: Actor, owner: Actor): boolean {
  return (
    actor.role !== owner.role ||
    actor.providerId !== owner.providerId ||
    actor.accountSid !== owner.accountSid ||
    actor.workspaces.size !== owner.workspaces.size
  )
}
