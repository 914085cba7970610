import type { ChatMessage } from '@parley/contract/chat-message'
import type { Passage } from '@parley/contract/knowledge-passage'

/** A passage with the turn that it was found for. */
export type FoundInTurn = Passage & { readonly turnId: string }

/** The passages of one turn, the best first. */
export function passagesOfTurn(found: readonly FoundInTurn[], turnId: string | null): readonly Passage[] {
  return turnId === null ? [] : found.filter((passage) => passage.turnId === turnId)
}

/** What messages were written from, by their ids: the passages of a turn belong to the last thing that was said in it. */
export function passagesOfMessages(
  messages: readonly Pick<ChatMessage, 'message_id' | 'turn_id' | 'role' | 'content'>[],
  found: readonly FoundInTurn[],
): ReadonlyMap<string, readonly Passage[]> {
  const lastSaid = new Map<string, string>()
  for (const { message_id: id, turn_id: turnId, role, content } of messages) {
    if (turnId !== null && role === 'assistant' && content !== '') lastSaid.set(turnId, id)
  }
  const ofMessages = new Map<string, readonly Passage[]>()
  for (const [turnId, messageId] of lastSaid) {
    const passages = passagesOfTurn(found, turnId)
    if (passages.length > 0) ofMessages.set(messageId, passages)
  }
  return ofMessages
}

/** The places that passages are from, each once, the best first. */
export function sourcesOf(passages: readonly Passage[]): readonly Pick<Passage, 'sourceName' | 'page'>[] {
  const places = new Map(passages.map((passage) => [`${passage.sourceId} ${passage.page}`, passage]))
  return [...places.values()]
}
