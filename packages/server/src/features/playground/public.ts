export { createPlaygroundService, registerPlaygroundRoutes } from './playground-service.ts'
export { createToolTestService } from './tool-test-service.ts'
