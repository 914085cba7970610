export { createAdministration } from './administration.ts'
export { registerTenantRoutes } from './tenant-routes.ts'
export { createTenantService } from './tenant-service.ts'
