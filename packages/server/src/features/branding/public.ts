export { mergeBrands } from './brand.ts'
export type { ReadTxtRecords } from './brand-owner.ts'
export { createBrandingService, registerBrandingRoutes } from './branding-service.ts'
export { createDomainService } from './domain-service.ts'
