import { randomBytes } from 'node:crypto'
import { hashToken } from './access-service.ts'

const TOKEN_BYTES = 32

/** A page that takes the token of a link. */
export type LinkPage = 'reset-password' | 'accept-invitation'

/** Makes secrets for links to pages of the dashboard. `baseUrl` is without a slash at the end. */
export function createLinkTokens({ baseUrl }: { readonly baseUrl: () => string }) {
  return {
    /** Only the digest may be stored. */
    make(page: LinkPage): { readonly url: string; readonly tokenHash: string } {
      const token = randomBytes(TOKEN_BYTES).toString('base64url')
      // Behind the hash, so that it reaches neither servers on the way nor their logs.
      return { url: `${baseUrl()}/${page}#token=${token}`, tokenHash: hashToken(token) }
    },
  }
}
