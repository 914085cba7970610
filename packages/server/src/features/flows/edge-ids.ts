import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import { type AnyFlowNode, EDGE_FIELDS, type FlowNode } from '@parley/contract/flow-node'

/** Edges that were written without an id have an empty one until they are stored. */

/**
 * Gives such edges the ids they had: a listed edge that of the stored one that says the same, any other that of its place. So
 * writing the same twice changes nothing.
 */
export function adoptEdgeIds<Node extends AnyFlowNode>(node: Node, stored: AnyFlowNode | undefined): Node {
  if (stored === undefined) return node
  const adopted: Record<string, unknown> = {}
  if (node.edges !== undefined) adopted['edges'] = adoptListed(node.edges, stored.edges ?? [])
  for (const field of EDGE_FIELDS) {
    const edge = node[field]
    if (edge?.id === '') adopted[field] = { ...edge, id: stored[field]?.id ?? '' }
  }
  return { ...node, ...adopted }
}

function adoptListed<Edge extends FixedFlowEdge>(edges: readonly Edge[], stored: readonly FixedFlowEdge[]): Edge[] {
  if (edges.every(({ id }) => id !== '')) return [...edges]
  const usedIds = new Set(edges.map(({ id }) => id))
  const free = Map.groupBy(
    stored.filter(({ id }) => !usedIds.has(id)),
    edgeText,
  )
  return edges.map((edge) => {
    const same = edge.id === '' ? free.get(edgeText(edge))?.shift() : undefined
    return same === undefined ? edge : { ...edge, id: same.id }
  })
}

/** What an edge says, as text: read by one schema, equal edges have their keys in one order. */
function edgeText(edge: FixedFlowEdge): string {
  return JSON.stringify({ ...edge, id: '' })
}

/** Gives every edge that has none an id of its own. */
export function fillEdgeIds(nodes: readonly FlowNode[], makeEdgeId: () => string): FlowNode[] {
  const fill = <Edge extends FixedFlowEdge>(edge: Edge): Edge => (edge.id === '' ? { ...edge, id: makeEdgeId() } : edge)
  return nodes.map((node) => {
    const any: AnyFlowNode = node
    const filled: Record<string, unknown> = {}
    if (any.edges !== undefined) filled['edges'] = any.edges.map(fill)
    for (const field of EDGE_FIELDS) {
      const edge = any[field]
      if (edge !== undefined) filled[field] = fill(edge)
    }
    return { ...node, ...filled }
  })
}
