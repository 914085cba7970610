import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { ExtractedVariable } from '@parley/contract/tools'
import type { JsonObject, ModelTool } from '../../ports.ts'
import type { DialogueEvent } from '../conversation.ts'
import { isJsonObject, parseJson } from '../json.ts'
import { type RequestedCall, requestToolCall } from '../models/request-tool-call.ts'
import { joinParagraphs, toSingleLine } from '../text.ts'
import { buildExtractionSchema } from '../tools/extraction.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import type { Choice } from './decide-transition.ts'
import { formatTransitionExamples } from './examples.ts'
import type { FlowRun } from './flow-run.ts'
import { getInstructionText, getNodeModel } from './node-scene.ts'
import { readChoice, unwrapChoice } from './parse-choice.ts'

/** A question to a router. */
export interface RouterQuestion {
  readonly choices: readonly Choice[]
  /** Key of the option to stay at the node or take its else edge if no condition applies. */
  readonly fallbackKey: 'stay' | 'else'
  /** Destination of the else edge, or `null` to stay. */
  readonly fallbackDestination: string | null
  /** Variables that the destinations extract. */
  readonly variables: readonly ExtractedVariable[]
  /** What happened at the node, or `null` if the history already contains it. */
  readonly note: string | null
}

/** A router's answer. */
export interface RouterAnswer {
  /** The selected choice, or `null` if no choice applies. */
  readonly choice: Choice | null
  readonly rationale: string
  /** All arguments including variables, or `null` for an unusable answer. */
  readonly args: JsonObject | null
}

const ROUTER_TOOL = 'choose_transition'

/** Arguments of the router tool. Variables cannot use these names. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['choice', 'reason'])

/** Maximum length of the flow's global prompt in the question. */
const GLOBAL_PROMPT_LIMIT_CHARACTERS = 4_000
const RATIONALE_LIMIT_CHARACTERS = 300

/** Condition for staying or taking the else edge. */
const FALLBACK_CONDITION = 'None of the others applies.'

const NO_ANSWER: RouterAnswer = { choice: null, rationale: 'The model gave no usable answer.', args: null }

const INSTRUCTION =
  'You decide where a conversation goes next; you do not speak in it. Read it and choose the one condition that holds now, ' +
  'judged by what was said and done last. Conditions e… belong to the present step and win over b… and g… when several hold.'

/** Asks a model to select one of the choices, without saying anything to the user. */
export async function* askRouter(
  { turn, engine }: FlowRun,
  node: AnyFlowNode,
  question: RouterQuestion,
): AsyncGenerator<DialogueEvent, { readonly answer: RouterAnswer; readonly requestedCall: RequestedCall }> {
  const { lookup } = turn
  const globalPrompt = renderTemplate(engine.globalPrompt, lookup).slice(0, GLOBAL_PROMPT_LIMIT_CHARACTERS)
  const instructionText = renderTemplate(getInstructionText(node), lookup)
  const { choices, fallbackKey, fallbackDestination, note } = question
  const system = joinParagraphs([
    INSTRUCTION,
    globalPrompt.trim() === '' ? '' : `The conversation follows these instructions:\n${globalPrompt}`,
    instructionText.trim() === '' ? '' : `The present step of the conversation:\n${instructionText}`,
    formatTransitionExamples(node, choices, { key: fallbackKey, destination: fallbackDestination }),
    note === null ? '' : `What happened at this step: ${note}`,
  ])
  const prompt = { system, tools: [buildRouterTool(question, lookup)], temperature: engine.temperature }
  const requestedCall = yield* requestToolCall(turn, { prompt, model: getNodeModel(engine, node) })
  return { answer: readAnswer(requestedCall, question, lookup), requestedCall }
}

/** Builds the tool whose arguments answer the question. The offline model also reads this schema. */
function buildRouterTool(question: RouterQuestion, lookup: VariableLookup): ModelTool {
  const { choices, fallbackKey, variables } = question
  const descriptions = choices.map(({ key, condition }) => `${key}: ${toSingleLine(renderTemplate(condition, lookup))}`)
  const choice = {
    type: 'string',
    enum: [...choices.map(({ key }) => key), fallbackKey],
    description: [...descriptions, `${fallbackKey}: ${FALLBACK_CONDITION}`].join('\n'),
  }
  const reason = { type: 'string', description: 'Why, at most ten words.' }
  const variableProperties = buildExtractionSchema(selectRequestableVariables(variables)).properties as JsonObject
  return {
    name: ROUTER_TOOL,
    description: 'Decides where the conversation goes next. Choose the condition that holds now.',
    parameters: { type: 'object', properties: { choice, reason, ...variableProperties }, required: ['choice'] },
  }
}

/** Returns the variables that a router can return with its choice. */
export function selectRequestableVariables(variables: readonly ExtractedVariable[]): readonly ExtractedVariable[] {
  return variables.filter(({ name }) => !RESERVED_NAMES.has(name))
}

/** Reads a router's answer. No key or several keys count as no choice. */
function readAnswer({ call, text }: RequestedCall, question: RouterQuestion, lookup: VariableLookup): RouterAnswer {
  const answerText = call === null ? text : call.name === ROUTER_TOOL ? call.argumentsText : ''
  const value = parseJson(answerText)
  if (value === undefined && (call !== null || answerText.trim() === '')) return NO_ANSWER
  const args = isJsonObject(value) ? value : null
  const { choices, fallbackKey, variables } = question
  const options = [
    ...choices.map(({ key, condition }) => ({ key, condition: renderTemplate(condition, lookup) })),
    { key: fallbackKey, condition: FALLBACK_CONDITION },
  ]
  const variableNames = new Set(selectRequestableVariables(variables).map(({ name }) => name))
  const key = readChoice(args === null ? (value ?? answerText) : unwrapChoice(args, variableNames), options)
  if (key === null) {
    return call === null ? NO_ANSWER : { choice: null, rationale: 'The model chose an unknown option.', args: null }
  }
  const choice = choices.find((choice) => choice.key === key) ?? null
  const reason = typeof args?.reason === 'string' ? toSingleLine(args.reason).slice(0, RATIONALE_LIMIT_CHARACTERS) : ''
  return { choice, rationale: reason === '' ? 'Chosen by the model.' : reason, args }
}
