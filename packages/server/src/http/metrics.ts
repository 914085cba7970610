import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface RequestSample {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
}

export interface TurnSample {
  readonly status: string
  readonly durationMs: number
  readonly firstTextMs: number | null
}

/** Process metrics in Prometheus text format at `/metrics`. */
export interface Metrics {
  countRequest(sample: RequestSample): void
  countTurn(sample: TurnSample): void
  /** Registers a gauge that is read on each scrape. */
  addGauge(name: string, help: string, read: () => number): void
  format(): Promise<{ contentType: string; text: string }>
}

const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const requests = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'Time from the request head to the end of the response.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const turns = new Counter({
    name: 'parley_turns_total',
    help: 'Turns by outcome.',
    labelNames: ['status'],
    registers: [registry],
  })
  const turnDuration = new Histogram({
    name: 'parley_turn_duration_seconds',
    help: 'Time from the start of a turn to its end.',
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  const firstText = new Histogram({
    name: 'parley_turn_first_text_seconds',
    help: 'Time from the start of a turn to its first text.',
    buckets: DURATION_BUCKETS,
    registers: [registry],
  })
  let isCollecting = false

  return {
    countRequest: ({ method, route, status, durationMs }) =>
      requests.observe({ method, route, status }, durationMs / 1000),
    countTurn({ status, durationMs, firstTextMs }) {
      turns.inc({ status })
      turnDuration.observe(durationMs / 1000)
      if (firstTextMs !== null) firstText.observe(firstTextMs / 1000)
    },
    addGauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers: [registry],
        collect() {
          this.set(read())
        },
      })
    },
    async format() {
      // Process metrics take a few milliseconds to set up, so they are set up on the first scrape.
      if (!isCollecting) collectDefaultMetrics({ register: registry })
      isCollecting = true
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
