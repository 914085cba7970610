import { createManualClock } from '@parley/engine/testing/index'
import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { createHttpServer } from './server.ts'
import { registerSystemRoutes } from './system-routes.ts'

const METRICS_TOKEN = 'metrics-token-of-the-operator'
const AUTHORIZED = { authorization: `Bearer ${METRICS_TOKEN}` }

function startSystemServer({ metricsToken = METRICS_TOKEN }: { metricsToken?: string | null } = {}) {
  let reason: string | null = null
  let faults: readonly string[] = []
  let idCount = 0
  const metrics = createMetrics()
  const fastify = createHttpServer({
    clock: createManualClock().clock,
    makeId: (prefix) => `${prefix}_${++idCount}`,
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    metrics,
    trustProxy: false,
  })
  registerSystemRoutes(fastify, {
    metrics,
    metricsToken,
    findReadinessProblem: () => reason,
    listFaults: () => faults,
    getBaseUrl: () => 'https://voice.example.com',
  })
  return {
    fastify,
    metrics,
    setReason: (value: string | null) => {
      reason = value
    },
    setFaults: (value: readonly string[]) => {
      faults = value
    },
    [Symbol.asyncDispose]: async () => {
      await fastify.close()
    },
  }
}

test('reports liveness and readiness', async () => {
  await using server = startSystemServer()
  expect((await server.fastify.inject('/healthz')).json()).toEqual({ status: 'ok' })
  expect((await server.fastify.inject('/readyz')).json()).toEqual({ status: 'ready' })
  server.setReason('stopping')
  const response = await server.fastify.inject('/readyz')
  expect([response.statusCode, response.headers['retry-after'], response.json().reason]).toEqual([503, '1', 'stopping'])
  expect((await server.fastify.inject('/healthz')).statusCode).toBe(200)
})

test('reports degraded services and stays ready', async () => {
  await using server = startSystemServer()
  server.setFaults(['Redis does not answer.'])
  const response = await server.fastify.inject('/readyz')
  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({ status: 'degraded', faults: ['Redis does not answer.'] })
})

test('counts requests by pattern and status', async () => {
  await using server = startSystemServer()
  await server.fastify.inject('/healthz')
  await server.fastify.inject('/some/one/private')
  server.metrics.countTurn({ status: 'completed', durationMs: 100, firstTextMs: 20 })
  server.metrics.addGauge('parley_test_gauge', 'For a test.', () => 7)
  const readMetrics = () => server.fastify.inject({ url: '/metrics', headers: AUTHORIZED })
  const [first, second] = await Promise.all([readMetrics(), readMetrics()])
  expect(first.headers['content-type']).toMatch(/^text\/plain/)
  expect(second.statusCode).toBe(200)
  expect(first.body).toContain(
    'parley_http_request_duration_seconds_count{method="GET",route="/healthz",status="200"} 1',
  )
  expect(first.body).toContain('route="unknown",status="404"')
  expect(first.body).toContain('parley_turns_total{status="completed"} 1')
  expect(first.body).toContain('parley_test_gauge 7')
  expect(first.body).not.toContain('private')
})

test("requires the operator's token for metrics on any spelling of the path", async () => {
  await using server = startSystemServer()
  const paths = ['/metrics', '/metrics/', '//metrics', '/METRICS', '/%6detrics', '/./metrics', '/metrics?a=b']
  for (const url of paths) {
    for (const headers of [{}, { authorization: 'Bearer wrong' }, { authorization: METRICS_TOKEN }]) {
      const { statusCode, body } = await server.fastify.inject({ url, headers })
      expect([401, 404]).toContain(statusCode)
      expect(body).not.toContain('parley_')
    }
  }
  await using serverWithoutToken = startSystemServer({ metricsToken: null })
  const response = await serverWithoutToken.fastify.inject({ url: '/metrics', headers: AUTHORIZED })
  expect([response.statusCode, response.json().error]).toEqual([
    404,
    'Metrics are off. Set METRICS_TOKEN to read them here.',
  ])
})

test('serves the OpenAPI document and the API reference', async () => {
  await using server = startSystemServer()
  const response = await server.fastify.inject('/openapi.json')
  expect(response.json().servers).toEqual([{ url: 'https://voice.example.com' }])
  expect(response.headers['access-control-allow-origin']).toBe('*')
  expect(response.headers['x-request-id']).toMatch(/^req_/)
  const reference = await server.fastify.inject('/api-reference.md')
  expect(reference.headers['content-type']).toBe('text/markdown; charset=utf-8')
  expect(reference.body).toContain('### List agents')
})
