export { createCarrierImporter } from './carrier-import.ts'
export { createNumberAgentRemoval } from './number-agent-removal.ts'
export { registerNumberRoutes } from './number-routes.ts'
export { createNumberService } from './number-service.ts'
