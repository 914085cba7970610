import type { AnyFlowNode } from '@parley/contract/flow-node'
import { getFlowToolId } from '@parley/contract/flow-tool'
import type { FlowEngine, FlowGraph } from '../conversation.ts'
import { nodeKnowledgeUse } from '../knowledge/knowledge-use.ts'
import type { Scene } from '../scene.ts'
import { joinParagraphs } from '../text.ts'
import { type OfferedTool, offeredTools } from '../tools/offered-tools.ts'

/** The node's model, or else the flow's. */
export function modelOf(engine: FlowEngine, node: AnyFlowNode): string {
  return node.model_choice?.model ?? engine.model
}

/** The unrendered instruction; `''` without one. */
export function instructionText({ instruction }: AnyFlowNode): string {
  return instruction === undefined || instruction.type === 'template' ? '' : instruction.text
}

/** Options of a node's scene. */
export interface Speaking {
  readonly graph: FlowGraph
  /** Replaces the node's own instruction. */
  readonly instruction: string
  /** Whether to offer the node's tools. */
  readonly withTools: boolean
}

/** The scene of a node: the flow's prompt, followed by the instruction. */
export function nodeScene(engine: FlowEngine, node: AnyFlowNode, { graph, instruction, withTools }: Speaking): Scene {
  return {
    instructions: joinParagraphs([engine.globalPrompt, instruction]),
    tools: withTools ? toolsOf(graph, node) : [],
    mcps: graph.mcps,
    model: modelOf(engine, node),
    temperature: engine.temperature,
    knowledge: nodeKnowledgeUse(engine.knowledge, node),
  }
}

/** Turns a static text into an instruction to say it in other words. */
export function rephraseInstruction(text: string): string {
  return (
    'Say the meaning of the following text in words of your own that fit what the user has just said. Answer a question of ' +
    `the user first when there is one.\n\nThe text:\n${text}`
  )
}

function toolsOf(graph: FlowGraph, { type, tools = [], tool_ids: ids = [] }: AnyFlowNode): readonly OfferedTool[] {
  if (type !== 'subagent') return []
  const named = graph.tools.filter((tool) => ids.includes(getFlowToolId(tool)) || ids.includes(tool.name))
  const own = new Set(tools.map(({ name }) => name))
  return offeredTools([...tools, ...named.filter(({ name }) => !own.has(name))])
}
