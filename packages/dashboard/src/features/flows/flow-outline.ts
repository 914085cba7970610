import type { FlowNodeType } from '@parley/contract/flow-node'
import { message } from '../../lib/language.ts'
import { type FlowDocument, isRecord } from './flow-document.ts'

/** An edge in the outline of a flow. The outline skips invalid parts of the document. */
export interface OutlinedEdge {
  /** Path within the document, such as `nodes[2].edges[0]`. */
  readonly path: string
  /** The condition as the author wrote it. */
  readonly condition: string
  /** English condition implied by the type of edge, or null. */
  readonly implicitCondition: string | null
  /** ID of the next node; null if there is none. */
  readonly destination: string | null
  readonly hasKnownDestination: boolean
}

export interface OutlinedNode {
  readonly path: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly text: string
  readonly edges: readonly OutlinedEdge[]
  readonly isStart: boolean
  /** Whether the flow can move here from any node when the node's condition holds. */
  readonly isGlobal: boolean
}

export interface Graph {
  /** The name of a local component; null for the flow itself. */
  readonly name: string | null
  readonly nodes: readonly OutlinedNode[]
}

const TYPE_LABELS = {
  conversation: message('Conversation'),
  subagent: message('Subagent'),
  function: message('Tool'),
  code: message('Code'),
  transfer_call: message('Call transfer'),
  agent_swap: message('Agent transfer'),
  press_digit: message('Press digits'),
  branch: message('Branch'),
  sms: message('Text message'),
  extract_dynamic_variables: message('Extract variables'),
  mcp: message('MCP tool'),
  component: message('Component'),
  end: message('End'),
  bridge_transfer: message('Complete transfer'),
  cancel_transfer: message('Cancel transfer'),
} satisfies Readonly<Record<FlowNodeType, string>>

/** Conditions of the fields that contain a single edge. */
const SINGLE_EDGE_CONDITIONS = {
  else_edge: message('otherwise'),
  always_edge: message('after the next reply'),
  skip_response_edge: message('immediately'),
  success_edge: message('when sent'),
  failed_edge: message('on failure'),
  edge: message('when the transfer fails'),
} as const

const ALWAYS_CONDITION = message('always')

/** Lists the graph of the flow, followed by the graphs of its local components. */
export function listGraphs(document: FlowDocument): Graph[] {
  const components = listRecords(document['components']).map(({ value, index }) => ({
    name: readText(value['name']) || readText(value['component_id']),
    nodes: listNodes(value, `components[${index}].`),
  }))
  return [{ name: null, nodes: listNodes(document, '') }, ...components]
}

function listNodes(graph: FlowDocument, prefix: string): OutlinedNode[] {
  const nodes = listRecords(graph['nodes'])
  const ids = new Set(nodes.map(({ value }) => readText(value['id'])))
  const startId = readText(graph['start_node_id']) || readText(nodes[0]?.value['id'])
  return nodes.map(({ value, index }) => {
    const id = readText(value['id'])
    const type = readText(value['type'])
    return {
      path: `${prefix}nodes[${index}]`,
      id,
      name: readText(value['name']),
      type: type in TYPE_LABELS ? TYPE_LABELS[type as FlowNodeType] : type,
      text: summarizeNode(value),
      edges: listEdges(value, `${prefix}nodes[${index}]`, ids),
      isStart: id !== '' && id === startId,
      isGlobal: isRecord(value['global_node_setting']),
    }
  })
}

function summarizeNode(node: FlowDocument): string {
  const instruction = node['instruction']
  const instructionText = isRecord(instruction)
    ? readText(instruction['text']) || readText(instruction['template'])
    : ''
  const actionTexts = ['tool_id', 'mcp_tool_name', 'component_id', 'agent_id', 'code'].map((name) =>
    readText(node[name]),
  )
  const variables = listRecords(node['variables']).map(({ value }) => readText(value['name']))
  return (
    instructionText || actionTexts.find((text) => text !== '') || variables.filter((name) => name !== '').join(', ')
  )
}

function listEdges(node: FlowDocument, path: string, ids: ReadonlySet<string>): OutlinedEdge[] {
  const arrayEdges = listRecords(node['edges']).map(({ value, index }) => ({
    value,
    path: `${path}.edges[${index}]`,
    implicitCondition: null,
  }))
  const singleEdges = Object.entries(SINGLE_EDGE_CONDITIONS).flatMap(([field, implicitCondition]) => {
    const value = node[field]
    return isRecord(value) ? [{ value, path: `${path}.${field}`, implicitCondition }] : []
  })
  const edges = [...arrayEdges, ...singleEdges]
  return edges.map(({ value, path: edgePath, implicitCondition }) => {
    const destination = readText(value['destination_node_id']) || null
    // "Otherwise" is meaningless without other edges.
    const isOnlyEdge = edges.length === 1 && implicitCondition === SINGLE_EDGE_CONDITIONS.else_edge
    return {
      path: edgePath,
      implicitCondition: isOnlyEdge ? ALWAYS_CONDITION : implicitCondition,
      condition: describeCondition(value['transition_condition']),
      destination,
      hasKnownDestination: destination !== null && ids.has(destination),
    }
  })
}

function describeCondition(condition: unknown): string {
  if (!isRecord(condition)) return ''
  const { prompt, equations, operator } = condition
  if (readText(prompt) !== '') return readText(prompt)
  return listRecords(equations)
    .map(({ value }) =>
      [value['left'], value['operator'], value['right']].filter((operand) => operand !== undefined).join(' '),
    )
    .join(operator === '||' ? ' || ' : ' && ')
}

/** Returns the path that a server warning refers to, or null for the whole flow. */
export function findWarningPath(document: FlowDocument, warning: string): string | null {
  const componentMatch = /^In component "(.*?)": (.*)$/s.exec(warning)
  if (componentMatch !== null) {
    const match = listRecords(document['components']).find(({ value }) => value['name'] === componentMatch[1])
    if (match === undefined) return null
    const nestedPath = findWarningPath(match.value, componentMatch[2] ?? '')
    return `components[${match.index}]${nestedPath === null ? '' : `.${nestedPath}`}`
  }
  if (warning.startsWith('The tool list ')) return 'tools'
  const warningMatch = /^(?:Node|No edge leads to) "(.*?)"(.*)$/s.exec(warning)
  const node = listRecords(document['nodes']).find(({ value }) => value['id'] === warningMatch?.[1])
  if (warningMatch === null || node === undefined) return null
  const fieldPath = [...(warningMatch[2] ?? '').matchAll(/"([a-z][\w.[\]]*)"/g)].at(-1)?.[1] ?? ''
  const isField = fieldPath !== '' && (fieldPath.split(/[.[]/)[0] ?? '') in node.value
  return `nodes[${node.index}]${isField ? `.${fieldPath}` : ''}`
}

/** Whether a server warning says that no edge leads to a node. */
export function isUnreachable(warnings: readonly string[], graph: Graph, id: string): boolean {
  const sentence = `No edge leads to "${id}".`
  return warnings.includes(graph.name === null ? sentence : `In component "${graph.name}": ${sentence}`)
}

function listRecords(list: unknown): { readonly value: FlowDocument; readonly index: number }[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((value: unknown, index) => (isRecord(value) ? [{ value, index }] : []))
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
