export { createConcurrencyService, registerConcurrencyRoutes } from './concurrency-service.ts'
export { createHeldLeases, createLeaseReservations, type HeldLeases } from './held-leases.ts'
export { buildReleaseNodeStatement } from './lease-store.ts'
