import { EDGE_FIELDS } from '@parley/contract/flow-node'

type Fields = Readonly<Record<string, unknown>>

/**
 * Generates nodes with consistent ids and edges, which schemas cannot ensure, and components that contain only shared
 * components.
 */
export function validGraph(body: Fields): Fields {
  const { nodes, start_node_id, components, ...others } = body
  const parts = Array.isArray(components) ? { components: (components as Fields[]).map(validComponent) } : {}
  if (!Array.isArray(nodes)) return { ...others, ...parts }
  const sound = (nodes as Fields[]).map((node, index) => validNode(node, { index, count: nodes.length }))
  return { ...others, ...parts, nodes: sound, ...(start_node_id !== undefined && { start_node_id: nameOf(0) }) }
}

function validComponent(component: Fields, index: number): Fields {
  const { component_id: _id, ...sound } = validGraph(component)
  return { ...sound, name: `Component ${index}` }
}

/** Generates states with consistent names, tools and edges. The starting state is one of them. */
export function validStates(body: Fields): Fields {
  const { states, starting_state, ...others } = body
  const given = Array.isArray(states) ? (states as Fields[]) : []
  const nameOfState = (index: number) => `state_${index % given.length}`
  const sound = given.map((state, index) => {
    const [edge] = (state.edges ?? []) as Fields[]
    const led = edge === undefined ? {} : { edges: [{ ...edge, destination_state_name: nameOfState(index + 1) }] }
    const tools = ((state.tools ?? []) as Fields[]).map((tool, at) => ({ ...tool, name: `state_tool_${at}` }))
    const parts = { ...(state.edges !== undefined && { edges: [] }), ...(state.tools !== undefined && { tools }) }
    return { ...state, ...parts, ...led, name: nameOfState(index) }
  })
  return {
    ...others,
    ...(states !== undefined && { states: Array.isArray(states) ? sound : states }),
    ...(starting_state !== undefined && { starting_state: given.length === 0 ? null : nameOfState(0) }),
  }
}

interface Place {
  readonly index: number
  readonly count: number
}

const nameOf = (index: number): string => `n${index}`

function validNode(node: Fields, { index, count }: Place): Fields {
  // Edges lead only forward, because cycles of branches are rejected.
  const next = index + 1 < count ? nameOf(index + 1) : undefined
  const led = (edge: unknown, id: string): Fields => ({ ...(edge as Fields), id, destination_node_id: next })
  const edges = (node.edges ?? []) as unknown[]
  const positioned = EDGE_FIELDS.filter((field) => node[field] !== undefined)
  return {
    ...node,
    id: nameOf(index),
    ...(node.edges !== undefined && { edges: edges.map((edge, at) => led(edge, `e${at}`)) }),
    ...(node.type === 'branch' && { else_edge: led({}, 'else') }),
    ...Object.fromEntries(positioned.map((field) => [field, led(node[field], field)])),
  }
}
