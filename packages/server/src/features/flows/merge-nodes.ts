import type { ErrorDetail } from '@parley/contract/errors'
import { type AnyFlowNode, type FlowNode, type FlowNodePatch, nodeHasField } from '@parley/contract/flow-node'
import { duplicateIdMessage, type PlaceOf } from '@parley/contract/flow-problems/graph-errors'
import { adoptEdgeIds } from './edge-ids.ts'

/** How a PATCH changes the nodes of a flow or component, as a pure decision. */
export interface NodeChange {
  readonly nodes?: readonly FlowNodePatch[] | undefined
  readonly removeNodeIds?: readonly string[] | undefined
  readonly replaceNodes?: boolean | undefined
}

export interface MergedNodes {
  /** Not to be used when there are problems. */
  readonly nodes: readonly FlowNode[]
  readonly problems: readonly ErrorDetail[]
  /** Sentences about what had no effect. */
  readonly warnings: readonly string[]
}

/**
 * Merges by node id: given fields replace, `null` removes one, `edges` and `instruction` count as a whole. Stored nodes keep
 * their order, new ones follow. Nothing is removed but by `removeNodeIds`, or by `replaceNodes`, which takes the given nodes as
 * they are. The same change twice is the same as once.
 */
export function mergeNodes(stored: readonly FlowNode[], change: NodeChange): MergedNodes {
  const { nodes: patches = [], removeNodeIds = [], replaceNodes = false } = change
  const problems = changeProblems(change)
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
    if (unknownFields.length > 0) warnings.push(unknownFieldsWarning(patch.id, type, unknownFields))
    const node = applyPatch(replaceNodes ? undefined : before, { ...patch, type })
    patched.set(patch.id, adoptEdgeIds(node, before))
  })
  const removed = new Set(removeNodeIds)
  const remainingNodes = replaceNodes ? [] : stored.filter(({ id }) => !removed.has(id))
  const merged = remainingNodes.map((node) => patched.get(node.id) ?? node)
  const added = [...patched.values()].filter(({ id }) => replaceNodes || !known.has(id))
  for (const id of removed) if (!known.has(id)) warnings.push(`No node "${id}" was there to remove.`)
  return { nodes: [...merged, ...added], problems, warnings }
}

function changeProblems({ nodes, removeNodeIds = [], replaceNodes }: NodeChange): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  if (replaceNodes === true && nodes === undefined) {
    problems.push({ path: 'nodes', message: 'must be given together with replaceNodes' })
  }
  const seen = new Set<string>()
  nodes?.forEach(({ id }, index) => {
    if (seen.has(id)) problems.push({ path: `nodes[${index}].id`, message: duplicateIdMessage(id) })
    seen.add(id)
  })
  removeNodeIds.forEach((id, index) => {
    if (seen.has(id))
      problems.push({ path: `removeNodeIds[${index}]`, message: `must not stand in nodes too: "${id}"` })
  })
  return problems
}

/** Where the nodes of a merged graph stand in the body that changed it. */
export function placesIn(patches: readonly FlowNodePatch[] = []): PlaceOf {
  const places = new Map(patches.map(({ id }, index) => [id, index]))
  return (_index, id) => places.get(id) ?? null
}

/** The patch over the node, without what was removed and what its type does not have. */
function applyPatch(before: FlowNode | undefined, patch: FlowNodePatch & Pick<FlowNode, 'type'>): FlowNode {
  const fields: Readonly<Record<string, unknown>> = { ...before, ...patch }
  const remainingNodes = Object.keys(fields).filter((name) => isGiven(fields, name) && nodeHasField(patch.type, name))
  // Every field but id and type is optional and the same in all types, so that what is left is a node of its type.
  return Object.fromEntries(remainingNodes.map((name) => [name, fields[name]])) as AnyFlowNode as FlowNode
}

function isGiven(fields: object, name: string): boolean {
  const value = (fields as Readonly<Record<string, unknown>>)[name]
  return value !== undefined && value !== null
}

function unknownFieldsWarning(id: string, type: string, names: readonly string[]): string {
  return `Node "${id}" of type "${type}" has no ${names.map((name) => `"${name}"`).join(', ')}: left out.`
}
