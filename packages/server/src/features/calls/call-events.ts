import type { DataStorageSetting } from '@parley/contract/after-conversation'
import type { BatchStatement } from '../../kernel/storage/database.ts'
import type { CallRow } from '../../tables/call-tables.ts'
import type { AfterConversation } from '../agents/public.ts'
import type { CallUsage } from './records/call-figures.ts'

/** A call as those who hear of it need it. */
export type ToldCall = Pick<
  CallRow,
  'call_id' | 'workspace_id' | 'agent_id' | 'agent_version' | 'engine_id' | 'engine_version' | 'agent_path' | 'storage'
>

/** Who is told what happens to calls, and what calls carry for it. Statements are committed with what they tell of. */
export interface CallEvents {
  /** The storage policy that a call carries from its beginning. */
  begin(afterwards: AfterConversation, optOut: boolean): Pick<CallRow, 'storage'>
  /** Lets less of a call be stored. Throws `invalid_request` where it would be more. */
  tighten(
    call: Pick<CallRow, 'call_id' | 'workspace_id' | 'status' | 'storage' | 'stored_as'>,
    setting: DataStorageSetting,
  ): readonly BatchStatement[]
  /** Its caller has come. */
  started(call: ToldCall): Promise<readonly BatchStatement[]>
  /** Turns of these calls are over. */
  said(callIds: readonly string[]): Promise<readonly BatchStatement[]>
  /**
   * The call is over and used this of models and of speech, by product, model and unit. These run behind the statement that
   * ends it, and more than once does no harm.
   */
  ended(call: ToldCall, usage: readonly CallUsage[]): Promise<readonly BatchStatement[]>
  /** The call is deleted, and with it what was told of it and its recording. */
  removed(call: Pick<CallRow, 'call_id' | 'workspace_id'>): readonly BatchStatement[]
}

/** Nobody is told, and nothing comes after calls. */
export const SILENT_CALL_EVENTS: CallEvents = {
  begin: () => ({ storage: null }),
  tighten: () => [],
  started: async () => [],
  said: async () => [],
  ended: async () => [],
  removed: () => [],
}
