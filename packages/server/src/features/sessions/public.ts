export { createLoginThrottle } from './login-throttle.ts'
export { createPasswordService } from './password-service.ts'
export { registerSessionRoutes } from './session-routes.ts'
export { createSessionService, createSessionSweep } from './session-service.ts'
