/** What the rest of the server may use of this feature. */

export { createTestCaseEngineUsers } from './test-case-engine-users.ts'
export { registerTestCaseRoutes } from './test-case-routes.ts'
export { createTestCaseService } from './test-case-service.ts'
