import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type Actor, hasWorkspaceLevel } from '../../../kernel/access/actor.ts'
import type { SharedClock } from '../../../kernel/work/shared-clock.ts'
import type { CallLinks, JoinLink } from '../call-responses.ts'

/** Creates links for joining waiting calls and playing recordings. */
export interface CallJoinLinks {
  /** Returns the link builders for an actor. Calls that the actor cannot join have no join link. */
  createActorLinks(actor: Actor): Promise<CallLinks>
  /** Returns a function that builds recording URLs. Use it only for actors who can read the calls. */
  getRecordingUrlBuilder(): Promise<CallLinks['getRecordingUrl']>
}

/** Link fields of calls that the actor cannot join. */
export const NO_JOIN_LINK: JoinLink = { accessToken: null, webCallUrl: null }

export function createCallJoinLinks({
  loadTokens,
  clock,
  baseUrl,
  createRecordingLinkSigner,
}: {
  readonly loadTokens: () => Promise<CallTokens>
  readonly clock: Omit<SharedClock, 'after'>
  /** Public base URL of this server, without a trailing slash. */
  readonly baseUrl: () => string
  /** Returns a function that creates recording links. */
  readonly createRecordingLinkSigner: () => Promise<(callId: string) => string>
}): CallJoinLinks {
  async function getRecordingUrlBuilder(): Promise<CallLinks['getRecordingUrl']> {
    const buildLink = await createRecordingLinkSigner()
    return ({ call_id, recording, recording_url }) => (recording === null ? recording_url : buildLink(call_id))
  }

  return {
    getRecordingUrlBuilder,

    async createActorLinks(actor) {
      const [{ sign }, getRecordingUrl] = await Promise.all([loadTokens(), getRecordingUrlBuilder()])
      const now = clock.now()
      const getJoinLink: CallLinks['getJoinLink'] = (row) => {
        const { call_id: callId, workspace_id, status, expires_at, token_hash } = row
        if (status !== 'registered' || token_hash === null || expires_at === null || expires_at <= now)
          return NO_JOIN_LINK
        if (!hasWorkspaceLevel(actor, 'calls', workspace_id)) return NO_JOIN_LINK
        const accessToken = sign('join', { callId, expiresAtMs: expires_at, credentialId: null })
        return { accessToken, webCallUrl: `${baseUrl()}/call/${callId}#token=${accessToken}` }
      }
      return { getJoinLink, getRecordingUrl }
    },
  }
}

/** Purpose of a token: joining a call or listening to it. */
type TokenPurpose = 'join' | 'listen'

/** A token's content. The call's row decides whether the token is still valid. */
interface CallToken {
  readonly callId: string
  readonly expiresAtMs: number
  /** The API token or session that requested a listen token; null for join tokens. */
  readonly credentialId: string | null
}

/** Signs and verifies call tokens. Tokens are not stored because signing is deterministic. */
export interface CallTokens {
  sign(purpose: TokenPurpose, token: CallToken): string
  /** Returns the token's content, or null if the token is invalid or has another purpose. */
  verify(purpose: TokenPurpose, token: string): CallToken | null
}

const TOKEN_PATTERN = /^(join|listen)\.(call_[0-9a-z]{1,64})\.(\d{1,15})(?:\.(\w{1,100}))?\.([\w-]{43})$/

export function createCallTokens(key: Uint8Array): CallTokens {
  const computeSignature = (content: string): Buffer => createHmac('sha256', key).update(content).digest()

  return {
    sign(purpose, { callId, expiresAtMs, credentialId }) {
      const content = [purpose, callId, expiresAtMs, ...(credentialId === null ? [] : [credentialId])].join('.')
      return `${content}.${computeSignature(content).toString('base64url')}`
    },

    verify(purpose, token) {
      const match = TOKEN_PATTERN.exec(token)
      if (match === null || match[1] !== purpose) return null
      const [, , callId = '', expiresAt = '', credentialId = null, signature = ''] = match
      const actualSignature = Buffer.from(signature, 'base64url')
      const expectedSignature = computeSignature(token.slice(0, token.lastIndexOf('.')))
      if (actualSignature.length !== expectedSignature.length || !timingSafeEqual(actualSignature, expectedSignature))
        return null
      return { callId, expiresAtMs: Number(expiresAt), credentialId }
    },
  }
}

/** Returns the token's digest. Rows store only the digest, which cannot be used to join. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
