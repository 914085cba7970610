import { prepareSpeech } from '@parley/engine/voice/speaking/prepare-speech'
import type { AgentResolver } from '../features/agents/public.ts'
import {
  buildTranscript,
  type Calls,
  createCalls,
  createLiveCalls,
  type FindVoice,
  getTranscriberRequest,
  type LiveCalls,
} from '../features/calls/public.ts'
import { buildReleaseNodeStatement, createLeaseReservations } from '../features/concurrency/public.ts'
import {
  type CallLifecycle,
  createCallLifecycle,
  createCallPostProcessing,
  createWebhookCallReader,
  registerCallAnalysisRoutes,
} from '../features/post-processing/public.ts'
import {
  createCallRecorders,
  createRecordingLinks,
  createRecordingRemoval,
  createRecordingService,
  createSegmentQueue,
  type RecordingRemoval,
  type RecordingService,
  registerRecordingRoutes,
} from '../features/recordings/public.ts'
import type { WebhookEvents } from '../features/webhooks/public.ts'
import type { WorkspaceModels } from '../integrations/models/workspace-models.ts'
import { checkModelFile, SmartTurnDetectors } from '../integrations/speech/smart-turn/smart-turn-detectors.ts'
import type { SpeechVendors } from '../integrations/speech/speech-vendors.ts'
import {
  createSileroClassifiers,
  type SileroClassifiers,
} from '../integrations/speech/voice-activity/voice-classifiers.ts'
import type { Api } from '../kernel/api/implement.ts'
import { createInstallationKey } from '../kernel/security/secrets.ts'
import type { JobHandlers, JobSchedule } from '../kernel/work/jobs.ts'
import { CallPacer } from '../media/call-pacer.ts'
import { reduceGcFrequency } from '../platform/heap.ts'
import { StartError } from '../start-error.ts'
import type { CreateDialogueDependencies } from './connect-engines.ts'
import type { Foundation } from './foundation.ts'

export interface CallsOptions {
  readonly agents: AgentResolver
  readonly models: WorkspaceModels
  readonly createDialogueDependencies: CreateDialogueDependencies
  readonly speech: SpeechVendors
  readonly findVoice: FindVoice
  readonly webhooks: WebhookEvents
  /** File of a Smart Turn v3 model. */
  readonly turnModelFile: string | undefined
}

/** Call records, live calls of this node, and recordings. */
export interface ConnectedCalls extends Pick<Calls, 'admissions'> {
  readonly live: LiveCalls
  /** Paces the live calls of this node. */
  readonly pacer: CallPacer
  readonly recordingRemoval: Pick<RecordingRemoval, 'removeAllInWorkspace'>
  readonly handlers: JobHandlers
  readonly schedules: readonly JobSchedule[]
  /** Returns the webhook payload of a call, or null if the call was deleted. */
  readonly readCallPayload: ReturnType<typeof createWebhookCallReader>
  /** Ends calls of crashed processes. Calls of this process are unaffected. */
  recover(): Promise<void>
  register(api: Api): void
  /** Closes call event streams, so that readers reconnect to another node. */
  closeStreams(): void
  /**
   * Writes pending records within the deadline and retries pending call ends in the background. Must be called after
   * all calls have ended.
   */
  stop(deadlineMs: number): Promise<void>
}

export type CallParts = Pick<Foundation, 'runtime' | 'storage' | 'cluster' | 'outbound' | 'access' | 'address'>

export function connectCalls(parts: CallParts, options: CallsOptions): ConnectedCalls {
  const { database } = parts.storage
  const { redaction } = parts.outbound
  const recordings = connectRecordings(parts)
  const postProcessingParts = connectPostProcessing(parts, { ...options, recordings })
  const { clock, logError } = parts.runtime
  const classifiers = createSileroClassifiers({ clock, logError: (error) => logError('detect speech', error) })
  const turnDetectors = connectTurnDetectors(parts, options.turnModelFile)
  const calls = connectRecords(parts, {
    ...options,
    classifiers,
    turnDetectors,
    recordings,
    lifecycle: postProcessingParts.service,
    // `live` is created below, so it is only read when a command arrives.
    activeCalls: { sendCommand: (callId, command) => live.sendCommand(callId, command) },
  })
  const postProcessing = postProcessingParts.createPostProcessing(calls)
  const pacer = new CallPacer({
    clock,
    logError: (error) => logError('pace a call', error),
    onFirstCall: reduceGcFrequency,
  })
  const live = connectLive(parts, {
    ...options,
    classifiers,
    turnDetectors,
    pacer,
    calls,
    recordings,
    lifecycle: postProcessingParts.service,
  })
  return {
    handlers: { ...calls.handlers, ...recordings.removal.handlers, ...postProcessing.handlers },
    schedules: [...calls.schedules, ...postProcessing.schedules],
    readCallPayload: createWebhookCallReader({
      database,
      redaction,
      buildTranscript,
      readCall: calls.records.describe,
    }),
    admissions: calls.admissions,
    live,
    pacer,
    recordingRemoval: recordings.removal,
    recover: () => calls.lostCallRecovery.endAllLostCalls(),
    register(api) {
      calls.register(api)
      registerRecordingRoutes(api, recordings.service)
      registerCallAnalysisRoutes(api, postProcessing.analysisService)
    },
    closeStreams: () => calls.closeStreams(),
    async stop(deadlineMs) {
      await calls.journals.stop(deadlineMs)
      await Promise.all([classifiers.close(), turnDetectors?.close()])
      live.stopRetrying()
    },
  }
}

/** Creates the turn detectors. Throws a `StartError` if the file of the model cannot be read. */
function connectTurnDetectors({ runtime }: CallParts, path: string | undefined): SmartTurnDetectors | undefined {
  if (path === undefined) return undefined
  try {
    checkModelFile(path)
  } catch (error) {
    throw new StartError(`SMART_TURN_MODEL: ${error instanceof Error ? error.message : String(error)}`)
  }
  const { clock, logError } = runtime
  return new SmartTurnDetectors({ path, clock, logError: (error) => logError('detect ends of turns', error) })
}

interface Recordings {
  readonly getKey: () => Promise<Uint8Array>
  readonly links: ReturnType<typeof createRecordingLinks>
  readonly service: RecordingService
  readonly removal: RecordingRemoval
}

function connectRecordings({ runtime, storage, cluster, address }: CallParts): Recordings {
  const { database, secrets, blobs } = storage
  const { jobs, sharedClock: clock } = cluster
  const key = createInstallationKey({ database, secrets, randomBytes: runtime.randomBytes })
  const links = createRecordingLinks({ getKey: key, clock, getBaseUrl: address.getBaseUrl })
  const service = createRecordingService({ database, blobs, links, clock })
  return {
    getKey: key,
    links,
    service,
    removal: createRecordingRemoval({ database, clock, jobs, recordings: service }),
  }
}

interface CallsOptionsWithRecordings extends CallsOptions {
  readonly recordings: Recordings
}

/** Connects the post-processing of ended calls. */
function connectPostProcessing(
  { runtime, storage, cluster, outbound }: CallParts,
  options: CallsOptionsWithRecordings,
) {
  const { agents, models, webhooks, recordings } = options
  const dependencies = {
    database: storage.database,
    clock: cluster.sharedClock,
    processClock: runtime.clock,
    jobs: cluster.jobs,
    agents,
    models,
    webhooks,
    computeCost: outbound.models.computeCost,
    computeSpeechCost: outbound.speech.computeCost,
    redaction: outbound.redaction,
    buildTranscript,
    buildRecordingRemoval: recordings.removal.buildRemovalStatement,
  }
  const service = createCallLifecycle(dependencies)
  return {
    service,
    // Created after the call records, which check who can read an analysis.
    createPostProcessing: ({ records }: Pick<Calls, 'records'>) =>
      createCallPostProcessing({
        ...dependencies,
        lifecycle: service,
        getCall: (actor, callId) => records.get(actor, callId, 'calls'),
      }),
  }
}

interface RecordsOptions extends CallsOptionsWithRecordings {
  readonly classifiers: SileroClassifiers
  readonly turnDetectors: SmartTurnDetectors | undefined
  readonly lifecycle: CallLifecycle
  readonly activeCalls: Parameters<typeof createCalls>[0]['activeCalls']
}

function connectRecords({ runtime, storage, cluster, outbound, access, address }: CallParts, options: RecordsOptions) {
  const { database } = storage
  const { sharedClock: clock, bus, nodes, leases } = cluster
  const { makeId, background, logError } = runtime
  const { agents, models, recordings, lifecycle, activeCalls, classifiers, turnDetectors, speech } = options
  return createCalls({
    database,
    clock,
    makeId,
    background,
    bus,
    nodes,
    leases,
    logError,
    agents,
    models,
    activeCalls,
    key: recordings.getKey,
    accessWatch: access.watch,
    baseUrl: address.getBaseUrl,
    reservations: createLeaseReservations({ database, clock }),
    releaseNodeSlots: (nodeId) => buildReleaseNodeStatement(database, nodeId),
    events: lifecycle,
    createRecordingLinkSigner: () => recordings.links.createSigner(),
    describeRecording: (callId) => recordings.service.describe(callId),
    finalizeRecording: (callId) => recordings.service.finalize(callId),
    warmUp: (workspaceId, agent) =>
      background.run('warm up calls', async () => {
        turnDetectors?.warmUp()
        await warmUp(outbound, classifiers)
        const workspaceSpeech = await speech.forWorkspace(workspaceId)
        workspaceSpeech.warmUpTranscriber(getTranscriberRequest(agent))
      }),
  })
}

interface LiveOptions extends CallsOptionsWithRecordings {
  readonly classifiers: SileroClassifiers
  readonly turnDetectors: SmartTurnDetectors | undefined
  readonly pacer: CallPacer
  readonly calls: Calls
  readonly lifecycle: CallLifecycle
}

function connectLive({ runtime, storage, cluster }: CallParts, options: LiveOptions): LiveCalls {
  const { clock, random, background, logger, logError } = runtime
  const { agents, models, createDialogueDependencies, speech, findVoice, pacer, calls, recordings, lifecycle } = options
  return createLiveCalls({
    clock,
    random,
    background,
    logger,
    logError,
    leases: cluster.leases,
    agents,
    models,
    createDialogueDependencies,
    speech,
    findVoice,
    classifiers: () => options.classifiers.load(),
    turnDetectors: options.turnDetectors,
    pacer,
    recorders: createCallRecorders({
      queue: createSegmentQueue({ blobs: storage.blobs, clock, logError }),
      removeLateAudio: recordings.removal.removeLateAudio,
      logError,
    }),
    starter: calls.starter,
    callEnder: calls.callEnder,
    writer: calls.journals,
    isHeldByThisNode: calls.isHeldByThisNode,
    storeHandoff: lifecycle.storeHandoff,
  })
}

/** Loads voices, transcription and language rules before the first caller needs them. */
async function warmUp(
  { speech }: Pick<Foundation['outbound'], 'speech'>,
  classifiers: SileroClassifiers,
): Promise<void> {
  speech.warm()
  await classifiers.load()
  prepareSpeech('The 2nd of May, 3:30 pm: $3.50, 20 %.', { language: 'en-US', normalize: true, pronunciations: [] })
}
