import type { ErrorDetail } from '../errors.ts'
import { type AnyFlowNode, edgesOf, type FlowNode } from '../flow-node.ts'
import { type DialogGraph, reachedNodes } from './dialog-graph.ts'
import { type Lack, lacksOf, type Surroundings, toolLacks } from './node-lacks.ts'

/** Sentences about one graph that can be stored but will not do what its author wants, with paths within it. */

interface WarnedGraph extends Surroundings {
  /** In a component an edge without a destination leads out of it; in a flow it leads nowhere. */
  readonly isComponent: boolean
}

export function graphWarnings(graph: DialogGraph, around: WarnedGraph): ErrorDetail[] {
  const reached = reachedNodes(graph)
  const unreached = graph.nodes.flatMap((node, index) =>
    reached.has(node.id) ? [] : [{ path: `nodes[${index}]`, message: `No edge leads to "${node.id}".` }],
  )
  const ofNodes = graph.nodes.flatMap((node, index) =>
    nodeLacks(node, graph, around).map(({ path, what }) => ({
      path: `nodes[${index}].${path}`,
      message: `Node "${node.id}" ${what}.`,
    })),
  )
  const ofTools = graph.tools
    .flatMap((tool, index) => toolLacks(tool, graph, `tools[${index}]`))
    .map(({ path, what }) => ({ path, message: `The list of tools ${what}.` }))
  return [...unreached, ...ofNodes, ...ofTools]
}

function nodeLacks(node: FlowNode, graph: DialogGraph, around: WarnedGraph): Lack[] {
  return [...lacksOf(node, graph, around), ...edgeLacks(node, around), ...blankConditions(node)]
}

function edgeLacks(node: FlowNode, { isComponent }: WarnedGraph): Lack[] {
  const edges = edgesOf(node)
  const [first] = edges
  if (node.type === 'end') {
    return first === undefined
      ? []
      : [{ path: first.path, what: 'ends the conversation, so its edges are never taken' }]
  }
  if (isComponent) return []
  const loose = edges.filter(({ edge }) => edge.destination_node_id === undefined)
  return loose.map(({ path }) => ({ path, what: `leads nowhere with "${path}"` }))
}

/** The condition of an edge that stands in a place of its own decides nothing. */
function blankConditions(node: AnyFlowNode): Lack[] {
  const listed = (node.edges ?? []).map((edge, index) => ({ ...edge, path: `edges[${index}]` }))
  const goBack = (node.global_node_setting?.go_back_conditions ?? []).map((condition, index) => ({
    ...condition,
    path: `global_node_setting.go_back_conditions[${index}]`,
  }))
  return [...listed, ...goBack].flatMap(({ path, transition_condition: { type, prompt } }) => {
    if (type !== 'prompt' || prompt.trim() !== '') return []
    return [{ path: `${path}.transition_condition.prompt`, what: `says nothing about when "${path}" is taken` }]
  })
}
