import type { ErrorDetail } from '@parley/contract/errors'
import { readEquation } from '@parley/contract/flow-equation'
import { edgesOf, elseEdgeOf, FLOW_NODE_LIMIT, type FlowNode } from '@parley/contract/flow-node'
import { duplicate } from './merge-nodes.ts'

/** A problem of one node; `path` is within the node. */
interface NodeProblem {
  readonly index: number
  readonly path: string
  readonly message: string
}

/** Where a node stands in the body that is answered; `null` when only the stored graph has it. */
export type PlaceOf = (index: number, id: string) => number | null

type AnyEdge = ReturnType<typeof edgesOf>[number]['edge']

interface CheckedGraph {
  readonly nodes: readonly FlowNode[]
  readonly startNodeId: string
}

/** What makes a graph impossible to run, with paths in the request's body: such a graph is not stored. */
export function checkGraph(graph: CheckedGraph, placeOf: PlaceOf = (index) => index): ErrorDetail[] {
  const { nodes, startNodeId } = graph
  const problems = graphProblems(nodes, startNodeId)
  const located = [...nodeProblems(nodes), ...branchCycles(nodes)].map(({ index, path, message }) => {
    const id = nodes[index]?.id ?? ''
    const place = placeOf(index, id)
    if (place !== null) return { path: `nodes[${place}].${path}`, message }
    return { path: 'nodes', message: `make "${path}" of the stored node "${id}" wrong: it ${message}` }
  })
  return [...problems, ...located]
}

function graphProblems(nodes: readonly FlowNode[], startNodeId: string): ErrorDetail[] {
  if (nodes.length === 0) return [{ path: 'nodes', message: 'must have at least 1 item' }]
  const problems: ErrorDetail[] = []
  if (nodes.length > FLOW_NODE_LIMIT) {
    problems.push({
      path: 'nodes',
      message: `must be at most ${FLOW_NODE_LIMIT} together, and would be ${nodes.length}`,
    })
  }
  if (!nodes.some(({ id }) => id === startNodeId)) {
    problems.push({ path: 'start_node_id', message: noNode(startNodeId) })
  }
  return problems
}

function nodeProblems(nodes: readonly FlowNode[]): NodeProblem[] {
  const ids = new Set(nodes.map(({ id }) => id))
  const seen = new Set<string>()
  return nodes.flatMap((node, index) => {
    const problems: NodeProblem[] = []
    if (seen.has(node.id)) problems.push({ index, path: 'id', message: duplicate(node.id) })
    seen.add(node.id)
    if (node.type === 'branch' && elseEdgeOf(node) === undefined) {
      problems.push({ index, path: 'else_edge', message: 'must be given: a branch needs a way out when nothing holds' })
    }
    const edgeIds = new Set<string>()
    for (const { path, edge } of edgesOf(node)) {
      const target = edge.destination_node_id
      if (target !== undefined && !ids.has(target)) {
        problems.push({ index, path: `${path}.destination_node_id`, message: noNode(target) })
      }
      if (edge.id !== '' && edgeIds.has(edge.id)) {
        problems.push({ index, path: `${path}.id`, message: duplicate(edge.id) })
      }
      edgeIds.add(edge.id)
      const equation = equationProblem(edge)
      if (equation !== null) problems.push({ index, ...equation, path: `${path}.${equation.path}` })
    }
    return problems
  })
}

/** What is wrong with the equation of an edge; its path is within the edge. */
function equationProblem({ transition_condition: condition }: AnyEdge): ErrorDetail | null {
  if (condition?.type !== 'equation') return null
  const read = readEquation(condition)
  if (read.type === 'condition') return null
  if (condition.prompt !== undefined) return { path: 'transition_condition.prompt', message: read.message }
  const message = 'must be given: a list of comparisons, or the equation as text in "prompt"'
  return { path: 'transition_condition.equations', message }
}

/** A conversation would go round among branches for ever, since they neither speak nor listen. */
function branchCycles(nodes: readonly FlowNode[]): NodeProblem[] {
  const branches = new Map(nodes.map((node, index) => [node.id, { node, index }]))
  const open = new Set<string>()
  const done = new Set<string>()
  const problems: NodeProblem[] = []
  const visit = (id: string): void => {
    const found = branches.get(id)
    if (found === undefined || done.has(id)) return
    open.add(id)
    for (const { path, edge } of edgesOf(found.node)) {
      const target = edge.destination_node_id
      if (target === undefined || branches.get(target)?.node.type !== 'branch') continue
      if (open.has(target)) {
        const message = 'must not close a circle of branch nodes only: a conversation would never leave it'
        problems.push({ index: found.index, path: `${path}.destination_node_id`, message })
      } else visit(target)
    }
    open.delete(id)
    done.add(id)
  }
  for (const node of nodes) if (node.type === 'branch') visit(node.id)
  return problems
}

function noNode(id: string): string {
  return `must name a node: there is no "${id}"`
}
