import type { ChatRow, MessageRow } from '../../../tables/chat-tables.ts'

/** Chats whose last turn is remembered; a chat that rests longer is read again. */
const MAX_CHATS = 500
/** Of all remembered messages together: about 64 MB. */
const MAX_CHARACTERS = 32 * 1024 * 1024

/** What tells one content of a chat from all others that it ever had. */
export interface HistoryVersion {
  readonly turnCount: number
  readonly messageCount: number
  readonly rewindCount: number
}

interface History extends HistoryVersion {
  readonly rows: readonly MessageRow[]
  readonly characters: number
}

/**
 * The messages of chats that were just talked to, so that a conversation under way is not read again at each turn. What is
 * remembered counts only for the very chat row it was left with: any other turn, on whatever node, changes the counts.
 */
export class RecentHistories {
  readonly #histories = new Map<string, History>()
  #characters = 0

  /** The messages of a chat, oldest first; `null` when they must be read. */
  find(chat: Pick<ChatRow, 'chat_id' | 'turn_count' | 'message_count' | 'rewind_count'>): readonly MessageRow[] | null {
    const known = this.#histories.get(chat.chat_id)
    if (known?.turnCount !== chat.turn_count || known.messageCount !== chat.message_count) return null
    return known.rewindCount === chat.rewind_count ? known.rows : null
  }

  /** Remembers a chat as its turn left it. */
  put(chatId: string, historyVersion: HistoryVersion, rows: readonly MessageRow[]): void {
    this.evict(chatId)
    let characters = 0
    for (const row of rows) characters += row.content.length + row.tool_calls.length
    this.#histories.set(chatId, { ...historyVersion, rows, characters })
    this.#characters += characters
    // A Map keeps the order of insertion: the first one rests longest.
    for (const oldest of this.#histories.keys()) {
      if (this.#histories.size <= MAX_CHATS && this.#characters <= MAX_CHARACTERS) break
      this.evict(oldest)
    }
  }

  evict(chatId: string): void {
    this.#characters -= this.#histories.get(chatId)?.characters ?? 0
    this.#histories.delete(chatId)
  }
}
