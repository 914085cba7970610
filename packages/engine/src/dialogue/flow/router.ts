import type { AnyFlowNode } from '@parley/contract/flow-node'
import type { ExtractedVariable } from '@parley/contract/tools'
import type { JsonObject, JsonValue, ModelTool } from '../../ports.ts'
import type { DialogueEvent } from '../conversation.ts'
import { type RequestedCall, requestToolCall } from '../models/request-tool-call.ts'
import { extractionSchema } from '../tools/extraction.ts'
import type { Turn } from '../turn.ts'
import { renderTemplate, type VariableLookup } from '../variables/variables.ts'
import type { Choice } from './decide-transition.ts'
import { transitionExamples } from './examples.ts'
import { readChoice, unwrapChoice } from './parse-choice.ts'

/** What a model is asked to choose from. */
export interface RouterQuestion {
  readonly choices: readonly Choice[]
  /** What it says when none of them applies: stay at the node, or take its else edge. */
  readonly otherwise: 'stay' | 'else'
  /** Where the else edge leads; `null` when it stays. */
  readonly otherwiseDestination: string | null
  /** Values to tell with the choice, since they are needed where it leads. */
  readonly variables: readonly ExtractedVariable[]
  /** Of the flow and of the node that is left; rendered here. */
  readonly globalPrompt: string
  readonly node: AnyFlowNode
  /** What happened at the node, when the conversation does not show it. */
  readonly note: string | null
}

/** What a router said. */
export interface RouterAnswer {
  /** `null`: none of the choices. */
  readonly choice: Choice | null
  readonly rationale: string
  /** Everything it told, the values of the variables among it; `null` when its answer was of no use. */
  readonly args: JsonObject | null
}

const ROUTER_TOOL = 'choose_transition'

/** What a router itself says under these names cannot be a variable of the flow. */
const RESERVED: ReadonlySet<string> = new Set(['choice', 'reason'])

/** A decision rarely needs more of the general instructions. */
const GLOBAL_PROMPT_LIMIT_CHARACTERS = 4_000
const RATIONALE_LIMIT_CHARACTERS = 300

/** What the model reads as the condition of staying, or of the else edge. */
const OTHERWISE = 'None of the others applies.'

const NO_ANSWER: RouterAnswer = { choice: null, rationale: 'The model gave no usable answer.', args: null }

const INSTRUCTION =
  'You decide where a conversation goes next; you do not speak in it. Read it and choose the one condition that holds now, ' +
  'judged by what was said and done last. Conditions e… belong to the present step and win over b… and g… when several hold.'

/** Asks a model for one of the choices, in silence, and reads its answer. */
export async function* askRouter(
  turn: Turn,
  question: RouterQuestion,
  { model, temperature }: { readonly model: string; readonly temperature: number | null },
): AsyncGenerator<DialogueEvent, { readonly answer: RouterAnswer; readonly asked: RequestedCall }> {
  const { lookup } = turn
  const prompt = { system: systemPrompt(question, lookup), tools: [routerTool(question, lookup)], temperature }
  const asked = yield* requestToolCall(turn, { prompt, model })
  return { answer: readAnswer(asked, question, lookup), asked }
}

function systemPrompt(question: RouterQuestion, lookup: VariableLookup): string {
  const { globalPrompt, node, note, choices, otherwise, otherwiseDestination } = question
  const general = renderTemplate(globalPrompt, lookup).slice(0, GLOBAL_PROMPT_LIMIT_CHARACTERS)
  const { instruction } = node
  const step =
    instruction === undefined || instruction.type === 'template' ? '' : renderTemplate(instruction.text, lookup)
  const parts = [
    INSTRUCTION,
    general.trim() === '' ? '' : `The conversation follows these instructions:\n${general}`,
    step.trim() === '' ? '' : `The present step of the conversation:\n${step}`,
    transitionExamples(node, choices, { key: otherwise, destination: otherwiseDestination }),
    note === null ? '' : `What happened at this step: ${note}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** The question as a tool. Its shape is read by models that work without a network, too. */
function routerTool(question: RouterQuestion, lookup: VariableLookup): ModelTool {
  const { choices, otherwise, variables } = question
  const descriptions = choices.map(({ key, condition }) => `${key}: ${toSingleLine(renderTemplate(condition, lookup))}`)
  const choice = {
    type: 'string',
    enum: [...choices.map(({ key }) => key), otherwise],
    description: [...descriptions, `${otherwise}: ${OTHERWISE}`].join('\n'),
  }
  const reason = { type: 'string', description: 'Why, at most ten words.' }
  const variableProperties = extractionSchema(requestableVariables(variables)).properties as JsonObject
  return {
    name: ROUTER_TOOL,
    description: 'Decides where the conversation goes next. Choose the condition that holds now.',
    parameters: { type: 'object', properties: { choice, reason, ...variableProperties }, required: ['choice'] },
  }
}

/** Those that a router can tell beside its choice. */
export function requestableVariables(variables: readonly ExtractedVariable[]): readonly ExtractedVariable[] {
  return variables.filter(({ name }) => !RESERVED.has(name))
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Reads a router's answer. One that names no choice, or more than one, counts as none of them. */
function readAnswer({ call, text }: RequestedCall, question: RouterQuestion, lookup: VariableLookup): RouterAnswer {
  const given = call === null ? text : call.name === ROUTER_TOOL ? call.argumentsText : ''
  const value = parseJson(given)
  if (value === undefined && (call !== null || given.trim() === '')) return NO_ANSWER
  const args = isObject(value) ? value : null
  const { choices, otherwise, variables } = question
  const options = [
    ...choices.map(({ key, condition }) => ({ key, condition: renderTemplate(condition, lookup) })),
    { key: otherwise, condition: OTHERWISE },
  ]
  const taken = new Set(requestableVariables(variables).map(({ name }) => name))
  const key = readChoice(args === null ? (value ?? given) : unwrapChoice(args, taken), options)
  if (key === null) {
    return call === null
      ? NO_ANSWER
      : { choice: null, rationale: 'The model chose something that is not there.', args: null }
  }
  const choice = choices.find((one) => one.key === key) ?? null
  const reason = typeof args?.reason === 'string' ? toSingleLine(args.reason).slice(0, RATIONALE_LIMIT_CHARACTERS) : ''
  return { choice, rationale: reason === '' ? 'Chosen by the model.' : reason, args }
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** Arguments that a model wrote; `null` when they are no JSON object. */
export function readArguments(text: string): JsonObject | null {
  const value = parseJson(text)
  return isObject(value) ? value : null
}
