/** What the rest of the server may use of this feature. */

export { registerSigningSecretRoutes } from './signing-secret-routes.ts'
export { createSigningSecretService } from './signing-secret-service.ts'
