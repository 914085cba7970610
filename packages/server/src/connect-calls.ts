import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { ResolveModel } from '@parley/engine/ports'
import { prepareSpeech } from '@parley/engine/voice/speaking/prepare-speech'
import { type Calls, createCalls } from './features/calls/calls.ts'
import { createLiveCalls, type LiveCalls } from './features/calls/live/live-calls.ts'
import type { FindVoice } from './features/calls/live/live-ports.ts'
import { transcriptOf } from './features/calls/records/call-figures.ts'
import { createLeaseReservations } from './features/concurrency/lease-reservations.ts'
import { dropLeasesOf } from './features/concurrency/lease-store.ts'
import { createAfterCalls } from './features/endings/calls/after-calls.ts'
import { registerCallAnalysisRoutes } from './features/endings/calls/call-analysis-routes.ts'
import { createCallEndings } from './features/endings/calls/call-endings.ts'
import { createCallTelling } from './features/endings/calls/tell-call.ts'
import { createCallTapes } from './features/recordings/call-tapes.ts'
import { createRecordingLinks } from './features/recordings/recording-links.ts'
import { createRecordingRemoval, type RecordingRemoval } from './features/recordings/recording-removal.ts'
import { registerRecordingRoutes } from './features/recordings/recording-routes.ts'
import { createRecordingService, type RecordingService } from './features/recordings/recording-service.ts'
import { createSegmentQueue } from './features/recordings/segment-queue.ts'
import type { Foundation } from './foundation.ts'
import type { Api } from './kernel/implement.ts'
import { createInstallationKey } from './kernel/installation-key.ts'
import type { AgentUse } from './kernel/pinned-agent.ts'
import type { WebhookEvents } from './kernel/webhook-events.ts'
import type { WorkspaceModels } from './providers/models/workspace-models.ts'
import type { SpeechProviders } from './providers/speech/speech-providers.ts'

export interface CallsOptions {
  readonly agents: AgentUse
  readonly models: WorkspaceModels
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly speech: SpeechProviders
  readonly findVoice: FindVoice
  readonly webhooks: WebhookEvents
}

/** Calls: their records, those that live on this node, and their recordings. */
export interface ConnectedCalls extends Pick<Calls, 'handlers' | 'schedules' | 'admissions'> {
  readonly live: LiveCalls
  readonly recordings: RecordingService
  readonly recordingRemoval: Pick<RecordingRemoval, 'removeAllOf'>
  /** A call as webhooks tell of it; null when it is gone. */
  readonly tellCall: ReturnType<typeof createCallTelling>
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

/** Creates the services around calls and gives each the part of the others that it needs. */
export function connectCalls(foundation: Foundation, options: CallsOptions): ConnectedCalls {
  const { database, sharedClock, leases, redaction } = foundation
  const key = createInstallationKey(foundation)
  const { recordings, ofCalls, removal, tapes } = connectRecordings(foundation, key)
  const afterwards = {
    ...foundation,
    ...options,
    clock: sharedClock,
    processClock: foundation.clock,
    transcriptOf,
    forgetRecording: removal.remove,
  }
  const endings = createCallEndings(afterwards)
  const calls = createCalls({
    ...foundation,
    ...options,
    clock: sharedClock,
    key,
    reservations: createLeaseReservations({ database, clock: sharedClock }),
    freeSlotsOf: (nodeId) => dropLeasesOf(database, nodeId),
    events: endings,
    ...ofCalls,
    warmUp: () => foundation.background.run('load what calls need', () => warmUp(foundation)),
    // Made below, from what is made here: it is looked up when a call is told something.
    held: { command: (callId, command) => live.command(callId, command) },
  })
  const afterCalls = createAfterCalls({
    ...afterwards,
    endings,
    // Who may have a call analysed is told of it.
    readCallFor: (actor, callId) => calls.records.get(actor, callId, 'calls'),
  })
  const live = createLiveCalls({
    ...foundation,
    ...options,
    leases,
    classifiers: foundation.voiceClassifiers,
    pacing: foundation.wheel,
    tapes,
    starter: calls.starter,
    ender: calls.ender,
    writer: calls.journals,
    isOurs: calls.isOurs,
    handOver: endings.handOver,
  })
  return {
    handlers: { ...calls.handlers, ...removal.handlers, ...afterCalls.handlers },
    schedules: [...calls.schedules, ...afterCalls.schedules],
    tellCall: createCallTelling({ database, redaction, transcriptOf, readCall: calls.records.describe }),
    admissions: calls.admissions,
    live,
    recordings,
    recordingRemoval: removal,
    recover: () => calls.lost.endAllLost(),
    register(api) {
      calls.register(api)
      registerRecordingRoutes(api, recordings)
      registerCallAnalysisRoutes(api, afterCalls.analyses)
    },
    closeStreams: () => calls.closeStreams(),
    async stop(deadlineMs) {
      await calls.journals.stop(deadlineMs)
      live.giveUp()
    },
  }
}

function connectRecordings(foundation: Foundation, key: () => Promise<Uint8Array>) {
  const { database, sharedClock: clock, blobs, logError, baseUrl, jobs } = foundation
  const links = createRecordingLinks({ key, clock, baseUrl })
  const recordings = createRecordingService({ database, blobs, links, clock })
  const removal = createRecordingRemoval({ database, clock, jobs, recordings })
  const queue = createSegmentQueue({ blobs, clock: foundation.clock, logError })
  const tapes = createCallTapes({ queue, removeUnkept: removal.removeUnkept, logError })
  const ofCalls = {
    recordingLinks: () => links.signer(),
    describeRecording: recordings.describe,
    settleRecording: recordings.settle,
  }
  return { recordings, ofCalls, removal, tapes }
}

/** Voice, ears and language rules take a while when they are first used: a caller must not wait for them. */
async function warmUp({ warmSpeech, voiceClassifiers }: Foundation): Promise<void> {
  warmSpeech()
  await voiceClassifiers()
  prepareSpeech('The 2nd of May, 3:30 pm: $3.50, 20 %.', { language: 'en-US', normalise: true, pronunciations: [] })
}
