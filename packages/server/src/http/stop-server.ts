import type { Clock } from '@parley/engine/ports'
import type { FastifyInstance } from 'fastify'

const IDLE_SWEEP_MS = 250

/**
 * Stops accepting, lets requests finish up to the deadline, then closes what is left. Idle keep-alive connections are closed
 * again and again meanwhile: a client that holds one open would keep Fastify's own close waiting for ever.
 */
export async function stopServer(fastify: FastifyInstance, clock: Clock, deadlineMs: number): Promise<void> {
  const { server } = fastify
  let cancelSweep = (): void => {}
  const sweep = (): void => {
    server.closeIdleConnections()
    cancelSweep = clock.after(IDLE_SWEEP_MS, sweep)
  }
  const cancelDeadline = clock.after(deadlineMs, () => server.closeAllConnections())
  try {
    const closed = fastify.close()
    sweep()
    await closed
  } finally {
    cancelSweep()
    cancelDeadline()
  }
}
