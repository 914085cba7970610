import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '@parley/engine/ports'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../config.ts'
import type { CallerAdmission, ListenerAdmission, LiveCallHost } from '../features/calls/public.ts'
import { createRateLimiter, createSharedRateLimiter } from '../http/admission.ts'
import { createApi } from '../http/api.ts'
import { registerCallPage } from '../http/call-page.ts'
import { registerDashboard } from '../http/dashboard.ts'
import { createIdempotency, type Idempotency } from '../http/idempotency.ts'
import type { Metrics } from '../http/metrics.ts'
import { createHttpServer, stopServer } from '../http/server.ts'
import { registerSystemRoutes } from '../http/system-routes.ts'
import { createUploadFolder } from '../http/upload-folder.ts'
import { createListenableCalls } from '../media/listening/listenable-calls.ts'
import { createClientAddressResolver, createUpgradeTable } from '../media/upgrades/upgrade-table.ts'
import { createWebEndpoint } from '../media/web/web-endpoint.ts'
import { StartError } from '../start-error.ts'
import type { Features } from './connect-features.ts'
import type { Foundation } from './foundation.ts'

export type HttpParts = Pick<Foundation, 'runtime' | 'storage' | 'cluster' | 'access' | 'address'>

export interface HttpOptions {
  readonly features: Features
  readonly metrics: Metrics
  /** Returns the reason why the process is not ready, or null if it is ready. */
  readonly findReadinessProblem: () => string | null
}

/** The API, the pages and the media of live calls. */
export interface Http {
  readonly media: ConnectedMedia
  readonly idempotency: Idempotency
  /**
   * Starts listening and returns the URL.
   * @throws StartError if the port is not available.
   */
  listen(): Promise<string>
  /** Stops accepting requests and lets running requests finish until the deadline. */
  stop(deadlineMs: number): Promise<void>
}

export function connectHttp(config: Config, parts: HttpParts, options: HttpOptions): Http {
  const { clock, makeId, logger, logError } = parts.runtime
  const { isPublicHttps, getBaseUrl } = parts.address
  const { features, metrics, findReadinessProblem } = options
  const idempotency = createIdempotency(parts.storage.database, parts.storage.secrets, parts.cluster.sharedClock)
  const fastify = createHttpServer({ clock, makeId, logger, metrics, trustProxy: config.trustProxy, isPublicHttps })
  features.register(connectApi(config, parts, { fastify, idempotency }))
  registerSystemRoutes(fastify, {
    metrics,
    metricsToken: config.metricsToken ?? null,
    findReadinessProblem,
    listFaults: () => parts.cluster.listFaults(),
    getBaseUrl: getBaseUrl,
  })
  registerCallPage(fastify)
  registerDashboard(fastify, {
    readBrand: features.readBrand,
    logError: (error) => logError('show the dashboard', error),
  })
  const media = connectMedia({
    server: fastify.server,
    host: features.calls.live,
    admissions: features.calls.admissions,
    clock,
    logError,
    makeSecret: () => Buffer.from(parts.runtime.randomBytes(24)).toString('hex'),
    trustProxy: config.trustProxy,
  })
  registerGauges(metrics, features, media)
  return {
    media,
    idempotency,
    listen: () => startListening(fastify, config),
    stop: (deadlineMs) => stopServer(fastify, clock, deadlineMs),
  }
}

interface ApiOptions {
  readonly fastify: FastifyInstance
  readonly idempotency: Idempotency
}

function connectApi(config: Config, parts: HttpParts, { fastify, idempotency }: ApiOptions) {
  const { clock, logger, logError, background } = parts.runtime
  const { service, watch, readTenantDirectory, audit } = parts.access
  const { publicHost, isPublicHttps } = parts.address
  const { buckets } = parts.cluster
  const { rateLimit: settings, validateResponses } = config
  return createApi({
    fastify,
    clock,
    idempotency,
    logger,
    background,
    audit,
    readTenantDirectory,
    authenticate: service.authenticate,
    renewAccess: service.renew,
    accessWatch: watch,
    publicHost,
    isPublicHttps,
    validateResponses,
    uploads: createUploadFolder({
      path: join(config.dataDir, 'uploads'),
      logError: (error) => logError('removing-uploads', error),
    }),
    rateLimit: {
      settings,
      take: buckets === null ? createRateLimiter(settings, clock) : createSharedRateLimiter(settings, clock, buckets),
    },
  })
}

function registerGauges(metrics: Metrics, { calls, completions }: Features, media: ConnectedMedia): void {
  metrics.addGauge('parley_calls_active', 'Live calls on this node.', () => calls.live.activeCount)
  const lateFramesHelp = 'Call frames that were paced more than 20 ms too late.'
  metrics.addGauge('parley_call_frames_late', lateFramesHelp, () => calls.pacer.getStats().lateFrames)
  metrics.addGauge(
    'parley_call_frames_dropped',
    'Frames dropped because a connection was too slow.',
    () => media.droppedFrames,
  )
  metrics.addGauge('parley_turns_active', 'Turns that are waiting or running.', () => completions.activeCount)
}

async function startListening(
  fastify: FastifyInstance,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Promise<string> {
  try {
    await fastify.listen({ host, port })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new StartError(`Port ${port} on ${host} is in use. Stop the other program or set PORT.`)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new StartError(`Cannot listen on ${host}:${port} (${code}). Check HOST and PORT.`)
    throw error
  }
  const address = fastify.server.address() as AddressInfo
  // Browsers cannot open wildcard addresses.
  const reachableHost = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachableHost.includes(':') ? `[${reachableHost}]` : reachableHost}:${address.port}`
}

interface MediaOptions {
  /** HTTP server that shares its port with the WebSockets. */
  readonly server: Server
  readonly host: LiveCallHost
  readonly admissions: { readonly callers: CallerAdmission; readonly listeners: ListenerAdmission }
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
  /** Generates a random alphanumeric secret. */
  readonly makeSecret: () => string
  readonly trustProxy: boolean | string
}

/** Media connections of callers. */
interface ConnectedMedia {
  /** Number of frames dropped since the start because a connection was too slow. */
  readonly droppedFrames: number
  /** Rejects new calls, waits at most `deadlineMs` for running calls, then ends them. */
  stop(deadlineMs: number): Promise<void>
}

/** Connects the media legs. Each kind of leg is a route of the upgrade table. */
function connectMedia(options: MediaOptions): ConnectedMedia {
  const { server, host, admissions, clock, logError, makeSecret, trustProxy } = options
  const calls = createListenableCalls(host, clock)
  const web = createWebEndpoint({ calls, ...admissions, clock, logError, makeSecret })
  const getClientAddress = createClientAddressResolver(trustProxy)
  const upgrades = createUpgradeTable({ server, routes: [web], clock, logError, getClientAddress })
  return {
    get droppedFrames() {
      return web.droppedFrames
    },
    async stop(deadlineMs) {
      await upgrades.drain(deadlineMs)
      // Ends calls before legs, so that records match what callers hear.
      host.endAll()
      await upgrades.close()
    },
  }
}
