export { registerResellerRoutes } from './reseller-routes.ts'
export { createResellerService } from './reseller-service.ts'
