import { edgesOf, type FlowNode } from '@parley/contract/flow-node'
import { flowToolId } from '@parley/contract/flow-tool'
import type { DialogGraph, KnownComponents } from './dialog-graph.ts'

/** Sentences about graphs that can be stored but will not do what their author wants. */

const MOST_WARNINGS = 50

/** The first sentences, and how many more there were. */
export function shorten(warnings: readonly string[]): string[] {
  if (warnings.length <= MOST_WARNINGS) return [...warnings]
  return [...warnings.slice(0, MOST_WARNINGS), `There are ${warnings.length - MOST_WARNINGS} more warnings.`]
}

/** What holds for flows and components alike. */
export function graphWarnings(graph: DialogGraph, components: KnownComponents): string[] {
  const unreachable = unreachableNodes(graph)
  return [
    ...(unreachable.length === 0 ? [] : [`No edge leads to ${quoted(unreachable)}.`]),
    ...graph.nodes.flatMap((node) => nodeWarnings(node, graph, components)),
  ]
}

/** Of names that nothing in the flow sets. */
export function variableWarnings(names: readonly string[]): string[] {
  if (names.length === 0) return []
  return [`Nothing in the flow sets ${quoted(names)}: such text stays as written unless a conversation is given them.`]
}

/** Models that nodes choose for themselves. */
export function modelsOf(nodes: readonly FlowNode[]): string[] {
  return nodes.flatMap(({ model_choice }) => model_choice?.model ?? [])
}

/** Nodes that neither the start nor a node with a global condition leads to. */
function unreachableNodes({ nodes, start_node_id }: DialogGraph): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const waiting = nodes
    .filter(({ id, global_node_setting }) => id === start_node_id || global_node_setting !== undefined)
    .map(({ id }) => id)
  const reached = new Set<string>(waiting)
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const node = byId.get(id)
    if (node === undefined) continue
    for (const { edge } of edgesOf(node)) {
      const target = edge.destination_node_id
      if (target === undefined || reached.has(target)) continue
      reached.add(target)
      waiting.push(target)
    }
  }
  return nodes.filter(({ id }) => !reached.has(id)).map(({ id }) => id)
}

function nodeWarnings(node: FlowNode, graph: DialogGraph, components: KnownComponents): string[] {
  const loose = edgesOf(node)
    .filter(({ edge }) => edge.destination_node_id === undefined)
    .map(({ path }) => `leads nowhere with "${path}"`)
  const lacks = lackOf(node, graph, components)
  return [...lacks, ...loose].map((what) => `Node "${node.id}" ${what}.`)
}

function lackOf(node: FlowNode, graph: DialogGraph, components: KnownComponents): string[] {
  const lack = (missing: boolean, what: string): string[] => (missing ? [what] : [])
  switch (node.type) {
    case 'conversation':
      return lack(node.instruction === undefined, 'has no "instruction", so it has nothing to say')
    case 'subagent':
      return [
        ...lack(node.instruction === undefined, 'has no "instruction", so it has nothing to say'),
        ...(node.tool_ids ?? []).flatMap((id) =>
          lack(!hasTool(graph, id), `names the tool "${id}", which is not there`),
        ),
      ]
    case 'function':
      if (node.tool_id === undefined) return ['has no "tool_id", so it runs nothing']
      return lack(!hasTool(graph, node.tool_id), `names the tool "${node.tool_id}", which is not there`)
    case 'code':
      return lack(node.code === undefined, 'has no "code", so it runs nothing')
    case 'transfer_call':
      return lack(node.transfer_destination === undefined, 'has no "transfer_destination", so the transfer fails')
    case 'agent_swap':
      return lack(node.agent_id === undefined, 'has no "agent_id", so the hand-over fails')
    case 'sms':
      return lack(node.instruction === undefined, 'has no "instruction", so there is no message to send')
    case 'press_digit':
      return lack(node.instruction === undefined, 'has no "instruction", so it does not know which keys to press')
    case 'extract_dynamic_variables':
      return lack(node.variables === undefined, 'has no "variables", so it extracts nothing')
    case 'mcp':
      return lack(
        node.mcp_id === undefined || node.mcp_tool_name === undefined,
        'does not name its MCP server and tool',
      )
    case 'component':
      if (node.component_id === undefined) return ['has no "component_id", so it is skipped']
      if (node.component_type === 'local') return ['names a local component; only shared ones exist, so it is skipped']
      return lack(!components.has(node.component_id), `names the component "${node.component_id}", which is not there`)
    case 'branch':
    case 'end':
    case 'bridge_transfer':
    case 'cancel_transfer':
      return []
  }
}

function hasTool({ tools }: DialogGraph, id: string): boolean {
  return tools.some((tool) => flowToolId(tool) === id || tool.name === id)
}

function quoted(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => `"${name}"`)
  return names.length > shown.length ? `${shown.join(', ')} and ${names.length - shown.length} more` : shown.join(', ')
}
