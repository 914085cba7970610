import type { ChatRow } from '../../../kernel/tables/chat-tables.ts'

/** A chat whose time has come. */
export interface DueChat extends ChatRow {
  /** A turn stands in line for it. */
  readonly isWaitedFor: boolean
}

/** What is done about it; `look-at` comes back to it later, or never. */
export type DueDecision =
  | { readonly type: 'close' }
  | { readonly type: 'settle' }
  | { readonly type: 'delete' }
  | { readonly type: 'look-at'; readonly at: number | null }

/** Before a turn that runs has ended nothing is known of silence. */
const TURN_MS = 60_000

/**
 * The time at which a chat is looked at is not moved with every message: it is found here that somebody wrote since, so that
 * turns need not write to its index.
 */
export function decideDue(chat: DueChat, now: number): DueDecision {
  const { status, close_after_ms, updated_at, stored_as, delete_at } = chat
  if (status !== 'ongoing') {
    if (stored_as === null) return { type: 'settle' }
    return delete_at !== null && delete_at <= now ? { type: 'delete' } : { type: 'look-at', at: delete_at }
  }
  if (close_after_ms === null) return { type: 'look-at', at: null }
  const silentAt = updated_at + close_after_ms
  if (silentAt > now) return { type: 'look-at', at: silentAt }
  const isBusy = chat.active_turn_id !== null || chat.isWaitedFor
  return isBusy ? { type: 'look-at', at: now + TURN_MS } : { type: 'close' }
}
