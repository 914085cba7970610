import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { CallRow } from '../../tables/call-tables.ts'
import type { PostProcessingSettings } from '../agents/public.ts'
import type { CallUsage } from './records/call-stats.ts'

/** A call as those who hear of it need it. */
export type CallEventSubject = Pick<
  CallRow,
  'call_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path' | 'storage'
>

/** Who is told what happens to calls, and what calls carry for it. Statements are committed with what they tell of. */
export interface CallEvents {
  /** The storage policy that a call carries from its beginning. */
  start(postProcessing: PostProcessingSettings, optOut: boolean): Pick<CallRow, 'storage'>
  /** Lets less of a call be stored. Throws `invalid_request` where it would be more. */
  tightenStorage(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Its caller has come. */
  started(call: CallEventSubject): Promise<readonly BatchStatement[]>
  /** Turns of these calls are over. */
  turnsEnded(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * The call is over and used this of models and of speech, by product, model and unit. These run behind the statement that
   * ends it, and more than once does no harm.
   */
  ended(call: CallEventSubject, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** The call is deleted, and with it what was told of it and its recording. */
  removed(call: Pick<CallRow, 'call_id' | 'workspace_id'>): readonly BatchStatement[]
}

/** Nobody is told, and nothing comes after calls. */
export const NO_CALL_EVENTS: CallEvents = {
  start: () => ({ storage: null }),
  tightenStorage: () => [],
  started: async () => [],
  turnsEnded: async () => [],
  ended: async () => [],
  removed: () => [],
}
