export { createVendorKeyService, registerVendorKeyRoutes } from './vendor-key-service.ts'
export type { KeyedVendor, KeyTester, VendorKey, VendorKeys } from './vendor-key-store.ts'
export { createVendorKeys, type OperatorKeys } from './vendor-keys.ts'
