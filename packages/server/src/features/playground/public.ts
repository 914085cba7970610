export { registerPlaygroundRoutes } from './playground-routes.ts'
export { createPlaygroundService } from './playground-service.ts'
export { createToolTestService } from './tool-test-service.ts'
