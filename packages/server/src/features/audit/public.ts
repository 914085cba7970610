/** What the rest of the server may use of this feature. */

export type { AuditEntry, AuditTrail } from './audit.ts'
export { registerAuditRoutes } from './audit-routes.ts'
export { createAuditService } from './audit-service.ts'
export { createAuditTrail } from './audit-trail.ts'
export { createdTarget } from './created-target.ts'
