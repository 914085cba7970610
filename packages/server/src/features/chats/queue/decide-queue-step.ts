import type { WaitingTurnRow } from '../../../tables/chat-tables.ts'

/** Which turn of a chat may start next, over all nodes. Pure decisions. */

/** The turns of a chat as the database has them. */
export interface ChatQueue {
  /** The turn that holds the chat; `isRunning` is false when it was left behind. */
  readonly active: { readonly turnId: string; readonly isRunning: boolean; readonly nodeId: string | null } | null
  readonly waiting: readonly Pick<WaitingTurnRow, 'turn_id' | 'place' | 'node_id'>[]
}

/** What is known about nodes and turns. */
export interface QueueContext {
  readonly turnId: string
  readonly nodeId: string
  /** Nodes that are dead for certain. */
  readonly dead: ReadonlySet<string>
  /** Whether this node still waits with or runs a turn. */
  readonly isLocal: (turnId: string) => boolean
}

export type QueueStep =
  | { readonly type: 'start' }
  | { readonly type: 'wait' }
  /** The turn that holds the chat has ended, or its node gave it up: the chat is free. */
  | { readonly type: 'free'; readonly turnId: string }
  /** The node of the running turn died. */
  | { readonly type: 'adopt'; readonly turnId: string; readonly nodeId: string | null }
  /** Their nodes are dead or gave them up. */
  | { readonly type: 'remove'; readonly turnIds: readonly string[] }

/** What a waiting turn does next. */
export function decideQueueStep({ active, waiting }: ChatQueue, known: QueueContext): QueueStep {
  if (active !== null) {
    const { turnId, isRunning, nodeId } = active
    if (!isRunning || (nodeId === known.nodeId && !known.isLocal(turnId))) return { type: 'free', turnId }
    if (nodeId === null || known.dead.has(nodeId)) return { type: 'adopt', turnId, nodeId }
    return { type: 'wait' }
  }
  const own = waiting.find(({ turn_id }) => turn_id === known.turnId)
  const before = waiting.filter(({ turn_id, place }) => turn_id !== known.turnId && place < (own?.place ?? Infinity))
  const stale = before.filter(({ turn_id, node_id }) =>
    node_id === known.nodeId ? !known.isLocal(turn_id) : known.dead.has(node_id),
  )
  if (stale.length > 0) return { type: 'remove', turnIds: stale.map(({ turn_id }) => turn_id) }
  return before.length > 0 ? { type: 'wait' } : { type: 'start' }
}
