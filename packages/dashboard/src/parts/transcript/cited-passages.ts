import type { ChatMessage } from '@parley/contract/chat-message'
import type { Passage } from '@parley/contract/knowledge-passage'

/** A passage with the turn that retrieved it. */
export type TurnPassage = Passage & { readonly turnId: string }

/** Lists the passages of one turn, best first. */
export function listTurnPassages(allPassages: readonly TurnPassage[], turnId: string | null): readonly Passage[] {
  return turnId === null ? [] : allPassages.filter((passage) => passage.turnId === turnId)
}

/** Groups passages by message ID. A turn's passages belong to its last spoken message. */
export function groupPassagesByMessage(
  messages: readonly Pick<ChatMessage, 'message_id' | 'turn_id' | 'role' | 'content'>[],
  allPassages: readonly TurnPassage[],
): ReadonlyMap<string, readonly Passage[]> {
  const lastMessageByTurn = new Map<string, string>()
  for (const { message_id: id, turn_id: turnId, role, content } of messages) {
    if (turnId !== null && role === 'assistant' && content !== '') lastMessageByTurn.set(turnId, id)
  }
  const entries = [...lastMessageByTurn].map(([turnId, id]) => [id, listTurnPassages(allPassages, turnId)] as const)
  return new Map(entries.filter(([, passages]) => passages.length > 0))
}

/** Lists the sources of passages without duplicates, best first. */
export function listSources(passages: readonly Passage[]): readonly Pick<Passage, 'sourceName' | 'page'>[] {
  return [...new Map(passages.map((passage) => [`${passage.sourceId} ${passage.page}`, passage])).values()]
}
