/** What the rest of the server may use of this feature. */

export { registerConcurrencyRoutes } from './concurrency-routes.ts'
export { createConcurrencyService } from './concurrency-service.ts'
export { createHeldLeases, type HeldLeases } from './held-leases.ts'
export { createLeaseReservations } from './lease-reservations.ts'
export { releaseNodeLeases } from './lease-store.ts'
