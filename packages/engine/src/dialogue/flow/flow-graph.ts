import type { AnyFlowNode, FlowNodeType } from '@parley/contract/flow-node'
import { COMPONENT_DEPTH_LIMIT } from '@parley/contract/flow-problems/dialog-graph'
import type { FlowEngine, FlowGraph, FlowPlace, TransitionEnd } from '../conversation.ts'

/** Node types that speak with the user; all others work silently. */
const SPEAKING: ReadonlySet<FlowNodeType> = new Set(['conversation', 'subagent', 'end'])

/** Whether the node works without waiting for the user. */
export function isSilent({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return !SPEAKING.has(type)
}

/** Key of a place in records; a node of the main graph has its id as the key. */
export function placeKey({ nodeId, path }: FlowPlace): string {
  return path.length === 0 ? nodeId : JSON.stringify([...path, nodeId])
}

/** Cached by graph, since engines are immutable. */
const indexes = new WeakMap<FlowGraph, ReadonlyMap<string, AnyFlowNode>>()

function nodesOf(graph: FlowGraph): ReadonlyMap<string, AnyFlowNode> {
  const known = indexes.get(graph)
  if (known !== undefined) return known
  const made = new Map(graph.nodes.map((node): [string, AnyFlowNode] => [node.id, node]))
  indexes.set(graph, made)
  return made
}

/** Finds a node in one graph. */
export function nodeIn(graph: FlowGraph, nodeId: string): AnyFlowNode | null {
  return nodesOf(graph).get(nodeId) ?? null
}

/** The graph of a `component` node; `null` when it or its start node is missing. */
export function componentOf(engine: FlowEngine, node: AnyFlowNode): FlowGraph | null {
  const { component_id: id } = node
  if (node.type !== 'component' || id === undefined || !Object.hasOwn(engine.components, id)) return null
  const graph = engine.components[id]
  return graph !== undefined && nodeIn(graph, graph.startNodeId) !== null ? graph : null
}

/** The graph at a path of `component` nodes; `null` when a component is missing. */
export function graphAt(engine: FlowEngine, path: readonly string[]): FlowGraph | null {
  let graph: FlowGraph = engine
  for (const nodeId of path) {
    const node = nodeIn(graph, nodeId)
    const inner = node === null ? null : componentOf(engine, node)
    if (inner === null) return null
    graph = inner
  }
  return graph
}

/** The node at a place; `null` when it does not exist. */
export function nodeAt(engine: FlowEngine, place: FlowPlace): AnyFlowNode | null {
  const graph = graphAt(engine, place.path)
  return graph === null ? null : nodeIn(graph, place.nodeId)
}

/** The place itself and the start nodes of nested components that are entered with it, from the outside in. */
export function entryPlaces(engine: FlowEngine, place: FlowPlace): readonly FlowPlace[] {
  const places = [place]
  for (let at = place; at.path.length < COMPONENT_DEPTH_LIMIT; ) {
    const node = nodeAt(engine, at)
    const inner = node === null ? null : componentOf(engine, node)
    if (node === null || inner === null) break
    at = { nodeId: inner.startNodeId, path: [...at.path, node.id] }
    places.push(at)
  }
  return places
}

/** Describes a node in a transition. */
export function transitionEnd({ id, name = '' }: AnyFlowNode, { path }: Pick<FlowPlace, 'path'>): TransitionEnd {
  return { nodeId: id, path, nodeName: name }
}

/** A global node and its place. */
export interface GlobalNode {
  readonly place: FlowPlace
  readonly node: AnyFlowNode
  readonly setting: NonNullable<AnyFlowNode['global_node_setting']>
}

/** The global nodes of a place's graph and of the enclosing graphs, from the inside out, without the current nodes. */
export function globalNodesAround(engine: FlowEngine, { nodeId, path }: FlowPlace): readonly GlobalNode[] {
  const found: GlobalNode[] = []
  for (let depth = path.length; depth >= 0; depth -= 1) {
    const outer = path.slice(0, depth)
    const here = depth === path.length ? nodeId : path[depth]
    for (const node of graphAt(engine, outer)?.nodes ?? []) {
      const setting = node.global_node_setting
      if (setting !== undefined && node.id !== here) {
        found.push({ place: { nodeId: node.id, path: outer }, node, setting })
      }
    }
  }
  return found
}
