export { createAuditService, registerAuditRoutes } from './audit-service.ts'
export type { AuditEntry, AuditTrail } from './audit-trail.ts'
export { createAuditTrail } from './audit-trail.ts'
export { findCreatedTarget } from './created-target.ts'
