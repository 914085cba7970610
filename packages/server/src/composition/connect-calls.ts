import { prepareSpeech } from '@parley/engine/voice/speaking/prepare-speech'
import type { AgentUse } from '../features/agents/public.ts'
import {
  type Calls,
  createCalls,
  createLiveCalls,
  type FindVoice,
  type LiveCalls,
  transcriptOf,
} from '../features/calls/public.ts'
import { createLeaseReservations, releaseNodeLeases } from '../features/concurrency/public.ts'
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
import type { SpeechVendors } from '../integrations/speech/speech-vendors.ts'
import type { Api } from '../kernel/api/implement.ts'
import { createInstallationKey } from '../kernel/security/installation-key.ts'
import type { JobHandlers, JobSchedule } from '../kernel/work/jobs.ts'
import { type CallPacer, createCallPacer } from '../media/call-pacer.ts'
import { loadVoiceClassifiers } from '../media/voice-classifier.ts'
import { reduceGcFrequency } from '../platform/heap.ts'
import type { DialogueFor } from './connect-dialogue.ts'
import type { Foundation } from './foundation.ts'

export interface CallsOptions {
  readonly agents: AgentUse
  readonly models: WorkspaceModels
  readonly dialogueFor: DialogueFor
  readonly speech: SpeechVendors
  readonly findVoice: FindVoice
  readonly webhooks: WebhookEvents
}

/** Calls: their records, those that live on this node, and their recordings. */
export interface ConnectedCalls extends Pick<Calls, 'admissions'> {
  readonly live: LiveCalls
  /** Paces those that live here. */
  readonly pacer: CallPacer
  readonly recordingRemoval: Pick<RecordingRemoval, 'removeAllInWorkspace'>
  readonly handlers: JobHandlers
  readonly schedules: readonly JobSchedule[]
  /** A call as webhooks tell of it; null when it is gone. */
  readonly tellCall: ReturnType<typeof createWebhookCallReader>
  /** Ends what processes that died held. This one's own calls are left alone, so that callers may come meanwhile. */
  recover(): Promise<void>
  register(api: Api): void
  /** Sends away those who follow calls: they go on at another node. */
  closeStreams(): void
  /**
   * Writes what waits, at most this long; ends of calls that wait for the database are tried once more, in the background. To be
   * called when no call is held any more.
   */
  stop(deadlineMs: number): Promise<void>
}

export type CallParts = Pick<Foundation, 'runtime' | 'storage' | 'cluster' | 'outbound' | 'access' | 'address'>

export function connectCalls(parts: CallParts, options: CallsOptions): ConnectedCalls {
  const { database } = parts.storage
  const { redaction } = parts.outbound
  const recordings = connectRecordings(parts)
  const lifecycle = connectPostProcessing(parts, { ...options, recordings })
  const calls = connectRecords(parts, {
    ...options,
    recordings,
    lifecycle: lifecycle.service,
    // Made below, from what is made here: it is looked up when a call is told something.
    activeCalls: { command: (callId, command) => live.command(callId, command) },
  })
  const callPostProcessing = lifecycle.callPostProcessing(calls)
  const pacer = createCallPacer({
    clock: parts.runtime.clock,
    logError: (error) => parts.runtime.logError('pace a call', error),
    onFirstCall: reduceGcFrequency,
  })
  const live = connectLive(parts, { ...options, pacer, calls, recordings, lifecycle: lifecycle.service })
  return {
    handlers: { ...calls.handlers, ...recordings.removal.handlers, ...callPostProcessing.handlers },
    schedules: [...calls.schedules, ...callPostProcessing.schedules],
    tellCall: createWebhookCallReader({ database, redaction, transcriptOf, readCall: calls.records.describe }),
    admissions: calls.admissions,
    live,
    pacer,
    recordingRemoval: recordings.removal,
    recover: () => calls.lost.endAllLost(),
    register(api) {
      calls.register(api)
      registerRecordingRoutes(api, recordings.service)
      registerCallAnalysisRoutes(api, callPostProcessing.analysisService)
    },
    closeStreams: () => calls.closeStreams(),
    async stop(deadlineMs) {
      await calls.journals.stop(deadlineMs)
      live.giveUp()
    },
  }
}

interface Recordings {
  readonly key: () => Promise<Uint8Array>
  readonly links: ReturnType<typeof createRecordingLinks>
  readonly service: RecordingService
  readonly removal: RecordingRemoval
}

function connectRecordings({ runtime, storage, cluster, address }: CallParts): Recordings {
  const { database, secrets, blobs } = storage
  const { jobs, sharedClock: clock } = cluster
  const key = createInstallationKey({ database, secrets, randomBytes: runtime.randomBytes })
  const links = createRecordingLinks({ key, clock, baseUrl: address.baseUrl })
  const service = createRecordingService({ database, blobs, links, clock })
  return { key, links, service, removal: createRecordingRemoval({ database, clock, jobs, recordings: service }) }
}

interface WithRecordings extends CallsOptions {
  readonly recordings: Recordings
}

/** What becomes of calls that are over. */
function connectPostProcessing({ runtime, storage, cluster, outbound }: CallParts, options: WithRecordings) {
  const { agents, models, webhooks, recordings } = options
  const shared = {
    database: storage.database,
    clock: cluster.sharedClock,
    processClock: runtime.clock,
    jobs: cluster.jobs,
    agents,
    models,
    webhooks,
    costOf: outbound.models.costOf,
    speechCostOf: outbound.speech.costOf,
    redaction: outbound.redaction,
    transcriptOf,
    deleteRecording: recordings.removal.remove,
  }
  const service = createCallLifecycle(shared)
  return {
    service,
    // Who may have a call analysed is told of it.
    callPostProcessing: ({ records }: Pick<Calls, 'records'>) =>
      createCallPostProcessing({
        ...shared,
        lifecycle: service,
        readCallFor: (actor, callId) => records.get(actor, callId, 'calls'),
      }),
  }
}

interface RecordsOptions extends WithRecordings {
  readonly lifecycle: CallLifecycle
  readonly activeCalls: Parameters<typeof createCalls>[0]['activeCalls']
}

function connectRecords({ runtime, storage, cluster, outbound, access, address }: CallParts, options: RecordsOptions) {
  const { database } = storage
  const { sharedClock: clock, bus, nodes, leases } = cluster
  const { makeId, background, logError } = runtime
  const { agents, models, recordings, lifecycle, activeCalls } = options
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
    key: recordings.key,
    accessWatch: access.watch,
    baseUrl: address.baseUrl,
    reservations: createLeaseReservations({ database, clock }),
    releaseSlotsOf: (nodeId) => releaseNodeLeases(database, nodeId),
    events: lifecycle,
    recordingLinks: () => recordings.links.signer(),
    describeRecording: (callId) => recordings.service.describe(callId),
    finalizeRecording: (callId) => recordings.service.settle(callId),
    warmUp: () => background.run('load what calls need', () => warmUp(outbound)),
  })
}

interface LiveOptions extends WithRecordings {
  readonly pacer: CallPacer
  readonly calls: Calls
  readonly lifecycle: CallLifecycle
}

function connectLive({ runtime, storage, cluster }: CallParts, options: LiveOptions): LiveCalls {
  const { clock, random, background, logger, logError } = runtime
  const { agents, models, dialogueFor, speech, findVoice, pacer, calls, recordings, lifecycle } = options
  return createLiveCalls({
    clock,
    random,
    background,
    logger,
    logError,
    leases: cluster.leases,
    agents,
    models,
    dialogueFor,
    speech,
    findVoice,
    classifiers: loadVoiceClassifiers,
    pacer: pacer,
    recorders: createCallRecorders({
      queue: createSegmentQueue({ blobs: storage.blobs, clock, logError }),
      removeUnretained: recordings.removal.removeUnretained,
      logError,
    }),
    starter: calls.starter,
    callEnder: calls.callEnder,
    writer: calls.journals,
    isOurs: calls.isOurs,
    handOver: lifecycle.handOver,
  })
}

/** Voice, ears and language rules take a while when they are first used: a caller must not wait for them. */
async function warmUp({ speech }: Pick<Foundation['outbound'], 'speech'>): Promise<void> {
  speech.warm()
  await loadVoiceClassifiers()
  prepareSpeech('The 2nd of May, 3:30 pm: $3.50, 20 %.', { language: 'en-US', normalize: true, pronunciations: [] })
}
