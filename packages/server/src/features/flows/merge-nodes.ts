import type { ErrorDetail } from '@parley/contract/errors'
import type { FixedFlowEdge } from '@parley/contract/flow-edge'
import {
  type AnyFlowNode,
  EDGE_FIELDS,
  type FlowNode,
  type FlowNodePatch,
  nodeHasField,
} from '@parley/contract/flow-node'
import type { FindNodeIndex } from '@parley/contract/flow-problems/graph-errors'
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
 * Merges patches into nodes by id. Fields in a patch replace stored fields, and `null` removes a field. Stored nodes keep their
 * order, followed by new nodes. Only `removeNodeIds` and `replaceNodes` remove nodes.
 */
export function mergeNodes(stored: readonly FlowNode[], change: NodeChange): MergedNodes {
  const { nodes: patches = [], removeNodeIds = [], replaceNodes = false } = change
  const problems = findChangeProblems(change)
  const warnings: string[] = []
  const storedById = new Map(stored.map((node) => [node.id, node]))
  const patchedNodes = new Map<string, FlowNode>()
  patches.forEach((patch, index) => {
    const storedNode = storedById.get(patch.id)
    const type = patch.type ?? (replaceNodes ? undefined : storedNode?.type)
    if (type === undefined) {
      problems.push({ path: `nodes[${index}].type`, message: 'is required for a new node' })
      return
    }
    const unknownFields = Object.keys(patch).filter((name) => hasValue(patch, name) && !nodeHasField(type, name))
    if (unknownFields.length > 0) warnings.push(buildUnknownFieldsWarning(patch.id, type, unknownFields))
    const node = applyPatch(replaceNodes ? undefined : storedNode, { ...patch, type })
    patchedNodes.set(patch.id, reuseEdgeIds(node, storedNode))
  })
  const removedIds = new Set(removeNodeIds)
  const remainingNodes = replaceNodes ? [] : stored.filter(({ id }) => !removedIds.has(id))
  const mergedNodes = remainingNodes.map((node) => patchedNodes.get(node.id) ?? node)
  const addedNodes = [...patchedNodes.values()].filter(({ id }) => replaceNodes || !storedById.has(id))
  for (const id of removedIds)
    if (!storedById.has(id)) warnings.push(`Node "${id}" does not exist and was not removed.`)
  return { nodes: [...mergedNodes, ...addedNodes], problems, warnings }
}

function findChangeProblems({ nodes, removeNodeIds = [], replaceNodes }: NodeChange): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  if (replaceNodes === true && nodes === undefined) {
    problems.push({ path: 'nodes', message: 'is required with replaceNodes' })
  }
  const seenIds = new Set<string>()
  nodes?.forEach(({ id }, index) => {
    if (seenIds.has(id)) problems.push({ path: `nodes[${index}].id`, message: describeDuplicate(id) })
    seenIds.add(id)
  })
  removeNodeIds.forEach((id, index) => {
    if (seenIds.has(id))
      problems.push({ path: `removeNodeIds[${index}]`, message: `must not also be in nodes: "${id}"` })
  })
  return problems
}

/** Creates a function that maps a node id to the node's index in the body. */
export function createNodeIndexFinder(patches: readonly FlowNodePatch[] = []): FindNodeIndex {
  const places = new Map(patches.map(({ id }, index) => [id, index]))
  return (_index, id) => places.get(id) ?? null
}

/** Applies the patch to the node. Removes fields that the patch sets to null or that the node type does not have. */
function applyPatch(before: FlowNode | undefined, patch: FlowNodePatch & Pick<FlowNode, 'type'>): FlowNode {
  const fields: Readonly<Record<string, unknown>> = { ...before, ...patch }
  const fieldNames = Object.keys(fields).filter((name) => hasValue(fields, name) && nodeHasField(patch.type, name))
  // Every field except id and type is optional and shared by all types, so the remaining fields form a node of the given type.
  return Object.fromEntries(fieldNames.map((name) => [name, fields[name]])) as AnyFlowNode as FlowNode
}

function hasValue(fields: object, name: string): boolean {
  const value = (fields as Readonly<Record<string, unknown>>)[name]
  return value !== undefined && value !== null
}

function buildUnknownFieldsWarning(id: string, type: string, names: readonly string[]): string {
  return `Node "${id}" of type "${type}" has no ${names.map((name) => `"${name}"`).join(', ')}, which was ignored.`
}

/**
 * Reuses stored ids for edges without an id, so that repeating a write changes nothing. A listed edge takes the id of an equal
 * stored edge, and any other edge takes the id of the edge in the same field.
 */
export function reuseEdgeIds<Node extends AnyFlowNode>(node: Node, stored: AnyFlowNode | undefined): Node {
  if (stored === undefined) return node
  const reusedFields: Record<string, unknown> = {}
  if (node.edges !== undefined) reusedFields['edges'] = reuseListedEdgeIds(node.edges, stored.edges ?? [])
  for (const field of EDGE_FIELDS) {
    const edge = node[field]
    if (edge?.id === '') reusedFields[field] = { ...edge, id: stored[field]?.id ?? '' }
  }
  return { ...node, ...reusedFields }
}

function reuseListedEdgeIds<Edge extends FixedFlowEdge>(
  edges: readonly Edge[],
  stored: readonly FixedFlowEdge[],
): Edge[] {
  if (edges.every(({ id }) => id !== '')) return [...edges]
  const usedIds = new Set(edges.map(({ id }) => id))
  const unusedEdges = Map.groupBy(
    stored.filter(({ id }) => !usedIds.has(id)),
    serializeEdge,
  )
  return edges.map((edge) => {
    const matchingEdge = edge.id === '' ? unusedEdges.get(serializeEdge(edge))?.shift() : undefined
    return matchingEdge === undefined ? edge : { ...edge, id: matchingEdge.id }
  })
}

/** Serializes an edge without its id for comparison. */
function serializeEdge(edge: FixedFlowEdge): string {
  return JSON.stringify({ ...edge, id: '' })
}

/** Assigns a new id to every edge that has none. */
export function fillEdgeIds(nodes: readonly FlowNode[], makeEdgeId: () => string): FlowNode[] {
  const fillId = <Edge extends FixedFlowEdge>(edge: Edge): Edge =>
    edge.id === '' ? { ...edge, id: makeEdgeId() } : edge
  return nodes.map((node) => {
    const anyNode: AnyFlowNode = node
    const filledFields: Record<string, unknown> = {}
    if (anyNode.edges !== undefined) filledFields['edges'] = anyNode.edges.map(fillId)
    for (const field of EDGE_FIELDS) {
      const edge = anyNode[field]
      if (edge !== undefined) filledFields[field] = fillId(edge)
    }
    return { ...node, ...filledFields }
  })
}
