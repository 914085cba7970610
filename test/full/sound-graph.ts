import { EDGE_FIELDS } from '@parley/contract/flow-node'

type Fields = Readonly<Record<string, unknown>>

/** A graph of generated nodes whose ids and edges fit together, as no schema of its parts can say. */
export function soundGraph(body: Fields): Fields {
  const { nodes, start_node_id, ...others } = body
  if (!Array.isArray(nodes)) return others
  const sound = (nodes as Fields[]).map((node, index) => soundNode(node, { index, count: nodes.length }))
  return { ...others, nodes: sound, ...(start_node_id !== undefined && { start_node_id: nameOf(0) }) }
}

interface Place {
  readonly index: number
  readonly count: number
}

const nameOf = (index: number): string => `n${index}`

function soundNode(node: Fields, { index, count }: Place): Fields {
  // Only ever forward: a circle of branches would be refused.
  const next = index + 1 < count ? nameOf(index + 1) : undefined
  const led = (edge: unknown, id: string): Fields => ({ ...(edge as Fields), id, destination_node_id: next })
  const edges = (node.edges ?? []) as unknown[]
  const placed = EDGE_FIELDS.filter((field) => node[field] !== undefined)
  return {
    ...node,
    id: nameOf(index),
    ...(node.edges !== undefined && { edges: edges.map((edge, at) => led(edge, `e${at}`)) }),
    ...(node.type === 'branch' && { else_edge: led({}, 'else') }),
    ...Object.fromEntries(placed.map((field) => [field, led(node[field], field)])),
  }
}
