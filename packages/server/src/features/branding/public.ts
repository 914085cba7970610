/** What the rest of the server may use of this feature. */

export { mergeBrands } from './brand.ts'
export type { ReadTxtRecords } from './branding-ports.ts'
export { registerBrandingRoutes } from './branding-routes.ts'
export { createBrandingService } from './branding-service.ts'
export { createDomainService } from './domain-service.ts'
