/** What a page allows beyond what all of ours have; a directive of the base is replaced. */
export type Directives = Readonly<Record<string, string>>

/**
 * Everything comes from this host, unless a page says otherwise. `'self'` covers sockets as well, which older browsers want to
 * see named: the host is added for them.
 */
export function contentSecurityPolicy(host: string, directives: Directives): string {
  const sockets = /^[\w.:[\]-]+$/.test(host) ? ` ws://${host} wss://${host}` : ''
  const all: Directives = {
    'default-src': "'self'",
    'connect-src': `'self'${sockets}`,
    'base-uri': "'none'",
    'frame-ancestors': "'self'",
    'object-src': "'none'",
    ...directives,
  }
  return Object.entries(all)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ')
}
