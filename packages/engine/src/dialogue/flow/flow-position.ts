import type { FlowPlace, FlowPosition } from '../conversation.ts'
import { placeKey } from './flow-graph.ts'

/** Older origins are forgotten: nobody goes back that far. */
const MAX_ORIGINS = 20

/** How the conversation comes to a place. */
export type Arrival =
  /** By an edge, into a component or out of one. */
  | { readonly type: 'normal'; readonly isLeavingGlobal: boolean }
  | { readonly type: 'global' }
  | { readonly type: 'global_go_back' }

/**
 * The position after going to a place, whose work is still to be done. `messages` is how many the conversation has by now, so
 * that what it says and does there can be told apart after a crash.
 */
export function arrive(
  from: FlowPosition | null,
  { nodeId, path }: FlowPlace,
  how: { readonly arrival: Arrival; readonly messages: number },
): FlowPosition {
  const key = placeKey({ nodeId, path })
  const transitions = (from?.transitions ?? 0) + 1
  const visits = { ...from?.visits, [key]: visitCount(from, { nodeId, path }) + 1 }
  const isGlobal = how.arrival.type === 'global'
  const globalEntries = isGlobal ? { ...from?.globalEntries, [key]: transitions } : (from?.globalEntries ?? {})
  const origins = nextOrigins(from, how.arrival)
  return { nodeId, path, phase: 'entering', origins, visits, transitions, globalEntries, messagesBefore: how.messages }
}

function nextOrigins(from: FlowPosition | null, arrival: Arrival): readonly FlowPlace[] {
  if (from === null) return []
  switch (arrival.type) {
    case 'global':
      return [...from.origins, { nodeId: from.nodeId, path: from.path }].slice(-MAX_ORIGINS)
    case 'global_go_back':
      return from.origins.slice(0, -1)
    case 'normal':
      return arrival.isLeavingGlobal ? [] : from.origins
  }
}

/** The position once the place has said or done what it is there for. */
export function listening(position: FlowPosition): FlowPosition {
  return position.phase === 'listening' ? position : { ...position, phase: 'listening' }
}

/** How often a place was entered. */
export function visitCount(position: FlowPosition | null, place: FlowPlace): number {
  return position === null ? 0 : (getOwnValue(position.visits, placeKey(place)) ?? 0)
}

/** Whether the conversation is at a global node that it came to as such, so that it can go back from there. */
export function isAtGlobalNode(position: FlowPosition): boolean {
  return position.origins.length > 0 && getOwnValue(position.globalEntries, placeKey(position)) !== undefined
}

/** Whether a global node may be entered as such (again): a cool-down counts transitions, without the one that left the node. */
export function hasCooledDown(position: FlowPosition, place: FlowPlace, coolDown: number | undefined): boolean {
  const enteredAt = getOwnValue(position.globalEntries, placeKey(place))
  return coolDown === undefined || enteredAt === undefined || position.transitions - enteredAt > coolDown
}

/** Ids are the customer's: one may be the name of something that every object has. */
function getOwnValue(record: Readonly<Record<string, number>>, key: string): number | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
