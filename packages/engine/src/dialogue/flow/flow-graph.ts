import type { AnyFlowNode, FlowNodeType } from '@parley/contract/flow-node'
import { COMPONENT_DEPTH_LIMIT } from '@parley/contract/flow-problems/dialog-graph'
import type { FlowEngine, FlowGraph, FlowPlace, TransitionEnd } from '../conversation.ts'

/** Node types that talk to the user. All others work silently. */
const SPEAKING_TYPES: ReadonlySet<FlowNodeType> = new Set(['conversation', 'subagent', 'end'])

/** Whether the node works without waiting for the user. */
export function isSilent({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return !SPEAKING_TYPES.has(type)
}

/** Returns a place's key for records. In the main graph, the key is the node ID. */
export function toPlaceKey({ nodeId, path }: FlowPlace): string {
  return path.length === 0 ? nodeId : JSON.stringify([...path, nodeId])
}

/** Nodes by ID, cached by graph because engines are immutable. */
const nodeIndexes = new WeakMap<FlowGraph, ReadonlyMap<string, AnyFlowNode>>()

function indexNodes(graph: FlowGraph): ReadonlyMap<string, AnyFlowNode> {
  const cachedIndex = nodeIndexes.get(graph)
  if (cachedIndex !== undefined) return cachedIndex
  const nodesById = new Map(graph.nodes.map((node): [string, AnyFlowNode] => [node.id, node]))
  nodeIndexes.set(graph, nodesById)
  return nodesById
}

/** Finds a node in a graph, or returns `null` if the graph does not contain it. */
export function findNode(graph: FlowGraph, nodeId: string): AnyFlowNode | null {
  return indexNodes(graph).get(nodeId) ?? null
}

/** Returns a `component` node's graph, or `null` if the graph or its start node is missing. */
export function findComponent(engine: FlowEngine, node: AnyFlowNode): FlowGraph | null {
  const { component_id: id } = node
  if (node.type !== 'component' || id === undefined || !Object.hasOwn(engine.components, id)) return null
  const graph = engine.components[id]
  return graph !== undefined && findNode(graph, graph.startNodeId) !== null ? graph : null
}

/** Returns the graph at a path of `component` nodes, or `null` if a component is missing. */
export function findGraphAt(engine: FlowEngine, path: readonly string[]): FlowGraph | null {
  let graph: FlowGraph = engine
  for (const nodeId of path) {
    const node = findNode(graph, nodeId)
    const component = node === null ? null : findComponent(engine, node)
    if (component === null) return null
    graph = component
  }
  return graph
}

/** Returns the node at a place, or `null` if there is none. */
export function findNodeAt(engine: FlowEngine, place: FlowPlace): AnyFlowNode | null {
  const graph = findGraphAt(engine, place.path)
  return graph === null ? null : findNode(graph, place.nodeId)
}

/** Returns the place and the start nodes of nested components that are entered with it, outermost first. */
export function listEntryPlaces(engine: FlowEngine, place: FlowPlace): readonly FlowPlace[] {
  const places = [place]
  for (let entryPlace = place; entryPlace.path.length < COMPONENT_DEPTH_LIMIT; ) {
    const node = findNodeAt(engine, entryPlace)
    const component = node === null ? null : findComponent(engine, node)
    if (node === null || component === null) break
    entryPlace = { nodeId: component.startNodeId, path: [...entryPlace.path, node.id] }
    places.push(entryPlace)
  }
  return places
}

/** Describes a node for a transition. */
export function toTransitionEnd({ id, name = '' }: AnyFlowNode, { path }: Pick<FlowPlace, 'path'>): TransitionEnd {
  return { nodeId: id, path, nodeName: name }
}

/** A global node and its place. */
export interface GlobalNode {
  readonly place: FlowPlace
  readonly node: AnyFlowNode
  readonly setting: NonNullable<AnyFlowNode['global_node_setting']>
}

/** Returns the global nodes of a place's graph and of the enclosing graphs, innermost first, excluding the current nodes. */
export function listGlobalNodes(engine: FlowEngine, { nodeId, path }: FlowPlace): readonly GlobalNode[] {
  const globalNodes: GlobalNode[] = []
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const outerPath = path.slice(0, depth)
    const currentNodeId = depth === path.length ? nodeId : path[depth]
    for (const node of findGraphAt(engine, outerPath)?.nodes ?? []) {
      const setting = node.global_node_setting
      if (setting !== undefined && node.id !== currentNodeId) {
        globalNodes.push({ place: { nodeId: node.id, path: outerPath }, node, setting })
      }
    }
  }
  return globalNodes
}
