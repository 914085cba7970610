import type { Branding } from '@parley/contract/branding'
import { createLinkTokens } from './features/access/link-tokens.ts'
import { createPasswordLinks } from './features/access/password-links.ts'
import { registerAuditRoutes } from './features/audit/audit-routes.ts'
import { createAuditService } from './features/audit/audit-service.ts'
import { registerBrandingRoutes } from './features/branding/branding-routes.ts'
import { createBrandingService } from './features/branding/branding-service.ts'
import { createDomainService } from './features/branding/domain-service.ts'
import { registerConcurrencyRoutes } from './features/concurrency/concurrency-routes.ts'
import { createConcurrencyService } from './features/concurrency/concurrency-service.ts'
import { createAdministratorService } from './features/members/administrator-service.ts'
import { createInvitationService } from './features/members/invitation-service.ts'
import { createInvitations } from './features/members/invitations.ts'
import { registerInvitationRoutes, registerMemberRoutes } from './features/members/member-routes.ts'
import { createMemberService } from './features/members/member-service.ts'
import { registerProviderKeyRoutes } from './features/provider-keys/provider-key-routes.ts'
import { createProviderKeyService } from './features/provider-keys/provider-key-service.ts'
import { createProviderKeys } from './features/provider-keys/provider-keys.ts'
import { registerProviderRoutes } from './features/providers/provider-routes.ts'
import { createProviderService } from './features/providers/provider-service.ts'
import { createLoginThrottle } from './features/sessions/login-throttle.ts'
import { createPasswordService } from './features/sessions/password-service.ts'
import { registerSessionRoutes } from './features/sessions/session-routes.ts'
import { createSessionService } from './features/sessions/session-service.ts'
import { createSessionSweep } from './features/sessions/sweep-sessions.ts'
import { registerSigningSecretRoutes } from './features/signing-secrets/signing-secret-routes.ts'
import { createSigningSecretService } from './features/signing-secrets/signing-secret-service.ts'
import { createAdministration } from './features/tenants/administration.ts'
import { registerTenantRoutes } from './features/tenants/tenant-routes.ts'
import { createTenantService } from './features/tenants/tenant-service.ts'
import { registerTokenRoutes } from './features/tokens/token-routes.ts'
import { createTokenService } from './features/tokens/token-service.ts'
import { governsPerson } from './features/tokens/token-store.ts'
import { registerWorkspaceSecretRoutes } from './features/workspace-secrets/workspace-secret-routes.ts'
import {
  createWorkspaceSecretService,
  type WorkspaceSecretService,
} from './features/workspace-secrets/workspace-secret-service.ts'
import { createWorkspaceAdministration } from './features/workspaces/workspace-administration.ts'
import type { RecordedCalls } from './features/workspaces/workspace-ports.ts'
import {
  registerWorkspaceAdministrationRoutes,
  registerWorkspaceRoutes,
} from './features/workspaces/workspace-routes.ts'
import { createWorkspaceService, type WorkspaceService } from './features/workspaces/workspace-service.ts'
import type { Foundation } from './foundation.ts'
import type { Api } from './kernel/implement.ts'
import { createInstallationKey } from './kernel/installation-key.ts'
import type { ProviderKeys } from './kernel/provider-keys.ts'

/** Who there is and what belongs to them, as the rest of the house needs it. */
export interface Accounts {
  readonly createWorkspace: WorkspaceService['createWorkspace']
  readonly providerKeys: ProviderKeys
  /** The values to sign with, newest first. */
  readonly signingSecrets: (workspaceId: number) => Promise<readonly string[]>
  /** Named secrets for the tools of a workspace. */
  readonly namedSecrets: WorkspaceSecretService['readerFor']
  /** What is shown at a host. */
  readonly readBrand: (host: string) => Promise<Branding>
  readonly sweepSessions: () => Promise<void>
  readonly sweepAuditLog: (signal: AbortSignal) => Promise<void>
  register(api: Api): void
}

/** Creates the services of accounts: workspaces and what stands above them, people, credentials, keys and the audit log. */
export function connectAccounts(foundation: Foundation, recordings: RecordedCalls): Accounts {
  const { database, clock, makeId } = foundation
  const signingSecrets = createSigningSecretService(foundation)
  const workspaceSecrets = createWorkspaceSecretService(foundation)
  const workspaces = createWorkspaceService({ ...foundation, signingSecrets })
  const linkTokens = createLinkTokens(foundation)
  const passwordLinks = createPasswordLinks({ clock, makeId, linkTokens })
  const invitations = createInvitations({ clock, makeId, linkTokens })
  const administration = createAdministration()
  const administrators = createAdministratorService({ database, invitations })
  const brands = createBrandingService({ ...foundation, administration })
  const domains = createDomainService({ ...foundation, administration, key: createInstallationKey(foundation) })
  const above = { ...foundation, administration, administrators, brands }
  const keys = createProviderKeys(foundation)
  const auditLog = createAuditService(database, clock)
  // One throttle: a password that is guessed while changing it counts like one that is guessed at the door.
  const logins = { ...foundation, throttle: createLoginThrottle(clock, { shared: foundation.sharedFailures }) }
  const invited = createInvitationService(logins)

  return {
    createWorkspace: workspaces.createWorkspace,
    providerKeys: keys,
    signingSecrets: signingSecrets.activeSecrets,
    namedSecrets: workspaceSecrets.readerFor,
    readBrand: (host) => brands.get(null, host),
    sweepSessions: createSessionSweep(foundation),
    sweepAuditLog: auditLog.sweep,
    register(api) {
      registerWorkspaceRoutes(api, workspaces)
      registerWorkspaceAdministrationRoutes(
        api,
        createWorkspaceAdministration({
          ...foundation,
          workspaces,
          tenants: administration,
          people: invitations,
          recordings,
        }),
      )
      registerMemberRoutes(
        api,
        createMemberService({ ...foundation, invitations, passwordLinks, governs: governsPerson }),
      )
      registerInvitationRoutes(api, invited)
      registerTenantRoutes(api, createTenantService(above))
      registerProviderRoutes(api, createProviderService(above))
      registerBrandingRoutes(api, brands, domains)
      registerConcurrencyRoutes(api, createConcurrencyService({ database, clock: foundation.sharedClock }))
      registerSigningSecretRoutes(api, signingSecrets)
      registerWorkspaceSecretRoutes(api, workspaceSecrets)
      registerProviderKeyRoutes(api, createProviderKeyService({ ...foundation, keys }))
      registerTokenRoutes(api, createTokenService(foundation))
      registerSessionRoutes(api, createSessionService(logins), createPasswordService({ ...logins, invited }))
      registerAuditRoutes(api, auditLog)
    },
  }
}
