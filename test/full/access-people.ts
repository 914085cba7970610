import type { ActorRole, MemberRole, Scope } from '@parley/contract/access'
import { expect } from 'vitest'
import { acceptInvitationAs } from '../../testing/accept-invitation.ts'
import { OWNER_TOKEN, type RunningServer } from '../../testing/running-server.ts'
import { newEmail, OWNER_LOGIN } from './valid-account-bodies.ts'

/** Provider p1 has t1 (w1, w2 and spare) and t2 (w3). Provider p2 has t3 (w4). */
export interface TenancyIds {
  readonly p1: string
  readonly p2: string
  readonly t1: string
  readonly t2: string
  readonly t3: string
  readonly w1: number
  readonly w2: number
  readonly w3: number
  readonly w4: number
  readonly spare: number
}

export type Level = MemberRole | 'account'

/** A person with a token, a dashboard login and a role in each workspace. */
export interface Person {
  readonly userId: string
  readonly login: { readonly email: string; readonly password: string }
  readonly token: string
  readonly cookie: string
  /** Value of the cookie. */
  readonly sessionId: string
  readonly role: ActorRole
  /** Tenants and providers that the person administers. */
  readonly administers: ReadonlySet<string>
  readonly levels: ReadonlyMap<number, Level>
}

export const NAMES = [
  'owner',
  'firstResellerAdmin',
  'secondResellerAdmin',
  'firstTenantAdmin',
  'secondTenantAdmin',
  'viewer',
  'editor',
  'admin',
  'otherAdmin',
  'nobody',
] as const
export type Name = (typeof NAMES)[number]
export type People = Readonly<Record<Name, Person>>

export const SCOPES: readonly Scope[] = ['read', 'write', 'calls', 'admin']

/** Pattern of the cookie in a login response. */
const COOKIE = /^(parley_session=[^;]+);/

type AccessProfile = Pick<Person, 'role' | 'administers' | 'levels'>

/** Invites everyone. Each person chooses a password, logs in, accepts and creates a token, as customers do. */
export async function makePeople(server: RunningServer, tenancy: TenancyIds): Promise<People> {
  const profiles = createProfiles(tenancy)
  const { p1, p2, t1, t2, w1, w2 } = tenancy
  const invite = async (name: Name, path: string, role?: MemberRole): Promise<Person> => {
    const login = { email: newEmail(name), password: `password of ${name}` }
    const body = { email: login.email, ...(role !== undefined && { role }) }
    const invited = await server.call<{ userId: string; inviteUrl: string }>('POST', path, { body })
    expect(invited.status, JSON.stringify(invited.body)).toBe(201)
    // An invitation grants no rights until it is accepted.
    if (name === 'nobody') await choosePassword(server, invited.body.inviteUrl, login.password)
    else await acceptInvitationAs(server, invited.body, login)
    return { ...(await signInAndCreateToken(server, login)), ...profiles[name] }
  }
  const members = (id: number) => `/api/workspaces/${id}/members`
  return {
    owner: { ...(await signInAndCreateToken(server, OWNER_LOGIN)), ...profiles.owner, token: OWNER_TOKEN },
    firstResellerAdmin: await invite('firstResellerAdmin', `/api/providers/${p1}/admins`),
    secondResellerAdmin: await invite('secondResellerAdmin', `/api/providers/${p2}/admins`),
    firstTenantAdmin: await invite('firstTenantAdmin', `/api/tenants/${t1}/admins`),
    secondTenantAdmin: await invite('secondTenantAdmin', `/api/tenants/${t2}/admins`),
    viewer: await invite('viewer', members(w1), 'viewer'),
    editor: await invite('editor', members(w1), 'editor'),
    admin: await invite('admin', members(w1), 'admin'),
    otherAdmin: await invite('otherAdmin', members(w2), 'admin'),
    nobody: await invite('nobody', members(w2), 'viewer'),
  }
}

function createProfiles({
  p1,
  p2,
  t1,
  t2,
  t3,
  w1,
  w2,
  w3,
  w4,
  spare,
}: TenancyIds): Readonly<Record<Name, AccessProfile>> {
  const in1: [number, Level][] = [w1, w2, spare].map((id) => [id, 'account'])
  const in2: [number, Level][] = [[w3, 'account']]
  const in3: [number, Level][] = [[w4, 'account']]
  const as = (role: ActorRole, ids: readonly string[], levels: readonly [number, Level][]): AccessProfile => {
    return { role, administers: new Set(ids), levels: new Map(levels) }
  }
  return {
    owner: as('platform_admin', [p1, p2, t1, t2, t3], [...in1, ...in2, ...in3]),
    firstResellerAdmin: as('provider_admin', [p1, t1, t2], [...in1, ...in2]),
    secondResellerAdmin: as('provider_admin', [p2, t3], in3),
    firstTenantAdmin: as('tenant_admin', [t1], in1),
    secondTenantAdmin: as('tenant_admin', [t2], in2),
    viewer: as('end_user', [], [[w1, 'viewer']]),
    editor: as('end_user', [], [[w1, 'editor']]),
    admin: as('end_user', [], [[w1, 'admin']]),
    otherAdmin: as('end_user', [], [[w2, 'admin']]),
    nobody: as('end_user', [], []),
  }
}

async function choosePassword(server: RunningServer, inviteUrl: string, newPassword: string): Promise<void> {
  const [, token = ''] = /#token=(.+)$/.exec(inviteUrl) ?? []
  const body = { token, newPassword }
  const { status } = await server.call('POST', '/api/auth/reset-password', { body, headers: { authorization: '' } })
  expect(status).toBe(204)
}

export async function logIn(
  server: RunningServer,
  login: Person['login'],
): Promise<Pick<Person, 'userId' | 'cookie' | 'sessionId'>> {
  const { status, headers, body } = await server.call<{ user: { userId: string }; sessionId: string }>(
    'POST',
    '/api/auth/login',
    { body: login, headers: { authorization: '' } },
  )
  expect(status, JSON.stringify(body)).toBe(200)
  const [, cookie = ''] = COOKIE.exec(headers.get('set-cookie') ?? '') ?? []
  return { userId: body.user.userId, cookie, sessionId: body.sessionId }
}

async function signInAndCreateToken(
  server: RunningServer,
  login: Person['login'],
): Promise<Omit<Person, keyof AccessProfile>> {
  const session = await logIn(server, login)
  const { status, body } = await server.call<{ token: string }>('POST', '/api/tokens', {
    headers: { authorization: '', cookie: session.cookie, origin: server.url },
    body: { name: 'Own' },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return { ...session, login, token: body.token }
}

/** Creates a token of the owner with limits. */
export async function makeToken(server: RunningServer, limits: object): Promise<{ token: string; tokenId: string }> {
  const { status, body } = await server.call<{ token: string; tokenId: string }>('POST', '/api/tokens', {
    body: { name: 'Narrow', ...limits },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
