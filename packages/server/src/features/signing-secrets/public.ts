export { createSigningSecretService, registerSigningSecretRoutes } from './signing-secret-service.ts'
