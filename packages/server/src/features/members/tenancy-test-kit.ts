import type { MakeId } from '@parley/engine/ports'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { SEEDED_TENANT, seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/storage/database.ts'
import { createSharedClock } from '../../kernel/work/shared-clock.ts'
import { createJobQueue } from '../../platform/queue/job-queue.ts'
import { hashToken } from '../access/access-service.ts'
import { createLinkTokens, createPasswordLinks } from '../access/password-links.ts'
import { resolveActor } from '../access/resolve-actor.ts'
import { createTenantDirectoryReader, type TenantDirectoryReader } from '../access/tenant-directory-reader.ts'
import { createBrandingService, registerBrandingRoutes } from '../branding/branding-service.ts'
import { createDomainService } from '../branding/domain-service.ts'
import { createConcurrencyService, registerConcurrencyRoutes } from '../concurrency/concurrency-service.ts'
import { createSequentialIds } from '../features-test-kit.ts'
import { createRecordingRemoval } from '../recordings/recording-removal.ts'
import { registerResellerRoutes } from '../resellers/reseller-routes.ts'
import { createResellerService } from '../resellers/reseller-service.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { createAdministration } from '../tenants/administration.ts'
import { registerTenantRoutes } from '../tenants/tenant-routes.ts'
import { createTenantService } from '../tenants/tenant-service.ts'
import { canManageUser } from '../tokens/token-store.ts'
import {
  createWorkspaceAdministration,
  registerWorkspaceAdministrationRoutes,
  registerWorkspaceRoutes,
} from '../workspaces/workspace-administration.ts'
import { createWorkspaceService } from '../workspaces/workspace-service.ts'
import { createAdministratorService } from './administrator-service.ts'
import { createInvitationService, type InvitationService } from './invitation-service.ts'
import { createInvitations } from './invitations.ts'
import { registerMemberRoutes } from './member-routes.ts'
import { createMemberService } from './member-service.ts'

/** The tenant of workspaces 1 and 2, under the default reseller. */
export const MAIN_TENANT_SID = SEEDED_TENANT
export const DEFAULT_RESELLER = `provider_${'0'.repeat(26)}`
export const ACME = 'provider_acme'
/** Tenant of ACME with workspace 3. */
export const OTHER_TENANT_SID = '00000000-0000-4000-8000-00000000000b'

/** Everyone has a password. The user id is `user_<name>`. */
const PEOPLE = {
  owner: { role: 'platform_admin', provider_id: null, account_sid: null },
  house: { role: 'provider_admin', provider_id: DEFAULT_RESELLER, account_sid: null },
  reseller: { role: 'provider_admin', provider_id: ACME, account_sid: null },
  boss: { role: 'tenant_admin', provider_id: null, account_sid: MAIN_TENANT_SID },
  rival: { role: 'tenant_admin', provider_id: null, account_sid: OTHER_TENANT_SID },
  admin: { role: 'end_user', provider_id: null, account_sid: null },
  editor: { role: 'end_user', provider_id: null, account_sid: null },
  viewer: { role: 'end_user', provider_id: null, account_sid: null },
  outsider: { role: 'end_user', provider_id: null, account_sid: null },
} as const
type PersonName = keyof typeof PEOPLE

const MEMBERS = [
  [1, 'admin', 'admin'],
  [1, 'editor', 'editor'],
  [1, 'viewer', 'viewer'],
  [3, 'outsider', 'viewer'],
] as const

/** Opens a server with two resellers, one tenant each, and a person of every role. Starts as `owner`. */
export async function openTenancy() {
  const time = createManualClock()
  const { clock } = time
  const database = await temporaryDatabase({ clock })
  await time.advance(1000)
  await seedHierarchy(database, clock.now())
  let invalidationCount = 0
  const access = {
    invalidate() {
      invalidationCount += 1
    },
  }
  const makeId = createSequentialIds()
  const txtRecords = new Map<string, readonly string[] | null>()
  const services = wireFeature(database, clock, { makeId, access, txtRecords })
  const routes = openRoutes({ database, clock, makeId }, (api) => {
    registerWorkspaceRoutes(api, services.workspaces)
    registerWorkspaceAdministrationRoutes(api, services.workspaceAdministration)
    registerMemberRoutes(api, services.members)
    registerTenantRoutes(api, services.tenants)
    registerResellerRoutes(api, services.providers)
    registerBrandingRoutes(api, services.branding, services.domains)
    registerConcurrencyRoutes(api, createConcurrencyService({ database, clock: createSharedClock(clock) }))
  })
  const readTenantDirectory = createTenantDirectoryReader(database, clock)
  const sender = createSender(routes, (userId) => findActor({ database, readTenantDirectory }, userId))

  /** Accepts an invitation as the owner of the address, or as a new person with a password. */
  const acceptInvite = ({ inviteUrl, email }: { readonly inviteUrl: string; readonly email: string }) => {
    const [, token = ''] = inviteUrl.split('#token=')
    return acceptInvitation({ database, readTenantDirectory, invited: services.invited }, { token, email })
  }
  return {
    database,
    time,
    ...sender,
    accept: acceptInvite,
    /** Invites a person and accepts the invitation. */
    async add(requestLine: string, body: object) {
      const added = await sender.send(`POST ${requestLine}`, body)
      await acceptInvite(added.body)
      return added.body
    },
    /** DNS responses by name. Null simulates a timeout. */
    txtRecords,
    /** Number of times the access cache was cleared. */
    forgotten: () => invalidationCount,
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

/** Creates a function that sends requests as one of the people, with their current rights. */
function createSender(
  routes: Pick<ReturnType<typeof openRoutes>, 'send' | 'actAs'>,
  findSender: (userId: string) => Promise<Actor>,
) {
  let userId = 'user_owner'
  const send: typeof routes.send = async (...request) => {
    routes.actAs(await findSender(userId))
    return await routes.send(...request)
  }
  /** Switches the sender of later requests. */
  const actAs = (name: PersonName | { readonly userId: string }): void => {
    userId = typeof name === 'string' ? `user_${name}` : name.userId
  }
  return {
    send,
    actAs,
    /** Verifies a domain as the operator, without switching the sender. */
    async vouch(owner: { readonly tenantId: string } | { readonly providerId: string }) {
      const sender = userId
      actAs('owner')
      const { body } = await send('POST /api/branding/domain/verify', { ...owner, vouch: true })
      actAs({ userId: sender })
      return body
    },
    /** Returns the status that each person gets, with an error code if any. */
    async collectStatuses(names: readonly PersonName[], requestLine: string, body?: object) {
      const statuses: Partial<Record<PersonName, string>> = {}
      for (const name of names) {
        actAs(name)
        const { status, body: responseBody } = await send(requestLine, body)
        statuses[name] = status < 400 ? String(status) : `${status} ${responseBody.code}`
      }
      return statuses
    },
  }
}

interface ActorSources {
  readonly database: Database
  readonly readTenantDirectory: TenantDirectoryReader
}

async function findActor({ database, readTenantDirectory }: ActorSources, userId: string): Promise<Actor> {
  const user = await database.read
    .selectFrom('users')
    .selectAll()
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  const members = await database.read.selectFrom('members').selectAll().where('user_id', '=', userId).execute()
  const credential = {
    credentialId: 'token_1',
    isSession: false,
    userId,
    role: user.role as (typeof PEOPLE)[PersonName]['role'],
    providerId: user.provider_id,
    accountSid: user.account_sid,
    scopes: null,
    workspaceIds: null,
    expiresAt: null,
    memberships: members.map((row) => ({ workspaceId: row.workspace_id, role: row.role as 'viewer' })),
  }
  return resolveActor(credential, await readTenantDirectory())
}

async function acceptInvitation(
  { database, readTenantDirectory, invited }: ActorSources & { readonly invited: InvitationService },
  { token, email }: { readonly token: string; readonly email: string },
) {
  await database.transaction((unit) => invited.createUser(unit, hashToken(token), 'x'))
  const person = await database.read
    .selectFrom('users')
    .select('user_id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const noLimits = { scopes: null, workspaceIds: null, expiresAt: null, memberships: [], accountSid: null }
  const credential = { credentialId: 'session_1', isSession: true, providerId: null, role: 'end_user' as const }
  const actor = resolveActor({ ...credential, ...noLimits, userId: person.user_id }, await readTenantDirectory())
  return await invited.accept(actor, token)
}

type Clock = ReturnType<typeof createManualClock>['clock']
interface FeatureDependencies {
  readonly makeId: MakeId
  readonly access: { invalidate(): void }
  readonly txtRecords: ReadonlyMap<string, readonly string[] | null>
}

/** Connects the feature as the application does. */
function wireFeature(database: Database, clock: Clock, { makeId, access, txtRecords }: FeatureDependencies) {
  const administration = createAdministration()
  const linkTokens = createLinkTokens({ baseUrl: () => 'https://voice.example.com' })
  const passwordLinks = createPasswordLinks({ clock, makeId, linkTokens })
  const invitations = createInvitations({ clock, makeId, linkTokens })
  const administrators = createAdministratorService({ database, invitations })
  const brands = { database, clock, administration, publicHost: 'voice.example.com:8443' }
  const branding = createBrandingService(brands)
  const domains = createDomainService({
    ...brands,
    readKey: async () => new Uint8Array(32).fill(3),
    async readTxtRecords(name) {
      const records = txtRecords.get(name)
      return records === undefined ? [] : records
    },
  })
  const makeUuid = () => `00000000-0000-4000-9000-${makeId('token').slice(-12)}`
  const signingSecrets = { createInitial: async () => undefined }
  const workspaces = createWorkspaceService({ database, clock, makeUuid, signingSecrets })
  const jobs = createJobQueue({ database, clock: createSharedClock(clock), makeId })
  const recordings = { removeAll: () => Promise.reject(new Error('no job runs here')) }
  const removal = createRecordingRemoval({ database, clock: createSharedClock(clock), jobs, recordings })
  const shared = { database, clock, administration, administrators, brands: branding, access }
  return {
    workspaces,
    workspaceAdministration: createWorkspaceAdministration({
      database,
      clock,
      workspaces,
      tenants: administration,
      people: invitations,
      recordings: removal,
      access,
    }),
    invited: createInvitationService({
      database,
      clock,
      makeId,
      access: { ...access, hashToken },
      throttle: { startSessionAttempt: async () => ({ withdraw() {} }) },
    }),
    members: createMemberService({ database, invitations, passwordLinks, canManageUser, access }),
    tenants: createTenantService({ ...shared, makeUuid }),
    providers: createResellerService({ ...shared, makeId }),
    branding,
    domains,
  }
}

async function seedHierarchy(database: Database, now: number): Promise<void> {
  await seedWorkspaces(database)
  await database.transaction(async (transaction) => {
    const times = { edit_count: 1, created_at: now, updated_at: now }
    await transaction
      .insertInto('providers')
      .values({ provider_id: ACME, slug: 'acme', name: 'Acme', markup_percent: 20, ...times })
      .execute()
    await transaction
      .insertInto('tenants')
      .values({
        account_sid: OTHER_TENANT_SID,
        provider_id: ACME,
        account_path: '/acme/other',
        name: 'Other',
        created_at: now,
      })
      .execute()
    const limits = { concurrency_base: 20, concurrency_purchased: 0, concurrency_purchase_limit: 100 }
    await transaction
      .insertInto('workspaces')
      .values({
        workspace_id: 3,
        account_sid: OTHER_TENANT_SID,
        name: 'Third',
        native_transfer_enabled: 0,
        created_at: now,
        ...limits,
      })
      .execute()
    for (const [name, role] of Object.entries(PEOPLE)) {
      const row = { user_id: `user_${name}`, email: `${name}@example.com`, name: `The ${name}`, password_hash: 'x' }
      await transaction
        .insertInto('users')
        .values({
          ...row,
          ...role,
          home_account_sid: name === 'outsider' ? OTHER_TENANT_SID : MAIN_TENANT_SID,
          created_at: now,
        })
        .execute()
    }
    for (const [workspace_id, name, role] of MEMBERS) {
      await transaction
        .insertInto('members')
        .values({ workspace_id, user_id: `user_${name}`, role, created_at: now })
        .execute()
    }
  })
}
