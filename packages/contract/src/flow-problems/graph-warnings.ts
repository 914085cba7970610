import type { ErrorDetail } from '../errors.ts'
import { type AnyFlowNode, type FlowNode, listEdges } from '../flow-node.ts'
import { type DialogGraph, findReachableNodes } from './dialog-graph.ts'
import {
  findMissingConfigWarnings,
  findToolWarnings,
  type NodeWarning,
  type ReferenceContext,
} from './node-warnings.ts'

/** Warnings about a single graph that can be stored but does not work as intended. */

interface GraphWarningContext extends ReferenceContext {
  /** Whether the graph is a component. An edge without a destination leaves a component but leads nowhere in a flow. */
  readonly isComponent: boolean
}

export function findGraphWarnings(graph: DialogGraph, references: GraphWarningContext): ErrorDetail[] {
  const reachableIds = findReachableNodes(graph)
  const unreachableWarnings = graph.nodes.flatMap((node, index) =>
    reachableIds.has(node.id) ? [] : [{ path: `nodes[${index}]`, message: `No edge leads to "${node.id}".` }],
  )
  const nodeWarnings = graph.nodes.flatMap((node, index) =>
    findNodeWarnings(node, graph, references).map(({ path, problem }) => ({
      path: `nodes[${index}].${path}`,
      message: `Node "${node.id}" ${problem}.`,
    })),
  )
  const toolWarnings = graph.tools
    .flatMap((tool, index) => findToolWarnings(tool, graph, `tools[${index}]`))
    .map(({ path, problem }) => ({ path, message: `The tool list ${problem}.` }))
  return [...unreachableWarnings, ...nodeWarnings, ...toolWarnings]
}

function findNodeWarnings(node: FlowNode, graph: DialogGraph, references: GraphWarningContext): NodeWarning[] {
  return [
    ...findMissingConfigWarnings(node, graph, references),
    ...findEdgeWarnings(node, references),
    ...findBlankConditionWarnings(node),
  ]
}

function findEdgeWarnings(node: FlowNode, { isComponent }: GraphWarningContext): NodeWarning[] {
  const edges = listEdges(node)
  const [firstEdge] = edges
  if (node.type === 'end') {
    return firstEdge === undefined
      ? []
      : [{ path: firstEdge.path, problem: 'ends the conversation, so its edges are never taken' }]
  }
  if (isComponent) return []
  const danglingEdges = edges.filter(({ edge }) => edge.destination_node_id === undefined)
  return danglingEdges.map(({ path }) => ({ path, problem: `has no destination for "${path}"` }))
}

/** Warns about blank conditions. Only listed edges and go-back conditions use their condition. */
function findBlankConditionWarnings(node: AnyFlowNode): NodeWarning[] {
  const listedEdges = (node.edges ?? []).map((edge, index) => ({ ...edge, path: `edges[${index}]` }))
  const goBackConditions = (node.global_node_setting?.go_back_conditions ?? []).map((condition, index) => ({
    ...condition,
    path: `global_node_setting.go_back_conditions[${index}]`,
  }))
  return [...listedEdges, ...goBackConditions].flatMap(({ path, transition_condition: { type, prompt } }) => {
    if (type !== 'prompt' || prompt.trim() !== '') return []
    return [{ path: `${path}.transition_condition.prompt`, problem: `does not say when to take "${path}"` }]
  })
}
