import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import { type AnyFlowNode, EDGE_FIELDS, type FlowNode } from '@parley/contract/flow-node'

/**
 * Gives edges without an id their stored id: a listed edge that of an equal edge, any other that of its place.
 * Repeating a write changes nothing.
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

/** Content of an edge as text: edges parsed by one schema have equal key order. */
function edgeText(edge: FixedFlowEdge): string {
  return JSON.stringify({ ...edge, id: '' })
}

/** Gives every edge without an id a new one. */
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
