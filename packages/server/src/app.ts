import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { connectFeatures } from './connect-features.ts'
import { connectMedia } from './connect-media.ts'
import { connectNodes } from './connect-nodes.ts'
import { connectStorage } from './connect-storage.ts'
import { createAccessService } from './features/access/access-service.ts'
import { createAccessWatch } from './features/access/access-watch.ts'
import { createAccountReader } from './features/access/account-reader.ts'
import { bootstrapOwner, type FirstOwner, findBootstrapProblem } from './features/access/bootstrap.ts'
import { createPasswords } from './features/access/bounded-passwords.ts'
import { createAuditTrail } from './features/audit/audit-trail.ts'
import { recoverTurns } from './features/chats/failover/abandoned-turns.ts'
import { seedDemo } from './features/demo/seed-demo.ts'
import { createRetrieval } from './features/knowledge/retrieval/retrieval.ts'
import { createApi } from './http/api.ts'
import { registerCallPage } from './http/call-page.ts'
import { registerDashboard } from './http/dashboard.ts'
import { createIdempotency } from './http/idempotency.ts'
import { createMetrics } from './http/metrics.ts'
import { createRateLimiter, createSharedRateLimiter } from './http/rate-limit.ts'
import { createHttpServer } from './http/server.ts'
import { stopServer } from './http/stop-server.ts'
import { registerSystemRoutes } from './http/system-routes.ts'
import { createUploadFolder } from './http/upload-folder.ts'
import { createBackground } from './kernel/background.ts'
import { sealStoredTools } from './kernel/seal-stored-tools.ts'
import { createToolVault } from './kernel/tool-vault.ts'
import { loadVoiceClassifiers } from './media/voice-classifier.ts'
import { createWheel } from './media/wheel.ts'
import { createBlobFolder } from './platform/blobs/blob-folder.ts'
import { collectLessOften } from './platform/heap.ts'
import { createLogger } from './platform/logger.ts'
import { createTxtReader } from './platform/outbound/txt-records.ts'
import { makeDataPrivate } from './platform/private-files.ts'
import { createJobQueue } from './platform/queue/job-queue.ts'
import { createJobWorker } from './platform/queue/job-worker.ts'
import { randomId, systemClock } from './platform/system.ts'
import { StartError } from './start-error.ts'

export interface App {
  readonly url: string
  /** Drains and closes; at most the configured time. */
  stop(): Promise<void>
}

const VERSION = '0.1.0'
/** Topic of the bus: somebody wrote jobs. */
const JOBS_WRITTEN = 'jobs.written'
/** Topic of the bus: there are webhooks to be delivered. */
const DELIVERIES_WRITTEN = 'webhook-deliveries.written'
/** After the start, how long jobs wait for a worker. */
const WORKER_DELAY_MS = 200
/** Documents that are read and sites that are waited for at the same time. */
const SLOW_JOBS = 8
/** Of the time to stop, kept for turns that are interrupted to store and tell what they have. */
const LAST_WORDS_MS = 1000

/** Wires everything and listens. The one place where the parts of the house know each other. */
export async function startApp(config: Config): Promise<App> {
  const clock = systemClock
  const makeId = randomId
  const logger = createLogger(config.logLevel)
  const logError = (name: string, error: unknown): void =>
    logger.error({ work: name, cause: error }, 'background work failed')
  const background = createBackground({ clock, logError })
  const exposed = await makeDataPrivate(config.dataDir, config.recordingsDir)
  if (exposed.length > 0) logger.warn({ paths: exposed.slice(0, 10) }, 'others may be able to read these files')
  // Loaded while the database opens: together they take no longer than the slower one.
  const [storage, { connectOutbound }] = await Promise.all([
    connectStorage(config, clock, randomUUID),
    import('./connect-outbound.ts'),
  ])
  const { database, secrets } = storage
  const passwords = createPasswords()
  const passwordProblem = await findBootstrapProblem(database.read, config.bootstrap, passwords.findProblem)
  if (passwordProblem !== null) throw new StartError(`BOOTSTRAP_PASSWORD: ${passwordProblem}`)
  const connected = await connectNodes(config, { storage, clock, makeId, logger, logError })
  const { bus, nodes } = connected
  const outbound = await connectOutbound(config, { clock, version: VERSION, logError })
  // Among several nodes each takes over what a dead one left; here nobody else could be running them.
  const recovered = database.capabilities.knowsEveryWrite ? await recoverTurns(database, clock.now()) : 0
  if (recovered > 0) logger.warn({ turns: recovered }, 'turns were interrupted by the last stop')

  await sealStoredTools({ database, vault: createToolVault(secrets) })

  const knowledge = createRetrieval({
    database,
    clock,
    embedder: outbound.embedder,
    index: outbound.knowledgeIndex,
    cacheBytes: config.knowledgeCacheBytes,
    logError,
  })
  const metrics = createMetrics()
  const wheel = createWheel({
    clock,
    logError: (error) => logError('pace a call', error),
    onFirst: collectLessOften,
  })
  const readAccounts = createAccountReader(database, clock)
  const { sessionIdleMs } = config
  const access = createAccessService({ database, background, bus, clock, readAccounts, sessionIdleMs })
  const accessWatch = createAccessWatch({ database, bus, clock, background, readAccounts, sessionIdleMs })
  const audit = createAuditTrail(database, clock, makeId)
  const publicUrl = config.baseUrl === undefined ? null : new URL(config.baseUrl)
  const publicHost = publicUrl?.host.toLowerCase() ?? null
  const isPublicHttps = publicUrl?.protocol === 'https:'
  let starting = true
  let draining = false
  let address = config.baseUrl ?? ''
  // What another node wrote is told by the bus, so that this one need not wait for its next look.
  database.onInsert('webhook_deliveries', () => bus.publish(DELIVERIES_WRITTEN, null))
  const onDeliveriesWritten = (listener: () => void): (() => void) => bus.subscribe(DELIVERIES_WRITTEN, listener)
  const features = connectFeatures({
    database,
    clock,
    makeId,
    makeUuid: randomUUID,
    randomBytes,
    background,
    secrets,
    bus,
    nodes,
    sharedClock: connected.sharedClock,
    sharedFailures: connected.failures,
    access,
    accessWatch,
    readAccounts,
    audit,
    passwords,
    sessionIdleMs: config.sessionIdleMs,
    operatorKeys: config.serviceKeys,
    workspaceModels: outbound.workspaceModels,
    voiceDirectories: outbound.voiceDirectories,
    costOf: outbound.costOf,
    speechCostOf: outbound.speechCostOf,
    toolClients: outbound.toolClients,
    code: outbound.code,
    mcp: outbound.mcp,
    customLlm: outbound.customLlm,
    documents: outbound.documents,
    redaction: outbound.redaction,
    pages: outbound.pages,
    embedder: outbound.embedder,
    knowledge,
    speechProviders: outbound.speechProviders,
    speechVoices: config.speech,
    warmSpeech: outbound.warmSpeech,
    voiceClassifiers: loadVoiceClassifiers,
    wheel,
    blobs: createBlobFolder({ path: config.recordingsDir, makeUnique: randomUUID }),
    leases: connected.leases,
    random: Math.random,
    send: outbound.send,
    readTxtRecords: createTxtReader({ clock }),
    targets: outbound.targets,
    onDeliveriesWritten,
    jobs: createJobQueue({ database, clock: connected.sharedClock, makeId }),
    logger,
    logError,
    version: VERSION,
    firstTokenTimeoutMs: config.firstTokenTimeoutMs,
    idleTokenTimeoutMs: config.idleTokenTimeoutMs,
    baseUrl: () => address,
    publicHost,
    onTurnEnd: (turn) => metrics.countTurn(turn),
  })
  const fastify = createHttpServer({ clock, makeId, logger, metrics, trustProxy: config.trustProxy, isPublicHttps })
  const idempotency = createIdempotency(database, secrets, connected.sharedClock)
  const api = createApi({
    fastify,
    clock,
    idempotency,
    logger,
    authenticate: access.authenticate,
    uploads: createUploadFolder({
      path: join(config.dataDir, 'uploads'),
      logError: (error) => logError('removing-uploads', error),
    }),
    readAccounts,
    renewAccess: access.renew,
    accessWatch,
    publicHost,
    audit,
    background,
    rateLimit: {
      settings: config.rateLimit,
      take:
        connected.buckets === null
          ? createRateLimiter(config.rateLimit, clock)
          : createSharedRateLimiter(config.rateLimit, clock, connected.buckets),
    },
    isPublicHttps,
    checkAnswers: config.checkAnswers,
  })
  features.register(api)
  registerSystemRoutes(fastify, {
    metrics,
    metricsToken: config.metricsToken ?? null,
    notReady: () => (starting ? 'starting' : draining ? 'draining' : (database.failure?.message ?? null)),
    degraded: () => connected.faults(),
    baseUrl: () => address,
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
    makeSecret: () => randomBytes(24).toString('hex'),
    trustProxy: config.trustProxy,
  })
  metrics.watch('parley_calls_active', 'Calls that live on this node.', () => features.calls.live.activeCount)
  const lateHelp = 'Calls that were paced more than 20 ms too late, summed over all turns of their clock.'
  metrics.watch('parley_call_frames_late', lateHelp, () => wheel.figures().lateFrames)
  metrics.watch('parley_call_frames_dropped', 'Frames that connections did not take.', () => media.droppedFrames)
  metrics.watch('parley_turns_active', 'Turns that wait or run now.', () => features.completions.activeCount)

  // Jobs that another node wrote are told by the bus, so that this one need not wait for its next look.
  database.onInsert('jobs', () => bus.publish(JOBS_WRITTEN, null))
  const jobWork = {
    database,
    clock: connected.sharedClock,
    makeId,
    logError,
    onJobsWritten: (listener: () => void) => bus.subscribe(JOBS_WRITTEN, listener),
  }
  const workers = [
    createJobWorker({
      ...jobWork,
      handlers: {
        'sweep-idempotency': { run: () => idempotency.sweep() },
        ...features.handlers,
      },
      schedules: [
        { name: 'sweep-idempotency', pattern: '17 * * * *', kind: 'sweep-idempotency', payload: {} },
        ...features.schedules,
      ],
    }),
    createJobWorker({ ...jobWork, handlers: features.slowHandlers, concurrency: SLOW_JOBS }),
  ]

  await listen(fastify.listen({ host: config.host, port: config.port }), config)
  const { port } = fastify.server.address() as AddressInfo
  const url = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`
  address = config.baseUrl ?? url
  // Only now: a first start that fails on its port must not swallow the login that it alone would print.
  const owner = await bootstrapOwner(
    { database, clock, makeId, createWorkspace: features.createWorkspace },
    config.bootstrap,
  )
  const demo = owner !== null && config.demo ? await seedDemo(features.demo, owner.workspaceId) : null
  await connected.start()
  // Of the last process: nobody else ends what it held.
  background.run('end lost calls', () => features.calls.recover())
  starting = false
  // Not on the way to the first answer: schedules cost some 20 ms to set up.
  const cancelWorkerStart = clock.after(WORKER_DELAY_MS, () => {
    outbound.warmOfflineModel()
    for (const worker of workers) worker.start()
    features.webhookDispatcher.start()
  })
  if (owner === null) process.stdout.write(`Parley is ready at ${url}\n`)
  else process.stdout.write(welcome({ url, owner, chatId: demo?.chatId ?? null, given: config.bootstrap }))

  return {
    url,
    async stop() {
      draining = true
      const deadlineMs = config.shutdownTimeoutMs
      // Side by side: calls and requests have the same time to end in peace, and nothing new is accepted meanwhile.
      const calls = media.stop(deadlineMs).then(() => features.calls.closeStreams())
      const server = stopServer(fastify, clock, deadlineMs)
      const unfinished = await background.drain(Math.max(0, deadlineMs - LAST_WORDS_MS))
      // What the deadline cuts is stored as far as it got, and its readers are told before their connections close.
      if (unfinished.length > 0) features.completions.interruptAll()
      await Promise.all([calls, server])
      await background.drain(1000)
      await features.calls.stop(1000)
      await background.drain(1000)
      cancelWorkerStart()
      await Promise.all([...workers, features.webhookDispatcher].map((work) => work.stop(1000)))
      await knowledge.close()
      await outbound.close()
      await connected.stop()
      await storage.close()
      logger.flush()
    },
  }
}

async function listen(listening: Promise<unknown>, { host, port }: Config): Promise<void> {
  try {
    await listening
  } catch (error) {
    const { code } = error as { code?: string }
    if (code === 'EADDRINUSE')
      throw new StartError(`Port ${port} on ${host} is in use. Stop the other program or set PORT.`)
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
      throw new StartError(`Cannot listen on ${host}:${port} (${code}). Check HOST and PORT.`)
    throw error
  }
}

interface Welcome {
  readonly url: string
  readonly owner: FirstOwner
  readonly chatId: string | null
  /** What the operator chose is not printed. */
  readonly given: Config['bootstrap']
}

/** Printed once, at the first start: everything that a person needs to go on, with a line that works. */
function welcome({ url, owner, chatId, given }: Welcome): string {
  const token = given.token === undefined ? owner.token : '$BOOTSTRAP_TOKEN'
  const send = `curl -s ${url}/api/chats/${chatId}/completions -H "Authorization: Bearer ${token}" \\
    -H 'Content-Type: application/json' -d '{"workspaceId": ${owner.workspaceId}, "content": "What do you charge for a flat tyre?"}'`
  const list = `curl -s ${url}/api/workspaces -H "Authorization: Bearer ${token}"`
  return `
Parley is ready at ${url}

Open it in a browser and sign in:

  Owner      ${owner.email}
  Password   ${given.password === undefined ? owner.password : 'as configured'}
  API token  ${given.token === undefined ? owner.token : 'as configured'}
  (shown once; keep them)

Or try the API:

  ${chatId === null ? list : send}

`
}
