import type { Branding } from '@parley/contract/branding'
import { createLinkTokens, createPasswordLinks } from '../features/access/public.ts'
import { createAuditService, registerAuditRoutes } from '../features/audit/public.ts'
import { createBrandingService, createDomainService, registerBrandingRoutes } from '../features/branding/public.ts'
import { createConcurrencyService, registerConcurrencyRoutes } from '../features/concurrency/public.ts'
import {
  createAdministratorService,
  createInvitationService,
  createInvitations,
  createMemberService,
  type Invitations,
  registerInvitationRoutes,
  registerMemberRoutes,
} from '../features/members/public.ts'
import { createResellerService, registerResellerRoutes } from '../features/resellers/public.ts'
import {
  createLoginThrottle,
  createPasswordService,
  createSessionService,
  createSessionSweep,
  registerSessionRoutes,
} from '../features/sessions/public.ts'
import { createSigningSecretService, registerSigningSecretRoutes } from '../features/signing-secrets/public.ts'
import { createAdministration, createTenantService, registerTenantRoutes } from '../features/tenants/public.ts'
import { canManageUser, createTokenService, registerTokenRoutes } from '../features/tokens/public.ts'
import {
  createVendorKeyService,
  createVendorKeys,
  type OperatorKeys,
  registerVendorKeyRoutes,
  type VendorKeys,
} from '../features/vendor-keys/public.ts'
import {
  createWorkspaceSecretService,
  registerWorkspaceSecretRoutes,
  type WorkspaceSecretService,
} from '../features/workspace-secrets/public.ts'
import {
  createWorkspaceAdministration,
  createWorkspaceService,
  type RecordedCalls,
  registerWorkspaceAdministrationRoutes,
  registerWorkspaceRoutes,
  type WorkspaceService,
} from '../features/workspaces/public.ts'
import type { Api } from '../kernel/api/implement.ts'
import { createInstallationKey } from '../kernel/security/secrets.ts'
import type { Foundation } from './foundation.ts'

/** Administration services that other features use. */
export interface AdministrationFeatures {
  readonly createWorkspace: WorkspaceService['createWorkspace']
  readonly vendorKeys: VendorKeys
  /** Returns the signing secrets, newest first. */
  readonly readSigningSecrets: (workspaceId: number) => Promise<readonly string[]>
  /** Creates a reader of a workspace's named secrets, for its tools. */
  readonly createSecretReader: WorkspaceSecretService['createReader']
  /** Returns the brand of a host. */
  readonly readBrand: (host: string) => Promise<Branding>
  readonly sweepSessions: () => Promise<void>
  readonly sweepAuditLog: (signal: AbortSignal) => Promise<void>
  register(api: Api): void
}

export type AdministrationParts = Pick<
  Foundation,
  'runtime' | 'storage' | 'cluster' | 'access' | 'address' | 'outbound'
>

export interface AdministrationOptions {
  /** The operator's vendor keys, for workspaces without their own keys. */
  readonly operatorKeys: OperatorKeys
  readonly recordings: RecordedCalls
}

/** Connects the account services: workspaces, tenants, people, credentials, keys and the audit log. */
export function connectAdministration(
  parts: AdministrationParts,
  { operatorKeys, recordings }: AdministrationOptions,
): AdministrationFeatures {
  const { clock, makeId, makeUuid, randomBytes } = parts.runtime
  const { database, secrets } = parts.storage
  const { bus, sharedClock } = parts.cluster
  const { readTenantDirectory, sessionIdleMs } = parts.access
  const signingSecrets = createSigningSecretService({ database, clock, makeId, secrets, bus, randomBytes })
  const workspaceSecrets = createWorkspaceSecretService({ database, clock, secrets })
  const workspaces = createWorkspaceService({ database, clock, makeUuid, signingSecrets })
  const keys = createVendorKeys({ database, clock, secrets, bus, readTenantDirectory, operatorKeys })
  const auditLog = createAuditService(database, clock)
  const users = connectUsers(parts)
  const tenancy = connectTenancy(parts, { workspaces, recordings, invitations: users.invitations })

  return {
    createWorkspace: workspaces.createWorkspace,
    vendorKeys: keys,
    readSigningSecrets: signingSecrets.getActiveSecrets,
    createSecretReader: workspaceSecrets.createReader,
    readBrand: tenancy.readBrand,
    sweepSessions: createSessionSweep({ database, clock, sessionIdleMs }),
    sweepAuditLog: auditLog.sweep,
    register(api) {
      registerWorkspaceRoutes(api, workspaces)
      tenancy.register(api)
      users.register(api)
      registerConcurrencyRoutes(api, createConcurrencyService({ database, clock: sharedClock }))
      registerSigningSecretRoutes(api, signingSecrets)
      registerWorkspaceSecretRoutes(api, workspaceSecrets)
      registerVendorKeyRoutes(
        api,
        createVendorKeyService({
          ...{ database, clock, makeId, secrets, readTenantDirectory, keys },
          tester: parts.outbound.keyTester,
        }),
      )
      registerAuditRoutes(api, auditLog)
    },
  }
}

/** Sets up members, sessions, tokens and invitations. */
function connectUsers({ runtime, storage, cluster, access, address }: Omit<AdministrationParts, 'outbound'>) {
  const { clock, makeId, randomBytes } = runtime
  const { database } = storage
  const { service, passwords, audit, sessionIdleMs } = access
  const linkTokens = createLinkTokens({ baseUrl: address.getBaseUrl })
  const passwordLinks = createPasswordLinks({ clock, makeId, linkTokens })
  const invitations = createInvitations({ clock, makeId, linkTokens })
  // Shared, so that failed logins and failed password changes count toward the same limit.
  const throttle = createLoginThrottle(clock, { shared: cluster.failures })
  const invitationService = createInvitationService({ database, clock, makeId, access: service, throttle })
  const loginDependencies = { database, clock, access: service, passwords, throttle, audit }
  const memberDependencies = { database, invitations, passwordLinks, canManageUser, access: service }
  return {
    invitations,
    register(api: Api): void {
      registerMemberRoutes(api, createMemberService(memberDependencies))
      registerInvitationRoutes(api, invitationService)
      registerTokenRoutes(api, createTokenService({ database, clock, makeId, randomBytes, access: service }))
      const sessions = createSessionService({ ...loginDependencies, makeId, randomBytes, sessionIdleMs })
      registerSessionRoutes(
        api,
        sessions,
        createPasswordService({ ...loginDependencies, invitedUsers: invitationService }),
      )
    },
  }
}

interface TenancyOptions extends Pick<AdministrationOptions, 'recordings'> {
  readonly workspaces: WorkspaceService
  readonly invitations: Invitations
}

/** Connects tenants, providers, brands and their administrators. */
function connectTenancy(
  { runtime, storage, access, address, outbound }: Omit<AdministrationParts, 'cluster'>,
  { workspaces, recordings, invitations }: TenancyOptions,
) {
  const { clock, makeId, makeUuid, randomBytes } = runtime
  const { database, secrets } = storage
  const { publicHost } = address
  const administration = createAdministration()
  const administrators = createAdministratorService({ database, invitations })
  const brands = createBrandingService({ database, clock, administration, publicHost })
  const readKey = createInstallationKey({ database, secrets, randomBytes })
  const { readTxtRecords } = outbound
  const domains = createDomainService({ database, clock, administration, readTxtRecords, readKey, publicHost })
  const tenancyDependencies = { database, clock, administration, administrators, brands, access: access.service }
  const workspaceAdministration = createWorkspaceAdministration({
    database,
    clock,
    workspaces,
    tenants: administration,
    people: invitations,
    recordings,
    access: access.service,
  })
  return {
    readBrand: (host: string): Promise<Branding> => brands.get(null, host),
    register(api: Api): void {
      registerWorkspaceAdministrationRoutes(api, workspaceAdministration)
      registerTenantRoutes(api, createTenantService({ ...tenancyDependencies, makeUuid }))
      registerResellerRoutes(api, createResellerService({ ...tenancyDependencies, makeId }))
      registerBrandingRoutes(api, brands, domains)
    },
  }
}
