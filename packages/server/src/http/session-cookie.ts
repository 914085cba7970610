/** Name of the cookie that carries a dashboard login. */
const PLAIN_NAME = 'parley_session'
/** Browsers accept this prefix only in a `Secure` cookie of the host itself: no other host of its domain can set one. */
const SECURE_NAME = `__Host-${PLAIN_NAME}`

const [PLAIN_VALUE, SECURE_VALUE] = [PLAIN_NAME, SECURE_NAME].map(
  (name) => new RegExp(`(?:^|;\\s*)${name}=([\\w-]{20,200})(?:;|$)`),
)

/** The login that a `Cookie` header carries; null without one. Over HTTPS a cookie of plain HTTP does not count. */
export function readSessionCookie(header: string | undefined, isHttps: boolean): string | null {
  const value = isHttps ? SECURE_VALUE : PLAIN_VALUE
  return header === undefined ? null : (value?.exec(header)?.[1] ?? null)
}

/** Whether a browser sent this over HTTPS: `BASE_URL` says so for all requests, a trusted proxy for one. */
export function isSentOverHttps({ protocol }: { readonly protocol: string }, isPublicHttps: boolean): boolean {
  return isPublicHttps || protocol === 'https'
}

/** The `Set-Cookie` header of a login; with `null` one that ends it. */
export function printSessionCookie(session: { value: string; maxAgeSeconds: number } | null, isHttps: boolean): string {
  const name = isHttps ? SECURE_NAME : PLAIN_NAME
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`
  return `${name}=${session?.value ?? ''}; Max-Age=${session?.maxAgeSeconds ?? 0}; ${attributes}`
}

/**
 * Whether a browser sent this from a page of our own. Browsers send `Origin` with every request that is not a plain read;
 * one without it comes from somewhere that should use a token. Schemes are not compared: a proxy may have ended TLS.
 */
export function isOwnOrigin(origin: string | undefined, ownHosts: readonly string[]): boolean {
  if (origin === undefined || !URL.canParse(origin)) return false
  const { protocol, host } = new URL(origin)
  if (protocol !== 'http:' && protocol !== 'https:') return false
  return ownHosts.some((own) => normalizeHost(protocol, own) === host)
}

/** As browsers write it: in lower case, without the port that its scheme has anyway, which some proxies add. */
function normalizeHost(protocol: string, host: string): string | null {
  const url = `${protocol}//${host}`
  return host !== '' && URL.canParse(url) ? new URL(url).host : null
}
