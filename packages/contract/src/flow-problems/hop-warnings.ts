import type { ErrorDetail } from '../errors.ts'
import type { AnyFlowNode, FlowNode } from '../flow-node.ts'
import { type CanPassNode, isSpeakingNode, silentDestinations } from './silent-passage.ts'

/** A warning about chains of nodes that are longer than a flow allows in one turn. */

/** Nodes that go on without the user and call a tool. */
const TOOL_TYPES: ReadonlySet<string> = new Set(['function', 'code', 'mcp', 'sms'])

/**
 * Warns at the first node at which a chain without the user can have more transitions that cost a model call or a tool than
 * `maxHops`. Components are looked at one by one: what a component costs does not count for the graph that runs it.
 */
export function hopWarnings(
  nodes: readonly FlowNode[],
  { maxHops, canPassNode }: { readonly maxHops: number; readonly canPassNode: CanPassNode },
): ErrorDetail[] {
  const byId = new Map(nodes.map((node, index) => [node.id, { node, index }]))
  const longest = new Map<string, number>()
  const pending = nodes.map((node) => ({ node, before: 0 }))
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, before } = next
    const destinations = silentDestinations(node, canPassNode).filter((id) => id !== null && byId.has(id))
    const hops = before + (destinations.length > 0 && isCostly(node) ? 1 : 0)
    // Rises at most to the limit, so that circles come to an end.
    if (hops <= (longest.get(node.id) ?? -1)) continue
    longest.set(node.id, hops)
    if (hops > maxHops) return [{ path: `nodes[${byId.get(node.id)?.index ?? 0}]`, message: describe(node, maxHops) }]
    for (const id of destinations) {
      const found = byId.get(id ?? '')
      if (found !== undefined) pending.push({ node: found.node, before: hops })
    }
  }
  return []
}

function describe({ id }: AnyFlowNode, maxHops: number): string {
  const limit = maxHops === 1 ? '1 node that calls' : `${maxHops} nodes that call`
  return (
    `A chain of more than ${limit} a model or a tool without the user can reach "${id}", where it stops: ` +
    'raise "max_hops_per_turn" or wait for the user before.'
  )
}

/** Whether leaving the node without the user takes a model call or a tool. */
function isCostly(node: AnyFlowNode): boolean {
  const { type, edges = [], instruction } = node
  if (TOOL_TYPES.has(type)) return true
  if (type === 'extract_dynamic_variables') return (node.variables ?? []).length > 0
  if (isSpeakingNode(node)) return instruction?.type !== 'static_text'
  return edges.filter((edge) => edge.transition_condition.type === 'prompt').length > 0
}
