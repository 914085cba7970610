import { FLOW_LIMIT_BYTES } from '@parley/contract/conversation-flow'
import type { ErrorDetail } from '@parley/contract/errors'
import type { FlowNode } from '@parley/contract/flow-node'
import type { FlowTool } from '@parley/contract/flow-tool'
import type { LocalFlowComponent } from '@parley/contract/local-component'
import type { Page, PageRequest } from '../../kernel/api/paging.ts'
import { AppError } from '../../kernel/errors.ts'
import { MAX_COMPONENTS } from './collect-components.ts'

/** Maximum number of graphs in memory at a time. */
const BATCH_SIZE = 50

/** Reads a page in batches and keeps only the results of `toItem`. */
export async function listInBatches<Row, Item>(
  { limit, after: start }: PageRequest,
  list: (page: PageRequest) => Promise<Page<Row>>,
  toItem: (row: Row) => Item,
): Promise<Page<Item>> {
  const items: Item[] = []
  let after = start
  for (;;) {
    const batch = await list({ limit: Math.min(BATCH_SIZE, limit - items.length), after })
    items.push(...batch.items.map(toItem))
    if (batch.next === null || items.length >= limit) return { items, next: batch.next }
    after = batch.next
  }
}

/** Same limit as in other error responses. */
const MAX_DETAILS = 50

/** Throws one `invalid_request` error for all problems. Does nothing if the list is empty. */
export function rejectProblems(problems: readonly ErrorDetail[]): void {
  const [firstProblem] = problems
  if (firstProblem === undefined) return
  const suffix = problems.length > 1 ? ` (and ${problems.length - 1} more, see details)` : ''
  throw new AppError('invalid_request', `${firstProblem.path}: ${firstProblem.message}${suffix}`, {
    details: problems.slice(0, MAX_DETAILS),
  })
}

/** Returns a problem if the definition exceeds the size limit, for example after many small edits. */
export function findSizeProblems(definition: object): ErrorDetail[] {
  if (Buffer.byteLength(JSON.stringify(definition)) <= FLOW_LIMIT_BYTES) return []
  return [{ path: 'nodes', message: `must be at most ${FLOW_LIMIT_BYTES} bytes of JSON including everything stored` }]
}

const MAX_WARNINGS = 50

/** Limits the number of warnings. The last warning states how many were omitted. */
export function limitWarnings(warnings: readonly string[]): string[] {
  if (warnings.length <= MAX_WARNINGS) return [...warnings]
  return [...warnings.slice(0, MAX_WARNINGS), `There are ${warnings.length - MAX_WARNINGS} more warnings.`]
}

/** Returns the warning texts for a response. */
export function getWarningMessages(warnings: readonly ErrorDetail[]): string[] {
  return warnings.map(({ message }) => message)
}

export function findTruncationWarnings(isTruncated: boolean): string[] {
  if (!isTruncated) return []
  return [`The flow uses more than ${MAX_COMPONENTS} shared components, or very large ones: the last ones are skipped.`]
}

/** Returns the models set on nodes. */
export function listNodeModels(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[] = []): string[] {
  return collectNodes(nodes, components).flatMap(({ model_choice }) => model_choice?.model ?? [])
}

/** Returns the knowledge bases set on nodes. */
export function listNodeKnowledgeBases(
  nodes: readonly FlowNode[],
  components: readonly LocalFlowComponent[] = [],
): string[] {
  return collectNodes(nodes, components).flatMap((node) =>
    'knowledge_base_ids' in node ? (node.knowledge_base_ids ?? []) : [],
  )
}

function collectNodes(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[]): FlowNode[] {
  return [nodes, ...components.map((component) => component.nodes)].flat()
}

/** A flow or component that can reference agents. */
export interface ReferencingGraph {
  readonly nodes: readonly FlowNode[]
  readonly tools: readonly FlowTool[]
}

/** Returns the target agents of the graph's handoffs and transfers, with duplicates. */
export function listReferencedAgents({ nodes, tools }: ReferencingGraph): string[] {
  return [...tools.flatMap(listToolAgents), ...nodes.flatMap(listNodeAgents)]
}

export function listNodeAgents(node: FlowNode): string[] {
  switch (node.type) {
    case 'agent_swap':
      return node.agent_id === undefined ? [] : [node.agent_id]
    case 'transfer_call':
      return listTransferAgents(node)
    case 'subagent':
      return (node.tools ?? []).flatMap(listToolAgents)
    default:
      return []
  }
}

export function listToolAgents(tool: FlowTool): string[] {
  return tool.type === 'agent_swap' ? [tool.agent_id] : listTransferAgents(tool)
}

function listTransferAgents(source: FlowNode | FlowTool): string[] {
  if (source.type !== 'transfer_call') return []
  const option = source.transfer_option
  return option?.type === 'agentic_warm_transfer' ? [option.agentic_transfer_config.transfer_agent.agent_id] : []
}
