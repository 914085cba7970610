import { createHash, createHmac, timingSafeEqual } from 'node:crypto'

/** What a token is for: to speak in a call, or to hear it. */
export type TokenUse = 'join' | 'listen'

/** What a token says. Whether that still holds is for the call's row to say. */
export interface CallToken {
  readonly callId: string
  readonly expiresAtMs: number
  /** The API token or session that asked for a token to listen with; null where the use is to join. */
  readonly credentialId: string | null
}

/** Signs and checks the tokens of calls. The same call and time make the same token, so that it need not be stored. */
export interface CallTokens {
  sign(use: TokenUse, token: CallToken): string
  /** What the token says; null for one that is not ours or for another use. */
  read(use: TokenUse, token: string): CallToken | null
}

const TOKEN = /^(join|listen)\.(call_[0-9a-z]{1,64})\.(\d{1,15})(?:\.(\w{1,100}))?\.([\w-]{43})$/

export function createCallTokens(key: Uint8Array): CallTokens {
  const signatureOf = (signed: string): Buffer => createHmac('sha256', key).update(signed).digest()

  return {
    sign(use, { callId, expiresAtMs, credentialId }) {
      const signed = [use, callId, expiresAtMs, ...(credentialId === null ? [] : [credentialId])].join('.')
      return `${signed}.${signatureOf(signed).toString('base64url')}`
    },

    read(use, token) {
      const match = TOKEN.exec(token)
      if (match === null || match[1] !== use) return null
      const [, , callId = '', expires = '', credentialId = null, signature = ''] = match
      const given = Buffer.from(signature, 'base64url')
      const expected = signatureOf(token.slice(0, token.lastIndexOf('.')))
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null
      return { callId, expiresAtMs: Number(expires), credentialId }
    },
  }
}

/** As rows keep a token: whoever reads them cannot join with it. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
