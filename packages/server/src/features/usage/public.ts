/** What the rest of the server may use of this feature. */

export { registerUsageRoutes } from './usage-routes.ts'
export { createUsageService } from './usage-service.ts'
