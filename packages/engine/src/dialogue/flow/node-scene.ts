import type { AnyFlowNode } from '@parley/contract/flow-node'
import { getFlowToolId } from '@parley/contract/flow-tool'
import type { FlowEngine, FlowGraph } from '../conversation.ts'
import { getNodeKnowledgeUse } from '../knowledge/knowledge-use.ts'
import type { Scene } from '../scene.ts'
import { joinParagraphs } from '../text.ts'
import { filterOfferedTools, type OfferedTool } from '../tools/offered-tools.ts'

/** Returns the node's model, or the flow's model if the node has none. */
export function getNodeModel(engine: FlowEngine, node: AnyFlowNode): string {
  return node.model_choice?.model ?? engine.model
}

/** Returns the instruction before rendering, or `''` if there is none. */
export function getInstructionText({ instruction }: AnyFlowNode): string {
  return instruction === undefined || instruction.type === 'template' ? '' : instruction.text
}

/** Options for a node's scene. */
export interface NodeSceneOptions {
  readonly graph: FlowGraph
  /** Text that replaces the node's instruction. */
  readonly instruction: string
  /** Whether to offer the node's tools. */
  readonly withTools: boolean
}

/** Builds a node's scene from the flow's prompt and the instruction. */
export function buildNodeScene(
  engine: FlowEngine,
  node: AnyFlowNode,
  { graph, instruction, withTools }: NodeSceneOptions,
): Scene {
  return {
    instructions: joinParagraphs([engine.globalPrompt, instruction]),
    tools: withTools ? listNodeTools(graph, node) : [],
    mcps: graph.mcps,
    model: getNodeModel(engine, node),
    temperature: engine.temperature,
    knowledge: getNodeKnowledgeUse(engine.knowledge, node),
  }
}

/** Builds an instruction to say a static text in different words. */
export function buildRephraseInstruction(text: string): string {
  return (
    'Say the meaning of the following text in words of your own that fit what the user has just said. Answer a question of ' +
    `the user first when there is one.\n\nThe text:\n${text}`
  )
}

function listNodeTools(
  graph: FlowGraph,
  { type, tools = [], tool_ids: ids = [] }: AnyFlowNode,
): readonly OfferedTool[] {
  if (type !== 'subagent') return []
  const referencedTools = graph.tools.filter((tool) => ids.includes(getFlowToolId(tool)) || ids.includes(tool.name))
  const toolNames = new Set(tools.map(({ name }) => name))
  return filterOfferedTools([...tools, ...referencedTools.filter(({ name }) => !toolNames.has(name))])
}
