import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { DialogueEvent } from '../conversation.ts'
import { parseJsonObject } from '../json.ts'
import { requestToolCall } from '../models/request-tool-call.ts'
import { extractionSchema, readExtraction } from '../tools/extraction.ts'
import { collectVariables } from '../tools/settle-call.ts'
import { type FlowRun, type NodeContext, questionPrompt } from './flow-run.ts'
import type { NodeEnd } from './flow-step.ts'
import { modelOf } from './node-scene.ts'
import { requestableVariables } from './router.ts'

const EXTRACTION_TASK =
  'Store the facts of the conversation by calling the tool. Leave out what nobody has said; never make a value ' +
  'up. Use null for a value that no longer holds.'
const TOOL_NAME = 'extract_dynamic_variables'

/** The variables of an `extract_dynamic_variables` node. */
export function variablesOf({ type, variables = [] }: AnyFlowNode): NonNullable<AnyFlowNode['variables']> {
  return type === 'extract_dynamic_variables' ? variables : []
}

/** Collects a node's variables from the router's answer, or else asks a model once. */
export async function* runExtractionNode(run: FlowRun, { node }: NodeContext): AsyncGenerator<DialogueEvent, NodeEnd> {
  const { turn, engine } = run
  const wanted = variablesOf(node)
  if (wanted.length === 0) return { type: 'worked', note: null }
  const routerArgs = readExtraction(run.routerArgs ?? {}, requestableVariables(wanted))
  const isComplete = routerArgs.missing.length === 0 && requestableVariables(wanted).length === wanted.length
  let { variables } = routerArgs
  if (run.routerArgs === null || !isComplete) {
    const description = 'Stores facts that the user has given.'
    const tool = { name: TOOL_NAME, description, parameters: extractionSchema(wanted) }
    const prompt = questionPrompt(run, node, { task: EXTRACTION_TASK, tool })
    const asked = yield* requestToolCall(turn, { prompt, model: modelOf(engine, node) })
    if (turn.signal.aborted) return { type: 'engine-end', end: { type: 'stopped' } }
    const args = asked.call?.name === TOOL_NAME ? parseJsonObject(asked.call.argumentsText) : null
    variables = { ...variables, ...readExtraction(args ?? {}, wanted).variables }
  }
  yield* collectVariables(turn, variables)
  return { type: 'worked', note: null }
}
