import type { MemberRole } from '@parley/contract/access'
import { describe, expect, test } from 'vitest'
import { SEEDED_TENANT } from '../../../../../testing/seed-workspaces.ts'
import { openAccessRoutes } from '../access/access-routes-test-kit.ts'
import { createLinkTokens, createPasswordLinks } from '../access/password-links.ts'
import { createLoginThrottle } from '../sessions/login-throttle.ts'
import { createPasswordService } from '../sessions/password-service.ts'
import { registerSessionRoutes } from '../sessions/session-routes.ts'
import { createSessionService } from '../sessions/session-service.ts'
import { createAdministration } from '../tenants/administration.ts'
import { registerTenantRoutes } from '../tenants/tenant-routes.ts'
import { createTenantService } from '../tenants/tenant-service.ts'
import { registerTokenRoutes } from '../tokens/token-routes.ts'
import { createTokenService } from '../tokens/token-service.ts'
import { canManageUser } from '../tokens/token-store.ts'
import { registerWorkspaceRoutes } from '../workspaces/workspace-administration.ts'
import { createWorkspaceService } from '../workspaces/workspace-service.ts'
import { createAdministratorService } from './administrator-service.ts'
import { createInvitationService } from './invitation-service.ts'
import { createInvitations } from './invitations.ts'
import { registerInvitationRoutes, registerMemberRoutes } from './member-routes.ts'
import { createMemberService } from './member-service.ts'

const INVITED_EMAIL = 'victim@x.example'
const PASSWORD = 'attacker password'
const ORIGIN = { origin: 'https://parley.example' }
const DAY_MS = 24 * 60 * 60 * 1000

type Headers = Readonly<Record<string, string>>
interface Invited {
  readonly userId: string
  readonly inviteUrl: string
}

/** Opens workspaces 1 and 2 of one tenant and 4 of another, each with an admin `admin<id>`, and real sessions and tokens. */
async function openInvitations() {
  const server = await openAccessRoutes((api, parts) => {
    const { database, clock } = parts
    const linkTokens = createLinkTokens({ baseUrl: () => 'https://parley.example' })
    const invitations = createInvitations({ ...parts, linkTokens })
    const passwordLinks = createPasswordLinks({ ...parts, linkTokens })
    const passwords = {
      findProblem: async () => null,
      hash: async (password: string) => `hash of ${password}`,
      verify: async (password: string, stored: string | null) => stored === `hash of ${password}`,
    }
    const logins = { ...parts, passwords, throttle: createLoginThrottle(clock) }
    const invited = createInvitationService(logins)
    const administrators = createAdministratorService({ database, invitations })
    const administration = createAdministration()
    const brands = { delete: async () => undefined }
    const makeUuid = () => '00000000-0000-4000-9000-000000000001'
    registerInvitationRoutes(api, invited)
    registerMemberRoutes(api, createMemberService({ ...parts, invitations, passwordLinks, canManageUser }))
    registerSessionRoutes(
      api,
      createSessionService(logins),
      createPasswordService({ ...logins, invitedUsers: invited }),
    )
    registerTokenRoutes(api, createTokenService(parts))
    registerTenantRoutes(api, createTenantService({ ...parts, administration, administrators, brands, makeUuid }))
    const signingSecrets = { createInitial: async () => undefined }
    registerWorkspaceRoutes(api, createWorkspaceService({ ...parts, makeUuid, signingSecrets }))
  })
  const { send, time } = server
  for (const id of [1, 2, 4]) await server.addPerson(`admin${id}`, { members: { [id]: 'admin' } })
  await server.addPerson('boss', { role: 'tenant_admin', accountSid: SEEDED_TENANT })
  await time.advance(1_000)
  const members = (id: number) => `/api/workspaces/${id}/members`
  const tokenOf = (link: string) => link.split('#token=')[1] ?? ''
  const admins = new Map<string, Headers>()
  /** Returns the headers of a token of this person. */
  async function as(userId: string): Promise<Headers> {
    const known = admins.get(userId) ?? (await server.addToken(userId))
    admins.set(userId, known)
    return known
  }
  async function invite(id: number, email = INVITED_EMAIL, role: MemberRole = 'editor'): Promise<Invited> {
    const { status, body } = await send(`POST ${members(id)}`, await as(`admin${id}`), { email, role })
    expect(status).toBe(201)
    return body
  }
  const choose = async (link: string, newPassword: string) =>
    (await send('POST /api/auth/reset-password', {}, { token: tokenOf(link), newPassword })).status
  async function logIn(email: string, password: string): Promise<Headers | null> {
    const { status, headers } = await send('POST /api/auth/login', {}, { email, password })
    return status === 200 ? { cookie: String(headers['set-cookie']).split(';', 1)[0] ?? '', ...ORIGIN } : null
  }
  const accept = (link: string, login: Headers | null) =>
    send('POST /api/auth/accept-invitation', login ?? {}, { token: tokenOf(link) })
  async function reach(headers: Headers | null): Promise<readonly number[]> {
    const { body } = await send('GET /api/workspaces', headers ?? {})
    return body.workspaces?.map((one: { id: number }) => one.id) ?? []
  }
  /** Follows an invitation link as a new person until the acceptance. */
  async function join(link: string, email: string, password: string): Promise<Headers> {
    expect(await choose(link, password)).toBe(204)
    const login = await logIn(email, password)
    if (login === null) throw new Error('The chosen password does not work.')
    expect((await accept(link, login)).status).toBe(200)
    return login
  }
  return { ...server, members, as, invite, choose, logIn, accept, reach, join, tokenOf }
}

describe('an invitation', () => {
  test('looks the same whether or not the address has an account', async () => {
    await using server = await openInvitations()
    const { send, members, as } = server
    const answers = []
    for (const email of ['admin4@example.com', 'nobody@example.com']) {
      const { userId, inviteUrl, ...rest } = (
        await send(`POST ${members(1)}`, await as('admin1'), { email, name: 'Typed', role: 'viewer' })
      ).body
      answers.push({ ...rest, inviteUrl: inviteUrl.replace(/#.*/, ''), userId: userId.replace(/_.*/, '') })
    }
    const [known, unknown] = answers
    expect(known).toEqual({ ...unknown, email: 'admin4@example.com' })
    expect(known).toMatchObject({
      name: 'Typed',
      status: 'invited',
      inviteUrl: 'https://parley.example/accept-invitation',
    })
    const listed = (await send(`GET ${members(1)}`, await as('admin1'))).body
    const shown = listed.filter((one: { status: string }) => one.status === 'invited')
    expect(shown.map(({ userId: _, email: __, ...rest }: Invited & { email: string }) => rest)).toEqual([
      { name: 'Typed', status: 'invited', role: 'viewer', createdAt: known?.createdAt },
      { name: 'Typed', status: 'invited', role: 'viewer', createdAt: known?.createdAt },
    ])
    expect(JSON.stringify(listed)).not.toContain('ADMIN4')
  })

  test('grants access once, after the invited person accepts it', async () => {
    await using server = await openInvitations()
    const { invite, choose, logIn, accept, reach, send, members, as, tokenOf } = server
    const { inviteUrl, userId } = await invite(1)
    expect(await choose(inviteUrl, 'victim chose this')).toBe(204)
    expect(await choose(inviteUrl, 'somebody else did')).toBe(422)
    const login = await logIn(INVITED_EMAIL, 'victim chose this')
    expect(await reach(login)).toEqual([])
    expect((await send('GET /api/auth/session', login ?? {})).body.workspaces).toEqual([])
    expect((await send(`GET ${members(1)}`, login ?? {})).code).toBe('workspace_forbidden')

    expect((await accept(inviteUrl, null)).status).toBe(401)
    expect((await accept(inviteUrl, await as('admin1'))).status).toBe(401)
    const other = await invite(1, 'other@x.example')
    const outsider = await server.join(other.inviteUrl, 'other@x.example', 'other chose this')
    const refused = await accept(inviteUrl, outsider)
    expect(refused).toMatchObject({ status: 403, code: 'forbidden' })
    expect(refused.body.error).not.toContain(INVITED_EMAIL)

    const answers = await Promise.all([accept(inviteUrl, login), accept(inviteUrl, login)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({
      workspaceId: 1,
      tenantId: null,
      providerId: null,
    })
    expect(await accept(inviteUrl, login)).toMatchObject({ status: 422, code: 'link_invalid' })
    expect(await reach(login)).toEqual([1])
    const { body } = await send(`GET ${members(1)}`, await as('admin1'))
    expect(body.find((one: Invited) => one.userId === userId)).toMatchObject({ email: INVITED_EMAIL, status: 'active' })
    expect((await send(`POST ${members(1)}`, await as('admin1'), { email: INVITED_EMAIL, role: 'viewer' })).code).toBe(
      'id_taken',
    )
    const stored = await server.database.read.selectFrom('invitations').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain(tokenOf(inviteUrl))
  })

  test('expires after seven days, on revocation and when the link is renewed', async () => {
    await using server = await openInvitations()
    const { invite, choose, accept, send, members, as, time, logIn } = server
    const first = await invite(1)
    const second = await invite(1, INVITED_EMAIL, 'viewer')
    expect(second.userId).toBe(first.userId)
    expect(await choose(first.inviteUrl, 'too late for this')).toBe(422)
    const third = await send(`POST ${members(1)}/${first.userId}/password-link`, await as('admin1'))
    expect(third.status).toBe(201)
    expect(await choose(second.inviteUrl, 'too late for this')).toBe(422)
    await time.advance(7 * DAY_MS - 1)
    expect(await choose(third.body.url, 'just in time for it')).toBe(204)
    const login = await logIn(INVITED_EMAIL, 'just in time for it')
    await time.advance(1)
    expect((await accept(third.body.url, login)).code).toBe('link_invalid')

    const last = await invite(1)
    expect((await send(`DELETE ${members(1)}/${first.userId}`, await as('admin1'))).status).toBe(204)
    expect((await accept(last.inviteUrl, login)).status).toBe(401)
    expect(await logIn(INVITED_EMAIL, 'just in time for it')).toBeNull()
    expect((await send(`DELETE ${members(1)}/${first.userId}`, await as('admin1'))).status).toBe(404)
  })

  test('rate-limits guesses of tokens', async () => {
    await using server = await openInvitations()
    const login = await server.join((await server.invite(1)).inviteUrl, INVITED_EMAIL, 'victim chose this')
    const { inviteUrl } = await server.invite(4)
    for (let count = 0; count < 5; count += 1) {
      expect((await server.accept(`#token=guess${count}`, login)).code).toBe('link_invalid')
    }
    expect((await server.accept(inviteUrl, login)).code).toBe('rate_limited')
    await server.time.advance(1_000)
    expect((await server.accept(inviteUrl, login)).status).toBe(200)
  })

  test('to administer a tenant is accepted in the same way, and only by a person without such a role', async () => {
    await using server = await openInvitations()
    const { send, as, join, reach, tokenOf, accept, members } = server
    const path = `/api/tenants/${SEEDED_TENANT}/admins`
    const add = async (email: string) => (await send(`POST ${path}`, await as('boss'), { email })).body
    const invited = await add('Ann@x.example')
    expect(invited).toMatchObject({ status: 'invited', email: 'ann@x.example' })
    const login = await join((await server.invite(4, 'ann@x.example')).inviteUrl, 'ann@x.example', 'ann chose this')
    const old = (await send('POST /api/tokens', login, { name: 'old' })).body.token
    await server.time.advance(1)
    expect(await reach(login)).toEqual([4])
    expect((await accept(invited.inviteUrl, login)).body).toEqual({
      workspaceId: null,
      tenantId: SEEDED_TENANT,
      providerId: null,
    })
    expect(await reach(login)).toEqual([1, 2, 4])
    expect(await reach({ authorization: `Bearer ${old}` })).toEqual([4])
    expect((await send(`POST ${path}`, await as('boss'), { email: 'ann@x.example' })).code).toBe('id_taken')
    expect((await send(`GET ${path}`, await as('boss'))).body).toMatchObject([
      { email: 'ann@x.example', status: 'active' },
      { userId: 'boss' },
    ])

    await server.addPerson('rival', { role: 'platform_admin', password: PASSWORD })
    const taken = await add('rival@example.com')
    expect(tokenOf(taken.inviteUrl)).not.toBe('')
    const rival = await server.logIn('rival@example.com', PASSWORD)
    expect(await accept(taken.inviteUrl, rival)).toMatchObject({ status: 422, code: 'in_use' })
    const listed = (await send(`GET ${path}`, await as('boss'))).body
    expect(listed).toMatchObject([{ status: 'invited' }, { status: 'active' }, { status: 'active' }])
    expect((await send(`DELETE ${path}/${taken.userId}`, await as('boss'))).status).toBe(204)
    expect((await send(`DELETE ${path}/${invited.userId}`, await as('boss'))).status).toBe(404)
    expect((await send(`GET ${members(1)}`, login)).status).toBe(200)
  })
})

describe('a password set through one workspace gives no access to another', () => {
  test('when the member is removed, its account ends, and the real person joins by the next link', async () => {
    await using server = await openInvitations()
    const { invite, join, reach, send, logIn, choose, accept, members, as } = server
    const first = await invite(1)
    const attacker = await join(first.inviteUrl, INVITED_EMAIL, PASSWORD)
    const token = { authorization: `Bearer ${(await send('POST /api/tokens', attacker, { name: 'x' })).body.token}` }
    expect((await send(`DELETE ${members(1)}/${first.userId}`, await as('admin1'))).status).toBe(204)
    for (const headers of [attacker, token]) expect((await send('GET /api/workspaces', headers)).status).toBe(401)

    const second = await invite(4)
    expect(await logIn(INVITED_EMAIL, PASSWORD)).toBeNull()
    expect(await reach(attacker)).toEqual([])
    const victim = await join(second.inviteUrl, INVITED_EMAIL, 'victim chose this')
    expect(await reach(victim)).toEqual([4])
    for (const headers of [attacker, token]) expect((await send('GET /api/workspaces', headers)).status).toBe(401)
    expect(await choose(first.inviteUrl, PASSWORD)).toBe(422)
    expect((await accept(first.inviteUrl, victim)).code).toBe('link_invalid')
  })

  test('when nobody accepts, the link of another invitation starts over', async () => {
    await using server = await openInvitations()
    const { invite, choose, logIn, join, send, reach } = server
    const first = await invite(1)
    expect(await choose(first.inviteUrl, PASSWORD)).toBe(204)
    const attacker = await logIn(INVITED_EMAIL, PASSWORD)
    const victim = await join((await invite(4)).inviteUrl, INVITED_EMAIL, 'victim chose this')
    expect(await logIn(INVITED_EMAIL, PASSWORD)).toBeNull()
    expect((await send('GET /api/auth/session', attacker ?? {})).status).toBe(401)
    expect(await reach(victim)).toEqual([4])
  })

  test.each([2, 4])(
    'when the member is kept, nothing of workspace %i; an administrator of the tenant resolves it',
    async (id) => {
      await using server = await openInvitations()
      const { invite, join, reach, send, logIn, choose, accept, members, as } = server
      const first = await invite(1)
      const attacker = await join(first.inviteUrl, INVITED_EMAIL, PASSWORD)
      const made = await send('POST /api/tokens', attacker, { name: 'x' })
      const token = { authorization: `Bearer ${made.body.token}` }
      await server.time.advance(1)
      const second = await invite(id)
      expect(await reach(attacker)).toEqual([1])
      expect(await choose(second.inviteUrl, 'not by this link')).toBe(422)

      // The common administrator of both workspaces gives the real person a password.
      await server.addPerson('root', { role: 'platform_admin' })
      const link = await send(`POST ${members(1)}/${first.userId}/password-link`, await as('root'))
      expect(await choose(link.body.url, 'victim chose this')).toBe(204)
      expect((await send('GET /api/auth/session', attacker)).status).toBe(401)
      const victim = await logIn(INVITED_EMAIL, 'victim chose this')
      expect((await accept(second.inviteUrl, victim)).status).toBe(200)
      expect(await reach(victim)).toEqual([1, id])
      // Tokens from before the acceptance cannot access the workspace, nor create tokens that can.
      expect(await reach(token)).toEqual([1])
      const widenedToken = await send('POST /api/tokens', token, { name: 'y' })
      expect(widenedToken.body).toMatchObject({ workspaceIds: [1] })
    },
  )

  test("a password link of the home tenant suspends memberships outside of its creator's control", async () => {
    await using server = await openInvitations()
    const { invite, join, accept, reach, send, choose, logIn, members, as } = server
    const home = await invite(1, 'ann@x.example')
    const ann = await join(home.inviteUrl, 'ann@x.example', 'ann chose this')
    const early = await send(`POST ${members(1)}/${home.userId}/password-link`, await as('admin1'))
    await accept((await invite(4, 'ann@x.example', 'admin')).inviteUrl, ann)
    expect(await reach(ann)).toEqual([1, 4])

    // An administrator of another tenant has no power over the account and takes none from the home tenant.
    const mine = await send('POST /api/tokens', ann, { name: 'mine' })
    const link = (id: number, by: string) => async () =>
      await send(`POST ${members(id)}/${home.userId}/password-link`, await as(by))
    expect((await link(4, 'admin4')()).code).toBe('forbidden')
    expect((await send(`GET /api/tokens?userId=${home.userId}`, await as('admin4'))).status).toBe(404)
    expect((await send(`DELETE /api/tokens/${mine.body.tokenId}`, await as('admin4'))).status).toBe(404)
    expect((await send(`GET /api/tokens?userId=${home.userId}`, await as('admin1'))).status).toBe(200)
    expect((await send(`DELETE /api/tokens/${mine.body.tokenId}`, await as('boss'))).status).toBe(204)

    expect(early.status).toBe(201)
    expect(await choose(early.body.url, PASSWORD)).toBe(204)
    const accepter = await logIn('ann@x.example', PASSWORD)
    expect(await reach(accepter)).toEqual([1])
    const [suspended] = (await send(`GET ${members(4)}`, await as('admin4'))).body
    expect(suspended).toMatchObject({ userId: home.userId, status: 'invited', role: 'admin', name: '' })
    const again = await link(4, 'admin4')()
    expect((await accept(again.body.url, accepter)).status).toBe(200)
  })
})
