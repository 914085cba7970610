import type { FlowPlace, FlowPosition, TransitionType } from '../conversation.ts'
import { placeKey } from './flow-graph.ts'

/** Maximum number of origins; older ones are dropped. */
const MAX_ORIGINS = 20

/**
 * The position after entering a place. `messages` is the current number of messages, so that the node's own messages can be
 * identified after a crash.
 */
export function enterPlace(
  from: FlowPosition | null,
  { nodeId, path }: FlowPlace,
  how: { readonly arrival: TransitionType; readonly messages: number },
): FlowPosition {
  const key = placeKey({ nodeId, path })
  const transitions = (from?.transitions ?? 0) + 1
  const visits = { ...from?.visits, [key]: visitCount(from, { nodeId, path }) + 1 }
  const isGlobal = how.arrival === 'global'
  const globalEntries = isGlobal ? { ...from?.globalEntries, [key]: transitions } : (from?.globalEntries ?? {})
  const origins = nextOrigins(from, path, how.arrival)
  return { nodeId, path, phase: 'entering', origins, visits, transitions, globalEntries, messagesBefore: how.messages }
}

function nextOrigins(
  from: FlowPosition | null,
  path: readonly string[],
  arrival: TransitionType,
): readonly FlowPlace[] {
  if (from === null) return []
  switch (arrival) {
    case 'global':
      return [...from.origins, { nodeId: from.nodeId, path: from.path }].slice(-MAX_ORIGINS)
    case 'global_go_back':
      return from.origins.slice(0, -1)
    case 'normal':
      // Entering a component does not leave its node.
      return isAtGlobalNode(from) && path.length <= from.path.length ? [] : from.origins
  }
}

/** The position after the node has finished its work. */
export function markListening(position: FlowPosition): FlowPosition {
  return position.phase === 'listening' ? position : { ...position, phase: 'listening' }
}

/** How often a place was entered. */
export function visitCount(position: FlowPosition | null, place: FlowPlace): number {
  return position === null ? 0 : (getOwnValue(position.visits, placeKey(place)) ?? 0)
}

/** Whether the current node was entered as a global node, so that the flow can go back. */
export function isAtGlobalNode(position: FlowPosition): boolean {
  return position.origins.length > 0 && getOwnValue(position.globalEntries, placeKey(position)) !== undefined
}

/** Whether a global node may be entered again: its cool-down counts the transitions after the one that left it. */
export function hasCooledDown(position: FlowPosition, place: FlowPlace, coolDown: number | undefined): boolean {
  const enteredAt = getOwnValue(position.globalEntries, placeKey(place))
  return coolDown === undefined || enteredAt === undefined || position.transitions - enteredAt > coolDown
}

/** Customers choose ids, which may equal a property that every object inherits. */
function getOwnValue(record: Readonly<Record<string, number>>, key: string): number | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
