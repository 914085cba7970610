/** What the rest of the server may use of this feature. */

export { registerTokenRoutes } from './token-routes.ts'
export { createTokenService } from './token-service.ts'
export { canManageUser } from './token-store.ts'
