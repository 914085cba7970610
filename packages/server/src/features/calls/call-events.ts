import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { CallRow } from '../../tables/call-tables.ts'
import type { PostProcessingSettings } from '../agents/public.ts'
import type { CallUsage } from './records/call-stats.ts'

type CallEventSubject = Pick<
  CallRow,
  'call_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path' | 'storage'
>

/** Builds the statements that publish call events and schedule post-processing. Commit them together with the change. */
export interface CallEvents {
  /** Returns the call's initial storage policy. */
  getInitialColumns(postProcessing: PostProcessingSettings, optOut: boolean): Pick<CallRow, 'storage'>
  /** Reduces the stored data of a call. Throws `invalid_request` if the setting would store more. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Builds the statements for a call after its caller has joined. */
  onStarted(call: CallEventSubject): Promise<readonly BatchStatement[]>
  /** Builds the statements for calls with newly ended turns. */
  onTurnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * Builds the statements for an ended call. `usage` has one entry for each product, model and unit. Commit them after
   * the statement that ends the call. They are idempotent.
   */
  onEnded(call: CallEventSubject, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** Builds the statements that delete a call's events and recording. */
  onRemoved(call: Pick<CallRow, 'call_id' | 'workspace_id'>): readonly BatchStatement[]
}

/** Implementation that publishes no events. */
export const NO_CALL_EVENTS: CallEvents = {
  getInitialColumns: () => ({ storage: null }),
  tightenStorage: () => [],
  onStarted: async () => [],
  onTurnsEnded: async () => [],
  onEnded: async () => [],
  onRemoved: () => [],
}
