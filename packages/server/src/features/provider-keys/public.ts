/** What the rest of the server may use of this feature. */

export { registerProviderKeyRoutes } from './provider-key-routes.ts'
export { createProviderKeyService } from './provider-key-service.ts'
export type { KeyedService, ProviderKeys, ServiceKey } from './provider-key-store.ts'
export { createProviderKeys, type OperatorKeys } from './provider-keys.ts'
