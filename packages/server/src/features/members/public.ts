/** What the rest of the server may use of this feature. */

export type { AccessCache, Brands } from './access-changes.ts'
export { createAdministratorService } from './administrator-service.ts'
export type { AdministratorScope, Administrators } from './administrators.ts'
export { createInvitationService } from './invitation-service.ts'
export { createInvitations, type Invitations } from './invitations.ts'
export { registerInvitationRoutes, registerMemberRoutes } from './member-routes.ts'
export { createMemberService } from './member-service.ts'
