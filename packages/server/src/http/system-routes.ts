import { createHash, timingSafeEqual } from 'node:crypto'
import { operations } from '@parley/contract/index'
import { openApiDocument } from '@parley/contract/openapi'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Metrics } from './metrics.ts'

export interface SystemRoutes {
  readonly metrics: Metrics
  /** The only token that reads metrics; without one nobody does. */
  readonly metricsToken: string | null
  /** Why the process cannot serve now; `null` while it can. */
  readonly readinessProblem: () => string | null
  /** What does not work as it should although the process can serve; one sentence each. */
  readonly degraded: () => readonly string[]
  readonly baseUrl: () => string
}

/** What operators and tools ask: alive, ready, metrics and the description of the API. */
export function registerSystemRoutes(
  fastify: FastifyInstance,
  { metrics, metricsToken, readinessProblem, degraded, baseUrl }: SystemRoutes,
): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }))
  fastify.get('/readyz', async (_request, reply) => {
    const reason = readinessProblem()
    const faults = degraded()
    if (reason === null) return faults.length === 0 ? { status: 'ready' } : { status: 'degraded', faults }
    reply.status(503).header('retry-after', 1)
    return { status: 'not_ready', reason }
  })
  fastify.get('/metrics', async (request, reply) => {
    checkMetricsToken(metricsToken, request.headers.authorization)
    const { contentType, text } = await metrics.print()
    reply.header('content-type', contentType)
    return text
  })
  let document: string | undefined
  fastify.get('/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(openApiDocument(Object.values(operations), baseUrl()))
    reply.header('content-type', 'application/json; charset=utf-8').header('access-control-allow-origin', '*')
    return await reply.send(document)
  })
}

/** Metrics show the activity of all tenants: without a token of the operator they are not readable at all. */
function checkMetricsToken(token: string | null, authorization: string | undefined): void {
  if (token === null) throw new AppError('not_found', 'Metrics are off. Set METRICS_TOKEN to read them here.')
  // Digests have the same length, which the comparison needs.
  if (timingSafeEqual(sha256(`Bearer ${token}`), sha256(authorization ?? ''))) return
  throw new AppError('unauthorized', 'Send METRICS_TOKEN as "Authorization: Bearer <token>".')
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
