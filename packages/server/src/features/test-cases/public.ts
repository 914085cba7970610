export { registerTestCaseRoutes } from './test-case-routes.ts'
export { createTestCaseEngineUsers, createTestCaseService } from './test-case-service.ts'
