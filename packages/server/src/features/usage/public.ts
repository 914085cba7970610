export { createUsageService, registerUsageRoutes } from './usage-service.ts'
