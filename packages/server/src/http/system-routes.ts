import { createHash, timingSafeEqual } from 'node:crypto'
import { operations } from '@parley/contract/index'
import { buildOpenApiDocument } from '@parley/contract/openapi'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../kernel/errors.ts'
import type { Metrics } from './metrics.ts'

export interface SystemRoutes {
  readonly metrics: Metrics
  /** Bearer token for the metrics; null disables the metrics. */
  readonly metricsToken: string | null
  /** Returns the reason why the process is not ready, or null if the process is ready. */
  readonly findReadinessProblem: () => string | null
  /** Returns faults that do not affect readiness, one sentence each. */
  readonly listFaults: () => readonly string[]
  readonly getBaseUrl: () => string
}

/** Registers the routes for health, readiness, metrics and the OpenAPI document. */
export function registerSystemRoutes(
  fastify: FastifyInstance,
  { metrics, metricsToken, findReadinessProblem, listFaults, getBaseUrl }: SystemRoutes,
): void {
  fastify.get('/healthz', async () => ({ status: 'ok' }))
  fastify.get('/readyz', async (_request, reply) => {
    const reason = findReadinessProblem()
    const faults = listFaults()
    if (reason === null) return faults.length === 0 ? { status: 'ready' } : { status: 'degraded', faults }
    reply.status(503).header('retry-after', 1)
    return { status: 'not_ready', reason }
  })
  fastify.get('/metrics', async (request, reply) => {
    checkMetricsToken(metricsToken, request.headers.authorization)
    const { contentType, text } = await metrics.format()
    reply.header('content-type', contentType)
    return text
  })
  let document: string | undefined
  fastify.get('/openapi.json', async (_request, reply) => {
    document ??= JSON.stringify(buildOpenApiDocument(Object.values(operations), getBaseUrl()))
    reply.header('content-type', 'application/json; charset=utf-8').header('access-control-allow-origin', '*')
    return await reply.send(document)
  })
  let reference: string | undefined
  fastify.get('/api-reference.md', async (_request, reply) => {
    if (reference === undefined) {
      const { printReference } = await import('@parley/contract/reference/print-reference')
      reference = printReference(Object.values(operations))
    }
    reply.header('content-type', 'text/markdown; charset=utf-8')
    return await reply.send(reference)
  })
}

/** Throws if the metrics token is wrong. Metrics cover all tenants, so they require the operator's token. */
function checkMetricsToken(token: string | null, authorization: string | undefined): void {
  if (token === null) throw new AppError('not_found', 'Metrics are off. Set METRICS_TOKEN to read them here.')
  // Compares digests, because `timingSafeEqual` requires equal lengths.
  if (timingSafeEqual(hashSha256(`Bearer ${token}`), hashSha256(authorization ?? ''))) return
  throw new AppError('unauthorized', 'Send METRICS_TOKEN as "Authorization: Bearer <token>".')
}

function hashSha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
