/** Name of the cookie that carries a dashboard login. */
const SESSION_COOKIE = 'parley_session'

const VALUE = new RegExp(`(?:^|;\\s*)${SESSION_COOKIE}=([\\w-]{20,200})(?:;|$)`)

/** The login that a `Cookie` header carries; null without one. */
export function readSessionCookie(header: string | undefined): string | null {
  return header === undefined ? null : (VALUE.exec(header)?.[1] ?? null)
}

/** The `Set-Cookie` header of a login; with `null` one that ends it. */
export function printSessionCookie(session: { value: string; maxAgeSeconds: number } | null, isHttps: boolean): string {
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`
  return session === null
    ? `${SESSION_COOKIE}=; Max-Age=0; ${attributes}`
    : `${SESSION_COOKIE}=${session.value}; Max-Age=${session.maxAgeSeconds}; ${attributes}`
}

/**
 * Whether a browser sent this from a page of our own. Browsers send `Origin` with every request that is not a plain read;
 * one without it comes from somewhere that should use a token. Schemes are not compared: a proxy may have ended TLS.
 */
export function isOwnOrigin(origin: string | undefined, ownHosts: readonly string[]): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return ownHosts.some((own) => hostAt(protocol, own) === host)
}

/** As browsers write it: in lower case, without the port that its scheme has anyway, which some proxies add. */
function hostAt(protocol: string, host: string): string | null {
  const url = `${protocol}//${host}`
  return host !== '' && URL.canParse(url) ? new URL(url).host : null
}
