import type { ErrorDetail } from '@parley/contract/errors'
import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import {
  type AnyFlowNode,
  EDGE_FIELDS,
  type FlowNode,
  type FlowNodePatch,
  nodeHasField,
} from '@parley/contract/flow-node'
import type { PlaceOf } from '@parley/contract/flow-problems/graph-errors'
import { describeDuplicate } from '@parley/contract/unique-items'

/** The changes that a PATCH makes to a flow's or component's nodes. */
export interface NodeChange {
  readonly nodes?: readonly FlowNodePatch[] | undefined
  readonly removeNodeIds?: readonly string[] | undefined
  readonly replaceNodes?: boolean | undefined
}

interface MergedNodes {
  /** Merged nodes, which are invalid if there are problems. */
  readonly nodes: readonly FlowNode[]
  readonly problems: readonly ErrorDetail[]
  /** Warnings about changes without effect. */
  readonly warnings: readonly string[]
}

/**
 * Merges nodes by id: given fields replace stored fields, `null` removes a field, and `edges` and `instruction` are replaced as
 * a whole. Stored nodes keep their order, and new nodes follow. Only `removeNodeIds` and `replaceNodes` remove nodes.
 * Idempotent.
 */
export function mergeNodes(stored: readonly FlowNode[], change: NodeChange): MergedNodes {
  const { nodes: patches = [], removeNodeIds = [], replaceNodes = false } = change
  const problems = findChangeProblems(change)
  const warnings: string[] = []
  const known = new Map(stored.map((node) => [node.id, node]))
  const patched = new Map<string, FlowNode>()
  patches.forEach((patch, index) => {
    const before = known.get(patch.id)
    const type = patch.type ?? (replaceNodes ? undefined : before?.type)
    if (type === undefined) {
      problems.push({ path: `nodes[${index}].type`, message: 'is required for a new node' })
      return
    }
    const unknownFields = Object.keys(patch).filter((name) => isGiven(patch, name) && !nodeHasField(type, name))
    if (unknownFields.length > 0) warnings.push(buildUnknownFieldsWarning(patch.id, type, unknownFields))
    const node = applyPatch(replaceNodes ? undefined : before, { ...patch, type })
    patched.set(patch.id, adoptEdgeIds(node, before))
  })
  const removed = new Set(removeNodeIds)
  const remainingNodes = replaceNodes ? [] : stored.filter(({ id }) => !removed.has(id))
  const merged = remainingNodes.map((node) => patched.get(node.id) ?? node)
  const added = [...patched.values()].filter(({ id }) => replaceNodes || !known.has(id))
  for (const id of removed) if (!known.has(id)) warnings.push(`No node "${id}" existed to remove.`)
  return { nodes: [...merged, ...added], problems, warnings }
}

function findChangeProblems({ nodes, removeNodeIds = [], replaceNodes }: NodeChange): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  if (replaceNodes === true && nodes === undefined) {
    problems.push({ path: 'nodes', message: 'requires replaceNodes' })
  }
  const seen = new Set<string>()
  nodes?.forEach(({ id }, index) => {
    if (seen.has(id)) problems.push({ path: `nodes[${index}].id`, message: describeDuplicate(id) })
    seen.add(id)
  })
  removeNodeIds.forEach((id, index) => {
    if (seen.has(id)) problems.push({ path: `removeNodeIds[${index}]`, message: `must not be in nodes too: "${id}"` })
  })
  return problems
}

/** Returns a function that maps the merged graph's nodes to their positions in the body. */
export function createPlaceFinder(patches: readonly FlowNodePatch[] = []): PlaceOf {
  const places = new Map(patches.map(({ id }, index) => [id, index]))
  return (_index, id) => places.get(id) ?? null
}

/** Applies the patch to the node. Removes fields that the patch sets to null or that the node type does not have. */
function applyPatch(before: FlowNode | undefined, patch: FlowNodePatch & Pick<FlowNode, 'type'>): FlowNode {
  const fields: Readonly<Record<string, unknown>> = { ...before, ...patch }
  const remainingNodes = Object.keys(fields).filter((name) => isGiven(fields, name) && nodeHasField(patch.type, name))
  // Every field except id and type is optional and shared by all types, so the remaining fields form a node of the given type.
  return Object.fromEntries(remainingNodes.map((name) => [name, fields[name]])) as AnyFlowNode as FlowNode
}

function isGiven(fields: object, name: string): boolean {
  const value = (fields as Readonly<Record<string, unknown>>)[name]
  return value !== undefined && value !== null
}

function buildUnknownFieldsWarning(id: string, type: string, names: readonly string[]): string {
  return `Node "${id}" of type "${type}" has no ${names.map((name) => `"${name}"`).join(', ')}: left out.`
}

/**
 * Gives edges without an id their stored id. A listed edge takes the id of an equal edge, and every other edge takes the id
 * stored in its field. Repeating a write changes nothing.
 */
export function adoptEdgeIds<Node extends AnyFlowNode>(node: Node, stored: AnyFlowNode | undefined): Node {
  if (stored === undefined) return node
  const adopted: Record<string, unknown> = {}
  if (node.edges !== undefined) adopted['edges'] = adoptListedEdgeIds(node.edges, stored.edges ?? [])
  for (const field of EDGE_FIELDS) {
    const edge = node[field]
    if (edge?.id === '') adopted[field] = { ...edge, id: stored[field]?.id ?? '' }
  }
  return { ...node, ...adopted }
}

function adoptListedEdgeIds<Edge extends FixedFlowEdge>(
  edges: readonly Edge[],
  stored: readonly FixedFlowEdge[],
): Edge[] {
  if (edges.every(({ id }) => id !== '')) return [...edges]
  const usedIds = new Set(edges.map(({ id }) => id))
  const free = Map.groupBy(
    stored.filter(({ id }) => !usedIds.has(id)),
    serializeEdge,
  )
  return edges.map((edge) => {
    const same = edge.id === '' ? free.get(serializeEdge(edge))?.shift() : undefined
    return same === undefined ? edge : { ...edge, id: same.id }
  })
}

/** Returns an edge's content as text for comparison. Edges parsed by one schema have the same key order. */
function serializeEdge(edge: FixedFlowEdge): string {
  return JSON.stringify({ ...edge, id: '' })
}

/** Assigns a new id to every edge that has none. */
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
