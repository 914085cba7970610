import type { FlowPlace, FlowPosition, TransitionType } from '../conversation.ts'
import { toPlaceKey } from './flow-graph.ts'

/** Maximum number of origins. Older origins are dropped. */
const MAX_ORIGINS = 20

/**
 * Returns the position after entering a place. `messageCount` is the current number of messages, which identifies the node's
 * own messages after a crash.
 */
export function enterPlace(
  from: FlowPosition | null,
  { nodeId, path }: FlowPlace,
  entry: { readonly transitionType: TransitionType; readonly messageCount: number },
): FlowPosition {
  const key = toPlaceKey({ nodeId, path })
  const transitions = (from?.transitions ?? 0) + 1
  const visits = { ...from?.visits, [key]: countVisits(from, { nodeId, path }) + 1 }
  const isGlobal = entry.transitionType === 'global'
  const globalEntries = isGlobal ? { ...from?.globalEntries, [key]: transitions } : (from?.globalEntries ?? {})
  const origins = computeNextOrigins(from, path, entry.transitionType)
  return {
    nodeId,
    path,
    phase: 'entering',
    origins,
    visits,
    transitions,
    globalEntries,
    messagesBefore: entry.messageCount,
  }
}

function computeNextOrigins(
  from: FlowPosition | null,
  path: readonly string[],
  transitionType: TransitionType,
): readonly FlowPlace[] {
  if (from === null) return []
  switch (transitionType) {
    case 'global':
      return [...from.origins, { nodeId: from.nodeId, path: from.path }].slice(-MAX_ORIGINS)
    case 'global_go_back':
      return from.origins.slice(0, -1)
    case 'normal':
      // Entering a component does not leave the node that contains it.
      return isAtGlobalNode(from) && path.length <= from.path.length ? [] : from.origins
  }
}

/** Returns the position after the node has finished its work. */
export function markListening(position: FlowPosition): FlowPosition {
  return position.phase === 'listening' ? position : { ...position, phase: 'listening' }
}

/** Returns how often the flow has entered a place. */
export function countVisits(position: FlowPosition | null, place: FlowPlace): number {
  return position === null ? 0 : (getOwnProperty(position.visits, toPlaceKey(place)) ?? 0)
}

/** Whether the flow entered the current node as a global node and can go back. */
export function isAtGlobalNode(position: FlowPosition): boolean {
  return position.origins.length > 0 && getOwnProperty(position.globalEntries, toPlaceKey(position)) !== undefined
}

/** Whether the flow can enter a global node again. The cooldown counts the transitions since the flow left the node. */
export function hasCooledDown(position: FlowPosition, place: FlowPlace, coolDown: number | undefined): boolean {
  const lastEntry = getOwnProperty(position.globalEntries, toPlaceKey(place))
  return coolDown === undefined || lastEntry === undefined || position.transitions - lastEntry > coolDown
}

/** Returns an own property's value, because customers choose the IDs and may use a name such as `constructor`. */
function getOwnProperty(record: Readonly<Record<string, number>>, key: string): number | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
