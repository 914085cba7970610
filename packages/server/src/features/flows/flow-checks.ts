import { FLOW_LIMIT_BYTES } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import type { LocalFlowComponent } from '@parley/contract/local-component'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import { MAX_COMPONENTS } from './collect-components.ts'

/** Graphs are large: at most this many are in memory at once. */
const BATCH_SIZE = 50

/** Reads a page in batches and keeps only what `toItem` returns. */
export async function listInBatches<Row, Item>(
  { limit, after: start }: PageRequest,
  list: (page: PageRequest) => Promise<Page<Row>>,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const items: Item[] = []
  let after = start
  for (;;) {
    const part = await list({ limit: Math.min(BATCH_SIZE, limit - items.length), after })
    items.push(...part.items.map(toItem))
    if (part.next === null || items.length >= limit) return { items, next: part.next }
    after = part.next
  }
}

/** Same limit as in other error responses. */
const MAX_DETAILS = 50

/** Throws one `invalid_request` for all problems of a body; does nothing without problems. */
export function refuseProblems(problems: readonly ErrorDetail[]): void {
  const [first] = problems
  if (first === undefined) return
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more, see details)` : ''
  throw new AppError('invalid_request', `${first.path}: ${first.message}${more}`, {
    details: problems.slice(0, MAX_DETAILS),
  })
}

/** Many small changes could exceed what one body may contain. */
export function sizeProblems(definition: object): ErrorDetail[] {
  if (Buffer.byteLength(JSON.stringify(definition)) <= FLOW_LIMIT_BYTES) return []
  return [{ path: 'nodes', message: `must be at most ${FLOW_LIMIT_BYTES} bytes of JSON including everything stored` }]
}

/** Limit of warnings about graphs that are valid but may not work as intended. */

const MAX_WARNINGS = 50

/** The first warnings and how many more there are. */
export function shorten(warnings: readonly string[]): string[] {
  if (warnings.length <= MAX_WARNINGS) return [...warnings]
  return [...warnings.slice(0, MAX_WARNINGS), `There are ${warnings.length - MAX_WARNINGS} more warnings.`]
}

/** As responses carry them. */
export function sentencesOf(warnings: readonly ErrorDetail[]): string[] {
  return warnings.map(({ message }) => message)
}

export function truncationWarnings(isTruncated: boolean): string[] {
  if (!isTruncated) return []
  return [`The flow uses more than ${MAX_COMPONENTS} shared components, or very large ones: the last ones are skipped.`]
}

/** Models set on nodes. */
export function modelsOf(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[] = []): string[] {
  return allNodes(nodes, components).flatMap(({ model_choice }) => model_choice?.model ?? [])
}

/** Knowledge bases set on nodes. */
export function knowledgeOf(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[] = []): string[] {
  return allNodes(nodes, components).flatMap((node) =>
    'knowledge_base_ids' in node ? (node.knowledge_base_ids ?? []) : [],
  )
}

function allNodes(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[]): FlowNode[] {
  return [nodes, ...components.map((component) => component.nodes)].flat()
}

/** A flow or component that can reference agents. */
export interface ReferencingGraph {
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
}

/** The agents that nodes and tools hand over or transfer to, with duplicates. */
export function referencedAgents({ nodes, tools }: ReferencingGraph): string[] {
  return [...tools.flatMap(agentsOfTool), ...nodes.flatMap(agentsOfNode)]
}

export function agentsOfNode(node: FlowNode): string[] {
  switch (node.type) {
    case 'agent_swap':
      return node.agent_id === undefined ? [] : [node.agent_id]
    case 'transfer_call':
      return transferAgentOf(node)
    case 'subagent':
      return (node.tools ?? []).flatMap(agentsOfTool)
    default:
      return []
  }
}

export function agentsOfTool(tool: FlowTool): string[] {
  return tool.type === 'agent_swap' ? [tool.agent_id] : transferAgentOf(tool)
}

function transferAgentOf(holder: FlowNode | FlowTool): string[] {
  if (holder.type !== 'transfer_call') return []
  const option = holder.transfer_option
  return option?.type === 'agentic_warm_transfer' ? [option.agentic_transfer_config.transfer_agent.agent_id] : []
}
