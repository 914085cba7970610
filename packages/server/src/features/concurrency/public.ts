export { createConcurrencyService, registerConcurrencyRoutes } from './concurrency-service.ts'
export { createHeldLeases, createLeaseReservations, type HeldLeases } from './held-leases.ts'
export { buildReleaseNodeStatement as releaseNodeLeases } from './lease-store.ts'
