/** What the rest of the server may use of this feature. */

export { registerVendorKeyRoutes } from './vendor-key-routes.ts'
export { createVendorKeyService } from './vendor-key-service.ts'
export type { KeyedVendor, VendorKey, VendorKeys } from './vendor-key-store.ts'
export { createVendorKeys, type OperatorKeys } from './vendor-keys.ts'
