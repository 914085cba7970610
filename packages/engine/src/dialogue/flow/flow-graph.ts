import type { AnyFlowNode, FlowNodeType } from '@parley/contract/flow-node'
import { COMPONENT_DEPTH_LIMIT } from '@parley/contract/flow-problems/dialog-graph'
import type { FlowEngine, FlowGraph, FlowPlace, TransitionEnd } from '../conversation.ts'

/** Nodes that speak with the user; all others do their work in silence and go on. */
const SPEAKING: ReadonlySet<FlowNodeType> = new Set(['conversation', 'subagent', 'end'])

/** Whether the node does its work without waiting for the user. */
export function isSilent({ type }: Pick<AnyFlowNode, 'type'>): boolean {
  return !SPEAKING.has(type)
}

/** A name for a place by which memory of it is kept; places of the main graph are named by their node alone. */
export function placeKey({ nodeId, path }: FlowPlace): string {
  return path.length === 0 ? nodeId : JSON.stringify([...path, nodeId])
}

/** By graph: engines are frozen versions, so the same objects come back, and go when their engine does. */
const indexes = new WeakMap<FlowGraph, ReadonlyMap<string, AnyFlowNode>>()

function nodesOf(graph: FlowGraph): ReadonlyMap<string, AnyFlowNode> {
  const known = indexes.get(graph)
  if (known !== undefined) return known
  const made = new Map(graph.nodes.map((node): [string, AnyFlowNode] => [node.id, node]))
  indexes.set(graph, made)
  return made
}

/** The node of that id in one graph. */
export function nodeIn(graph: FlowGraph, nodeId: string): AnyFlowNode | null {
  return nodesOf(graph).get(nodeId) ?? null
}

/** The graph that a node of type `component` runs; `null` when it is missing or cannot begin. */
export function componentOf(engine: FlowEngine, node: AnyFlowNode): FlowGraph | null {
  const { component_id: id } = node
  if (node.type !== 'component' || id === undefined || !Object.hasOwn(engine.components, id)) return null
  const graph = engine.components[id]
  return graph !== undefined && nodeIn(graph, graph.startNodeId) !== null ? graph : null
}

/** The graph that the nodes of type `component` on a path lead to; `null` when one of them does not. */
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

/** The node at a place; `null` when the engine has no such place. */
export function nodeAt(engine: FlowEngine, place: FlowPlace): AnyFlowNode | null {
  const graph = graphAt(engine, place.path)
  return graph === null ? null : nodeIn(graph, place.nodeId)
}

/** All places that a conversation enters with one: the place itself, and in components the start, from the outside in. */
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

/** A node as a transition tells of it. */
export function transitionEnd({ id, name = '' }: AnyFlowNode, { path }: Pick<FlowPlace, 'path'>): TransitionEnd {
  return { nodeId: id, path, nodeName: name }
}

/** A node that can be reached from many places, and where it is. */
export interface GlobalNode {
  readonly place: FlowPlace
  readonly node: AnyFlowNode
  readonly setting: NonNullable<AnyFlowNode['global_node_setting']>
}

/**
 * The global nodes of the graph at a place and of the graphs around it, from the inside out, in their order. The place itself
 * and the components that it is in are left out: nobody comes where they are.
 */
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
