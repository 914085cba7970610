import { openAccessRoutes } from '../access/access-routes-test-kit.ts'
import { createPasswordProblemFinder } from '../access/passwords.ts'
import { createInvitationService } from '../members/invitation-service.ts'
import { registerTokenRoutes } from '../tokens/token-routes.ts'
import { createTokenService } from '../tokens/token-service.ts'
import { createLoginThrottle } from './login-throttle.ts'
import { createPasswordService } from './password-service.ts'
import { registerSessionRoutes } from './session-routes.ts'
import { createSessionService, createSessionSweep } from './session-service.ts'

export const OWN_ORIGIN = { origin: 'https://parley.example' }
export const CORRECT_PASSWORD = 'correct horse battery'

/**
 * Serves sessions and tokens over HTTP with cheap password hashes. `ann` has the password `CORRECT_PASSWORD`, and `bob` has
 * none yet.
 */
export async function openSessions() {
  const verified: (string | null)[] = []
  /** Work that runs once during a password check. */
  const during: { work: (() => Promise<unknown>) | null } = { work: null }
  const passwords = {
    findProblem: createPasswordProblemFinder(),
    hash: async (password: string) => `hash of ${password}`,
    verify: async (password: string, stored: string | null) => {
      verified.push(stored)
      const { work } = during
      during.work = null
      await work?.()
      return stored === `hash of ${password}`
    },
  }
  let sweep = async (): Promise<void> => {}
  const routes = await openAccessRoutes((api, parts) => {
    const logins = { ...parts, passwords, throttle: createLoginThrottle(parts.clock) }
    const dependencies = { ...logins, invitedUsers: createInvitationService(logins) }
    registerSessionRoutes(api, createSessionService(dependencies), createPasswordService(dependencies))
    registerTokenRoutes(api, createTokenService(parts))
    sweep = createSessionSweep(parts)
  })
  await routes.addPerson('ann', { password: CORRECT_PASSWORD, members: { 2: 'admin', 1: 'viewer' } })
  await routes.addPerson('bob', { members: { 1: 'viewer' } })

  const login = (email: string, password = CORRECT_PASSWORD, headers: Readonly<Record<string, string>> = {}) =>
    routes.send('POST /api/auth/login', { 'user-agent': 'Browser/1', ...headers }, { email, password })
  return {
    ...routes,
    verified,
    during,
    login,
    sweep: () => sweep(),
    /** Logs in and returns the headers that a browser then sends. */
    async enter(email = 'ann@example.com', password = CORRECT_PASSWORD) {
      const { headers, body } = await login(email, password)
      const [cookie = ''] = String(headers['set-cookie']).split(';', 1)
      return { headers: { cookie, ...OWN_ORIGIN }, sessionId: body.sessionId as string }
    },
    async addLink(userId: string, token: string, expiresAt: number): Promise<void> {
      const link = { link_id: `link_${token}`, user_id: userId, expires_at: expiresAt, created_at: 1 }
      const row = { ...link, token_hash: routes.access.hashToken(token) }
      await routes.database.transaction((unit) => unit.insertInto('password_links').values(row).execute())
    },
    entries: () =>
      routes.database.read
        .selectFrom('audit_entries')
        .select(['operation', 'user_id', 'credential_id', 'status'])
        .orderBy('audit_id')
        .execute(),
  }
}
