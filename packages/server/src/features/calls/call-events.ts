import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { CallRow } from '../../tables/call-tables.ts'
import type { PostProcessingSettings } from '../agents/public.ts'
import type { CallUsage } from './records/call-stats.ts'

type CallEventSubject = Pick<
  CallRow,
  'call_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path' | 'storage'
>

/**
 * Creates notifications about calls and sets the calls' post-processing columns. Its statements are committed with the change.
 */
export interface CallEvents {
  /** Returns the call's initial storage policy. */
  getInitialColumns(postProcessing: PostProcessingSettings, optOut: boolean): Pick<CallRow, 'storage'>
  /** Reduces the stored data of a call. Throws `invalid_request` if the setting would store more. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Creates the statements for a call that a caller joined. */
  onStarted(call: CallEventSubject): Promise<readonly BatchStatement[]>
  /** Creates the statements for calls with ended turns. */
  onTurnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * Creates the statements for an ended call and its usage of models and speech by product, model and unit. The statements run
   * after the statement that ends the call and are idempotent.
   */
  onEnded(call: CallEventSubject, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** Creates the statements for a deleted call, which is removed together with its events and recording. */
  onRemoved(call: Pick<CallRow, 'call_id' | 'workspace_id'>): readonly BatchStatement[]
}

/** Call events that notify nobody. */
export const NO_CALL_EVENTS: CallEvents = {
  getInitialColumns: () => ({ storage: null }),
  tightenStorage: () => [],
  onStarted: async () => [],
  onTurnsEnded: async () => [],
  onEnded: async () => [],
  onRemoved: () => [],
}
