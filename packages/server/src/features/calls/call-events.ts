import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { CallRow } from '../../tables/call-tables.ts'
import type { PostProcessingSettings } from '../agents/public.ts'
import type { CallUsage } from './records/call-stats.ts'

type CallEventSubject = Pick<
  CallRow,
  'call_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path' | 'storage'
>

/** Notifies about calls and sets their post-processing columns. Its statements are committed with the change. */
export interface CallEvents {
  /** The storage policy that a call starts with. */
  start(postProcessing: PostProcessingSettings, optOut: boolean): Pick<CallRow, 'storage'>
  /** Reduces what is stored of a call. Throws `invalid_request` for an increase. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** The caller joined. */
  started(call: CallEventSubject): Promise<readonly BatchStatement[]>
  /** Turns of these calls ended. */
  turnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * The call ended with this usage of models and speech, by product, model and unit. The statements run after the one
   * that ends the call and are idempotent.
   */
  ended(call: CallEventSubject, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** The call is deleted, together with its events and its recording. */
  removed(call: Pick<CallRow, 'call_id' | 'workspace_id'>): readonly BatchStatement[]
}

/** Notifies nobody. */
export const NO_CALL_EVENTS: CallEvents = {
  start: () => ({ storage: null }),
  tightenStorage: () => [],
  started: async () => [],
  turnsEnded: async () => [],
  ended: async () => [],
  removed: () => [],
}
