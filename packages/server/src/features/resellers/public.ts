/** What the rest of the server may use of this feature. */

export { registerResellerRoutes } from './reseller-routes.ts'
export { createResellerService } from './reseller-service.ts'
