/** What the rest of the server may use of this feature. */

export { createLoginThrottle } from './login-throttle.ts'
export { createPasswordService } from './password-service.ts'
export { registerSessionRoutes } from './session-routes.ts'
export { createSessionService } from './session-service.ts'
export { createSessionSweep } from './sweep-sessions.ts'
