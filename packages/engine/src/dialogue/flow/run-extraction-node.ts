import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { DialogueEvent } from '../conversation.ts'
import { parseJsonObject } from '../json.ts'
import { requestToolCall } from '../models/request-tool-call.ts'
import { buildExtractionSchema, readExtraction } from '../tools/extraction.ts'
import { collectVariables } from '../tools/settle-call.ts'
import { buildQuestionPrompt, type FlowRun, type NodeContext } from './flow-run.ts'
import type { NodeEnd } from './flow-step.ts'
import { getNodeModel } from './node-scene.ts'
import { selectRequestableVariables } from './router.ts'

const EXTRACTION_TASK =
  'Store the facts of the conversation by calling the tool. Leave out what nobody has said; never make a value ' +
  'up. Use null for a value that no longer holds.'
const TOOL_NAME = 'extract_dynamic_variables'

/** Returns the variables of an `extract_dynamic_variables` node. */
export function getNodeVariables({ type, variables = [] }: AnyFlowNode): NonNullable<AnyFlowNode['variables']> {
  return type === 'extract_dynamic_variables' ? variables : []
}

/** Collects a node's variables from the router's answer, or asks a model once if the router returned none. */
export async function* runExtractionNode(run: FlowRun, { node }: NodeContext): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn, engine } = run
  const nodeVariables = getNodeVariables(node)
  if (nodeVariables.length === 0) return { type: 'worked', note: null }
  const routerExtraction = readExtraction(run.routerArgs ?? {}, selectRequestableVariables(nodeVariables))
  const isComplete =
    routerExtraction.missingNames.length === 0 &&
    selectRequestableVariables(nodeVariables).length === nodeVariables.length
  let { variables } = routerExtraction
  if (run.routerArgs === null || !isComplete) {
    const description = 'Stores facts that the user has given.'
    const tool = { name: TOOL_NAME, description, parameters: buildExtractionSchema(nodeVariables) }
    const prompt = buildQuestionPrompt(run, node, { task: EXTRACTION_TASK, tool })
    const response = yield* requestToolCall(turn, { prompt, model: getNodeModel(engine, node) })
    if (turn.signal.aborted) return { type: 'engine-end', end: { type: 'stopped' } }
    const args = response.call?.name === TOOL_NAME ? parseJsonObject(response.call.argumentsText) : null
    variables = { ...variables, ...readExtraction(args ?? {}, nodeVariables).variables }
  }
  yield* collectVariables(turn, variables)
  return { type: 'worked', note: null }
}
