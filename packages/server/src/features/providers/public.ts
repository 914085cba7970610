/** What the rest of the server may use of this feature. */

export { registerProviderRoutes } from './provider-routes.ts'
export { createProviderService } from './provider-service.ts'
