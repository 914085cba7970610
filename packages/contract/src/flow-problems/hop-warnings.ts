import type { ErrorDetail } from '../errors.ts'
import type { AnyFlowNode, FlowNode } from '../flow-node.ts'
import { type CanPassNode, findSilentDestinations, isSpeakingNode } from './silent-passage.ts'

/** Warnings about chains of nodes that exceed the transition limit of a turn. */

/** Node types that call a tool and continue without the user. */
const TOOL_TYPES: ReadonlySet<string> = new Set(['function', 'code', 'mcp', 'sms'])

/**
 * Warns about the first node where a chain can exceed `maxHops` transitions with a model call or a tool. Checks one graph and
 * does not check its components.
 */
export function findHopWarnings(
  nodes: readonly FlowNode[],
  { maxHops, canPassNode }: { readonly maxHops: number; readonly canPassNode: CanPassNode },
): ErrorDetail[] {
  const entriesById = new Map(nodes.map((node, index) => [node.id, { node, index }]))
  const maxHopsById = new Map<string, number>()
  const queue = nodes.map((node) => ({ node, previousHops: 0 }))
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { node, previousHops } = next
    const destinations = findSilentDestinations(node, canPassNode).filter((id) => id !== null && entriesById.has(id))
    const hops = previousHops + (destinations.length > 0 && requiresModelOrTool(node) ? 1 : 0)
    // The value can only increase up to the limit, so cycles terminate.
    if (hops <= (maxHopsById.get(node.id) ?? -1)) continue
    maxHopsById.set(node.id, hops)
    if (hops > maxHops)
      return [{ path: `nodes[${entriesById.get(node.id)?.index ?? 0}]`, message: describeLongChain(node, maxHops) }]
    for (const id of destinations) {
      const entry = entriesById.get(id ?? '')
      if (entry !== undefined) queue.push({ node: entry.node, previousHops: hops })
    }
  }
  return []
}

function describeLongChain({ id }: AnyFlowNode, maxHops: number): string {
  return (
    `More than ${maxHops} ${maxHops === 1 ? 'transition' : 'transitions'} in a row with a model call or a tool can lead ` +
    `to "${id}", where the turn stops. Raise "max_hops_per_turn" or add a node that waits for the user.`
  )
}

/** Whether leaving the node without waiting for the user requires a model call or a tool. */
function requiresModelOrTool(node: AnyFlowNode): boolean {
  const { type, edges = [], instruction } = node
  if (TOOL_TYPES.has(type)) return true
  if (type === 'extract_dynamic_variables') return (node.variables ?? []).length > 0
  if (isSpeakingNode(node)) return instruction?.type !== 'static_text'
  return edges.filter((edge) => edge.transition_condition.type === 'prompt').length > 0
}
