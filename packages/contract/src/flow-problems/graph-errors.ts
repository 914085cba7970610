import type { ErrorDetail } from '../errors.ts'
import type { TransitionCondition } from '../flow-edge.ts'
import { readEquation } from '../flow-equation.ts'
import { type AnyFlowNode, FLOW_NODE_LIMIT, type FlowNode, findElseEdge, listEdges } from '../flow-node.ts'
import { describeDuplicate } from '../unique-items.ts'

/** Errors that prevent a graph from running. */

/** A problem of one node. `path` is relative to the node. */
export interface NodeProblem {
  readonly index: number
  readonly path: string
  readonly message: string
}

/** Returns the index of a node in the request, or `null` if the request does not contain the node. */
export type FindNodeIndex = (index: number, id: string) => number | null

/** Returns the index of a node in the graph. */
export const getGraphIndex: FindNodeIndex = (index) => index

interface CheckedGraph {
  readonly nodes: readonly FlowNode[]
  readonly start_node_id: string
}

/** Returns errors that prevent a graph from being stored. */
export function findGraphErrors(graph: CheckedGraph, findNodeIndex: FindNodeIndex = getGraphIndex): ErrorDetail[] {
  const { nodes } = graph
  return [
    ...findGraphProblems(graph),
    ...resolveProblemPaths([...findNodeProblems(nodes), ...findBranchCycles(nodes)], nodes, findNodeIndex),
  ]
}

/** Resolves the paths of problems. Problems of nodes that the request does not contain have the path `nodes`. */
export function resolveProblemPaths(
  problems: readonly NodeProblem[],
  nodes: readonly FlowNode[],
  findNodeIndex: FindNodeIndex,
): ErrorDetail[] {
  return problems.map(({ index, path, message }) => {
    const id = nodes[index]?.id ?? ''
    const nodeIndex = findNodeIndex(index, id)
    if (nodeIndex !== null) return { path: `nodes[${nodeIndex}].${path}`, message }
    return { path: 'nodes', message: `would make "${path}" of the stored node "${id}" invalid: it ${message}` }
  })
}

function findGraphProblems({ nodes, start_node_id }: CheckedGraph): ErrorDetail[] {
  if (nodes.length === 0) return [{ path: 'nodes', message: 'must have at least 1 item' }]
  const problems: ErrorDetail[] = []
  if (nodes.length > FLOW_NODE_LIMIT) {
    problems.push({
      path: 'nodes',
      message: `must have at most ${FLOW_NODE_LIMIT} items in total, not ${nodes.length}`,
    })
  }
  if (!nodes.some(({ id }) => id === start_node_id)) {
    problems.push({ path: 'start_node_id', message: describeUnknownNode(start_node_id) })
  }
  return problems
}

function findNodeProblems(nodes: readonly FlowNode[]): NodeProblem[] {
  const ids = new Set(nodes.map(({ id }) => id))
  const seenIds = new Set<string>()
  return nodes.flatMap((node, index) => {
    const problems: NodeProblem[] = []
    if (seenIds.has(node.id)) problems.push({ index, path: 'id', message: describeDuplicate(node.id) })
    seenIds.add(node.id)
    if (node.type === 'branch' && findElseEdge(node) === undefined) {
      problems.push({
        index,
        path: 'else_edge',
        message: 'is required: a branch needs an edge for when no condition is true',
      })
    }
    const edgeIds = new Set<string>()
    for (const { path, edge } of listEdges(node)) {
      const destinationId = edge.destination_node_id
      if (destinationId !== undefined && !ids.has(destinationId)) {
        problems.push({ index, path: `${path}.destination_node_id`, message: describeUnknownNode(destinationId) })
      }
      if (edge.id !== '' && edgeIds.has(edge.id)) {
        problems.push({ index, path: `${path}.id`, message: describeDuplicate(edge.id) })
      }
      edgeIds.add(edge.id)
    }
    for (const { path, condition } of listConditions(node)) {
      const problem = validateEquation(condition)
      if (problem !== null) problems.push({ index, path: `${path}.${problem.path}`, message: problem.message })
    }
    return problems
  })
}

/** Returns all conditions of a node with their paths. */
function listConditions(node: AnyFlowNode): { path: string; condition: TransitionCondition | undefined }[] {
  const goBackConditions = node.global_node_setting?.go_back_conditions ?? []
  return [
    ...listEdges(node).map(({ path, edge }) => ({ path, condition: edge.transition_condition })),
    ...goBackConditions.map(({ transition_condition }, index) => ({
      path: `global_node_setting.go_back_conditions[${index}]`,
      condition: transition_condition,
    })),
  ]
}

/** Returns the problem of an equation, or null if the equation is valid. The path is relative to the condition. */
function validateEquation(condition: TransitionCondition | undefined): ErrorDetail | null {
  if (condition?.type !== 'equation') return null
  const parsedEquation = readEquation(condition)
  if (parsedEquation.type === 'condition') return null
  if (condition.prompt !== undefined) return { path: 'transition_condition.prompt', message: parsedEquation.message }
  const message = 'is required: a list of comparisons, or the equation as text in "prompt"'
  return { path: 'transition_condition.equations', message }
}

/** Finds cycles of branches. Branches neither speak nor listen, so a conversation would never leave such a cycle. */
function findBranchCycles(nodes: readonly FlowNode[]): NodeProblem[] {
  const branches = new Map(nodes.map((node, index) => [node.id, { node, index }]))
  const visitingIds = new Set<string>()
  const visitedIds = new Set<string>()
  const problems: NodeProblem[] = []
  const visit = (id: string): void => {
    const branch = branches.get(id)
    if (branch === undefined || visitedIds.has(id)) return
    visitingIds.add(id)
    for (const { path, edge } of listEdges(branch.node)) {
      const destinationId = edge.destination_node_id
      if (destinationId === undefined || branches.get(destinationId)?.node.type !== 'branch') continue
      if (visitingIds.has(destinationId)) {
        const message = 'must not close a cycle of branch nodes, which a conversation could never leave'
        problems.push({ index: branch.index, path: `${path}.destination_node_id`, message })
      } else visit(destinationId)
    }
    visitingIds.delete(id)
    visitedIds.add(id)
  }
  for (const node of nodes) if (node.type === 'branch') visit(node.id)
  return problems
}

function describeUnknownNode(id: string): string {
  return `must be the ID of a node: there is no node "${id}"`
}
