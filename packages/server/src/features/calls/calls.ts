import type { MakeId } from '@parley/engine/ports'
import type { AccessWatch } from '../../kernel/access/actor-context.ts'
import type { Api } from '../../kernel/api/implement.ts'
import type { BatchStatement, Database } from '../../kernel/storage/database.ts'
import type { Background } from '../../kernel/work/background.ts'
import type { Bus } from '../../kernel/work/bus.ts'
import type { JobHandler, JobSchedule } from '../../kernel/work/jobs.ts'
import type { LeaseReservations, Leases, Nodes } from '../../kernel/work/nodes.ts'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'
import type { AgentResolver, PinnedAgent, UsableModels } from '../agents/public.ts'
import type { CallEvents } from './call-events.ts'
import { registerCallRoutes, registerLiveCallRoutes } from './call-routes.ts'
import { type CallService, createCallService } from './call-service.ts'
import { createLiveCallControl } from './control/call-control.ts'
import { createControlService } from './control/control-service.ts'
import { createCallerAdmission, createListenerAdmission } from './creating/call-admission.ts'
import { type CallRecords, createCallRecords } from './creating/call-records.ts'
import { createCallJoinLinks, createCallTokens } from './creating/call-tokens.ts'
import { createWebCallService } from './creating/web-call-service.ts'
import type { ActiveCalls, CallerAdmission, ListenerAdmission, LiveCallControl } from './live-calls.ts'
import { createCallFollowers } from './records/call-follower.ts'
import { CallSignals } from './records/call-signals.ts'
import { CallEventWriter } from './records/event-writer.ts'
import { createRecordService } from './records/record-service.ts'
import { type CallEnder, createCallEnder } from './states/call-ender.ts'
import { type CallStarter, createCallStarter } from './states/call-starter.ts'
import { createLostCallRecovery, type LostCallRecovery } from './states/lost-call-recovery.ts'
import { isHeldByNode } from './states/state-store.ts'

export interface CallsDependencies {
  readonly database: Database
  readonly clock: SharedClock
  readonly makeId: MakeId
  readonly background: Pick<Background, 'run'>
  /** Returns the installation key, which all nodes use for signing. */
  readonly key: () => Promise<Uint8Array>
  readonly accessWatch: AccessWatch
  readonly bus: Bus
  readonly nodes: Nodes
  readonly logError: (name: string, error: unknown) => void
  /** Public base URL of this server, without a trailing slash. */
  readonly baseUrl: () => string
  readonly agents: AgentResolver
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly leases: Pick<Leases, 'acquire' | 'release'>
  readonly reservations: LeaseReservations
  /** Completes a recording that is no longer being written and returns its length, or null if there is no recording. */
  readonly finalizeRecording: (callId: string) => Promise<{ readonly durationMs: number } | null>
  /** Builds the statement that releases all of a node's slots. */
  readonly releaseNodeSlots: (nodeId: string) => BatchStatement
  readonly events: CallEvents
  readonly createRecordingLinkSigner: () => Promise<(callId: string) => string>
  /** Returns the layout of a call's recording, or null if there is no recording. */
  readonly describeRecording: (callId: string) => Promise<object | null>
  /** Preloads the data for the first call. Returns immediately. */
  readonly warmUp: (workspaceId: number, agent: PinnedAgent) => void
  /** The calls on this node. */
  readonly activeCalls: ActiveCalls
}

/** Manages calls from creation to end, except for their live media. */
export interface Calls {
  /** Admits callers and listeners by token. */
  readonly admissions: { readonly callers: CallerAdmission; readonly listeners: ListenerAdmission }
  /** Creates the records of calls of every type. */
  readonly callRecords: CallRecords
  /** Starts live calls on this node. */
  readonly starter: CallStarter
  readonly journals: CallEventWriter
  readonly callEnder: CallEnder
  readonly lostCallRecovery: LostCallRecovery
  /** Provides complete calls for webhooks. */
  readonly records: Pick<CallService, 'get' | 'describe'>
  /** Whether this node still holds the call. Another node may have declared the call lost. */
  isHeldByThisNode(callId: string): Promise<boolean>
  readonly control: LiveCallControl
  readonly handlers: Readonly<Record<string, JobHandler>>
  readonly schedules: readonly JobSchedule[]
  register(api: Api): void
  /** Closes all event streams. */
  closeStreams(): void
}

const SWEEP_JOB = 'sweep-calls'

export function createCalls(dependencies: CallsDependencies): Calls {
  const { database, nodes } = dependencies
  const signals = new CallSignals({ ...dependencies, nodeId: nodes.nodeId })
  const onWritten = (callIds: ReadonlySet<string>): void => signals.announceWritten(callIds)
  const loadTokens = async () => createCallTokens(await dependencies.key())
  const joinLinks = createCallJoinLinks({ ...dependencies, loadTokens })
  const callEnder = createCallEnder({ ...dependencies, onWritten })
  const lostCallRecovery = createLostCallRecovery({ ...dependencies, callEnder })
  const control = createLiveCallControl(dependencies)
  const followers = createCallFollowers({ ...dependencies, signals })
  const service = createCallService({ ...dependencies, joinLinks, callEnder })
  const callRecords = createCallRecords(dependencies)
  nodes.onNodeCrash((nodeId) => lostCallRecovery.endLostCalls(nodeId))

  return {
    admissions: {
      callers: createCallerAdmission({ ...dependencies, loadTokens, callEnder }),
      listeners: createListenerAdmission({ ...dependencies, loadTokens }),
    },
    callRecords,
    starter: createCallStarter(dependencies),
    journals: new CallEventWriter({ ...dependencies, onTurnsEnded: dependencies.events.onTurnsEnded, onWritten }),
    callEnder,
    lostCallRecovery,
    records: service,
    isHeldByThisNode: (callId) => isHeldByNode(database.read, callId, nodes.nodeId),
    control,
    handlers: {
      [SWEEP_JOB]: {
        async run(_job, signal) {
          await lostCallRecovery.expireOverdue(signal)
          await lostCallRecovery.endAllLostCalls()
        },
      },
    },
    schedules: [{ name: SWEEP_JOB, pattern: '* * * * *', kind: SWEEP_JOB, payload: {} }],
    register(api) {
      registerCallRoutes(api, service)
      registerLiveCallRoutes(api, {
        webCalls: createWebCallService({ ...dependencies, callRecords, loadTokens, joinLinks }),
        controls: createControlService({ ...dependencies, loadTokens, joinLinks, callEnder, control }),
        records: createRecordService({ database, followers }),
      })
    },
    closeStreams: () => followers.closeAll(),
  }
}
