import type { AnyFlowNode } from '@parley/contract/flow-node'
import { flowToolId } from '@parley/contract/flow-tool'
import type { FlowEngine, FlowGraph } from '../conversation.ts'
import { nodeKnowledgeUse } from '../knowledge/knowledge-use.ts'
import type { Scene } from '../scene.ts'
import { type OfferedTool, offeredTools } from '../tools/offered-tools.ts'

/** The model of a node: its own, else the flow's. */
export function modelOf(engine: FlowEngine, node: AnyFlowNode): string {
  return node.model_choice?.model ?? engine.model
}

/** Words of the instruction as they are written; blank when there are none. */
export function instructionText({ instruction }: AnyFlowNode): string {
  return instruction === undefined || instruction.type === 'template' ? '' : instruction.text
}

/** How a node is spoken in. */
export interface Speaking {
  readonly graph: FlowGraph
  /** What the model is told of the node, in the place of its own words. */
  readonly instruction: string
  /** Whether the tools of the node are offered. */
  readonly withTools: boolean
}

/** What a model speaks with at a node: the flow's prompt, then the instruction. */
export function nodeScene(engine: FlowEngine, node: AnyFlowNode, { graph, instruction, withTools }: Speaking): Scene {
  return {
    instructions: [engine.globalPrompt, instruction].filter((part) => part.trim() !== '').join('\n\n'),
    tools: withTools ? toolsOf(graph, node) : [],
    mcps: graph.mcps,
    model: modelOf(engine, node),
    temperature: engine.temperature,
    knowledge: nodeKnowledgeUse(engine.knowledge, node),
  }
}

/** What a static text becomes when it was said before, or has to fit what the user has just said. */
export function rephraseInstruction(text: string): string {
  return (
    'Say the meaning of the following text in words of your own that fit what the user has just said. Answer a question of ' +
    `the user first when there is one.\n\nThe text:\n${text}`
  )
}

function toolsOf(graph: FlowGraph, { type, tools = [], tool_ids: ids = [] }: AnyFlowNode): readonly OfferedTool[] {
  if (type !== 'subagent') return []
  const named = graph.tools.filter((tool) => ids.includes(flowToolId(tool)) || ids.includes(tool.name))
  const own = new Set(tools.map(({ name }) => name))
  return offeredTools([...tools, ...named.filter(({ name }) => !own.has(name))])
}
