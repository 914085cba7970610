import type { ChatMessage } from '@parley/contract/chat-message'
import type { Passage } from '@parley/contract/knowledge-passage'

/** A passage with the turn that it was retrieved for. */
export type TurnPassage = Passage & { readonly turnId: string }

/** The passages of one turn, the best first. */
export function passagesOfTurn(found: readonly TurnPassage[], turnId: string | null): readonly Passage[] {
  return turnId === null ? [] : found.filter((passage) => passage.turnId === turnId)
}

/** Passages by message ID: the passages of a turn belong to its last spoken message. */
export function passagesOfMessages(
  messages: readonly Pick<ChatMessage, 'message_id' | 'turn_id' | 'role' | 'content'>[],
  found: readonly TurnPassage[],
): ReadonlyMap<string, readonly Passage[]> {
  const lastSpoken = new Map<string, string>()
  for (const { message_id: id, turn_id: turnId, role, content } of messages) {
    if (turnId !== null && role === 'assistant' && content !== '') lastSpoken.set(turnId, id)
  }
  const entries = [...lastSpoken].map(([turnId, id]) => [id, passagesOfTurn(found, turnId)] as const)
  return new Map(entries.filter(([, passages]) => passages.length > 0))
}

/** The sources of passages, each page once, the best first. */
export function sourcesOf(passages: readonly Passage[]): readonly Pick<Passage, 'sourceName' | 'page'>[] {
  return [...new Map(passages.map((passage) => [`${passage.sourceId} ${passage.page}`, passage])).values()]
}
