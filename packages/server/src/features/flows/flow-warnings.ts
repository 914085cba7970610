import type { ErrorDetail } from '@parley/contract/errors'
import type { FlowNode } from '@parley/contract/flow-node'
import type { LocalFlowComponent } from '@parley/contract/local-component'
import { MAX_COMPONENTS } from './collect-components.ts'

/** Sentences about graphs that can be stored but will not do what their author wants. */

const MAX_WARNINGS = 50

/** The first sentences, and how many more there were. */
export function shorten(warnings: readonly string[]): string[] {
  if (warnings.length <= MAX_WARNINGS) return [...warnings]
  return [...warnings.slice(0, MAX_WARNINGS), `There are ${warnings.length - MAX_WARNINGS} more warnings.`]
}

/** As answers carry them. */
export function sentencesOf(warnings: readonly ErrorDetail[]): string[] {
  return warnings.map(({ message }) => message)
}

/** What is said of a flow that runs more than it may. */
export function truncationWarnings(isTruncated: boolean): string[] {
  if (!isTruncated) return []
  return [`The flow runs more than ${MAX_COMPONENTS} shared components, or very large ones: the last are skipped.`]
}

/** Models that nodes choose for themselves. */
export function modelsOf(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[] = []): string[] {
  return allNodes(nodes, components).flatMap(({ model_choice }) => model_choice?.model ?? [])
}

/** Knowledge bases that nodes name for themselves. */
export function knowledgeOf(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[] = []): string[] {
  return allNodes(nodes, components).flatMap((node) =>
    'knowledge_base_ids' in node ? (node.knowledge_base_ids ?? []) : [],
  )
}

function allNodes(nodes: readonly FlowNode[], components: readonly LocalFlowComponent[]): FlowNode[] {
  return [nodes, ...components.map((component) => component.nodes)].flat()
}
