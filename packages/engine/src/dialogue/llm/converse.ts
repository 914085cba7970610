import type { ModelToolCall } from '../../ports.ts'
import type { DialogueEvent, ToolCall } from '../conversation.ts'
import { explain } from '../explanation.ts'
import { retrieve } from '../knowledge/retrieve.ts'
import { type Generation, streamWithFallback } from '../models/model-stream.ts'
import type { Scene } from '../scene.ts'
import { getExecutionMessage } from '../tools/offered-tools.ts'
import { planToolCall, type ToolCallPlan } from '../tools/plan-tool-call.ts'
import { runTools } from '../tools/run-tools.ts'
import { recordFinishedCall } from '../tools/settle-call.ts'
import { type AgentSwap, swapAgents } from '../tools/swap-agents.ts'
import type { Turn } from '../turn.ts'
import { decideAfterStep, isToolLimitReached, type NextStep } from './decide-after-step.ts'

/** Message after two blank answers if the agent has no fallback message. */
export const BLANK_ANSWER_MESSAGE = 'Sorry, I did not catch that. Could you say it again?'

/** The outcome of a scene. */
export type SceneEnd =
  /** The model has answered. */
  | { readonly type: 'answered' }
  /** The model ended the conversation. */
  | { readonly type: 'ended' }
  | { readonly type: 'handed-over'; readonly swap: AgentSwap }
  /** The model moved the conversation to another state. */
  | { readonly type: 'moved'; readonly destination: string }
  /** The turn was canceled, or failed with a `turn-end` event. */
  | { readonly type: 'stopped' }

type Step = SceneEnd | Exclude<NextStep, { type: 'finish' }>

const STOPPED: SceneEnd = { type: 'stopped' }

/** Lets a model answer in a scene, running its tool calls until it has answered. */
export async function* converse(
  turn: Turn,
  scene: Scene,
  firstStep: NextStep,
): AsyncGenerator<DialogueEvent, SceneEnd> {
  let step: Step = firstStep.type === 'finish' ? finishScene(firstStep.endsConversation) : firstStep
  while (!turn.signal.aborted) {
    switch (step.type) {
      case 'generate':
        step = yield* generate(turn, scene, step)
        break
      case 'run-tools':
        step = yield* runToolStep(turn, scene, step)
        break
      default:
        return step
    }
  }
  return STOPPED
}

function finishScene(endsConversation: boolean): SceneEnd {
  return { type: endsConversation ? 'ended' : 'answered' }
}

type GenerateStep = Extract<NextStep, { type: 'generate' }>

async function* generate(turn: Turn, scene: Scene, step: GenerateStep): AsyncGenerator<DialogueEvent, Step> {
  const { resolveModel, clock, deadlines, makeId } = turn.dependencies
  const modelNames = turn.getModels(scene.model)
  // A closing message needs no passages.
  const passages = step.isClosing ? null : yield* retrieve(turn, scene.knowledge)
  if (turn.signal.aborted) return STOPPED
  turn.modelCalls += 1
  const generation = yield* streamWithFallback({
    modelNames,
    startIndex: turn.findFirstUsableModel(modelNames),
    resolveModel,
    clock,
    deadlines,
    signal: turn.signal,
    // A fallback message such as "please ask again" is unsuitable as a closing message.
    fallbackMessage: step.isClosing ? null : turn.fallbackMessage,
    // A default text might be in a language that the agent does not speak.
    blankAnswerMessage: step.isClosing ? '' : BLANK_ANSWER_MESSAGE,
    buildRequest: (model) => turn.buildRequest({ ...turn.renderPrompt(scene), passages }, model, step.toolChoice),
  })
  const trimExplanation = turn.takeTrimExplanation()
  if (trimExplanation !== null) yield explain(trimExplanation)
  if (generation.type !== 'answer' || turn.signal.aborted) return yield* endInterruptedTurn(turn, step, generation)
  turn.recordAnsweringModel(modelNames, generation.modelIndex)
  const toolCalls = generation.toolCalls.map((call: ModelToolCall): ToolCall => {
    return { id: makeId('tool_call'), name: call.name, argumentsText: call.argumentsText }
  })
  if (toolCalls.length === 0) {
    if (step.isClosing && generation.text.trim() === '') return finishScene(true)
    yield* endMessage(turn, generation.text, [])
    return finishScene(step.isClosing)
  }
  const message = generation.text === '' ? findExecutionMessage(turn, scene, toolCalls) : ''
  if (message !== '') yield { type: 'text-delta', text: message }
  if (turn.signal.aborted) return yield* endInterruptedTurn(turn, step, { type: 'cancelled', text: message })
  yield* endMessage(turn, generation.text + message, toolCalls)
  turn.toolSteps += 1
  return { type: 'run-tools', calls: toolCalls, answeredCallIds: null }
}

/** Emits a text as a complete message. Returns false if the turn was canceled. */
export async function* say(
  turn: Turn,
  text: string,
  toolCalls: readonly ToolCall[] = [],
): AsyncGenerator<DialogueEvent, boolean> {
  if (turn.signal.aborted) return false
  if (text !== '') yield { type: 'text-delta', text }
  if (turn.signal.aborted) {
    yield { type: 'message-end', content: text, toolCalls: [], incomplete: true }
    return false
  }
  yield* endMessage(turn, text, toolCalls)
  return !turn.signal.aborted
}

/** Ends an agent message. */
export async function* endMessage(
  turn: Turn,
  content: string,
  toolCalls: readonly ToolCall[],
): AsyncGenerator<DialogueEvent> {
  turn.addMessage({ role: 'assistant', content, toolCalls })
  if (content !== '') turn.hasSpoken = true
  yield { type: 'message-end', content, toolCalls, incomplete: false }
}

/** Ends the turn and the message of its failed or canceled generation. */
async function* endInterruptedTurn(
  turn: Turn,
  step: GenerateStep,
  generation: Generation,
): AsyncGenerator<DialogueEvent, Step> {
  const text = generation.type === 'failed' ? '' : generation.text
  if (text !== '') yield { type: 'message-end', content: text, toolCalls: [], incomplete: true }
  if (turn.signal.aborted || generation.type === 'cancelled' || generation.type === 'answer') return STOPPED
  // The conversation ends even if its closing message fails.
  if (step.isClosing) return finishScene(true)
  yield { type: 'turn-end', outcome: 'failed', state: turn.getState(), failure: generation.failure }
  return STOPPED
}

/** Returns the execution message of the first called tool that has one. */
function findExecutionMessage(turn: Turn, scene: Scene, toolCalls: readonly ToolCall[]): string {
  for (const call of toolCalls) {
    const tool = scene.tools.find((candidate) => candidate.name === call.name)
    const message = tool === undefined ? null : getExecutionMessage(tool, call.argumentsText, turn.lookup)
    if (message !== null) return message
  }
  return ''
}

type ToolStep = Extract<NextStep, { type: 'run-tools' }>

async function* runToolStep(turn: Turn, scene: Scene, step: ToolStep): AsyncGenerator<DialogueEvent, Step> {
  const pendingCalls = step.calls.filter((call) => step.answeredCallIds?.has(call.id) !== true)
  const planOptions = {
    tools: scene.tools,
    mcps: scene.mcps,
    channel: turn.conversation.channel,
    resumed: step.answeredCallIds !== null,
    mocks: turn.conversation.toolMocks ?? [],
    approvals: turn.approvals,
  }
  const plans = pendingCalls.map((call) => planToolCall(call, planOptions))
  let hasFailed = false
  let swap: AgentSwap | null = null
  for await (const finishedCall of runTools(plans, turn.toolEnvironment)) {
    hasFailed ||= !finishedCall.result.ok
    swap ??= finishedCall.swap
    yield* recordFinishedCall(turn, finishedCall)
  }
  swap ??= await repeatSwap(turn, scene, step)
  if (turn.signal.aborted) return STOPPED
  if (swap !== null) return { type: 'handed-over', swap }
  return yield* finishToolStep(turn, scene, { step, plans, hasFailed })
}

/** Repeats a handover that was recorded before a crash. */
async function repeatSwap(turn: Turn, scene: Scene, { calls, answeredCallIds }: ToolStep): Promise<AgentSwap | null> {
  for (const call of calls) {
    const tool = scene.tools.find((candidate) => candidate.name === call.name)
    if (tool?.type !== 'agent_swap' || answeredCallIds?.has(call.id) !== true) continue
    const { swap } = await swapAgents(tool, turn.agents)
    if (swap !== null) return swap
  }
  return null
}

async function* finishToolStep(
  turn: Turn,
  scene: Scene,
  outcome: { readonly step: ToolStep; readonly plans: readonly ToolCallPlan[]; readonly hasFailed: boolean },
): AsyncGenerator<DialogueEvent, Step> {
  const plannedAnswers = outcome.plans.filter((plan) => plan.type === 'answer')
  if (plannedAnswers.some((plan) => plan.invalid)) turn.invalidSteps += 1
  const tools = outcome.step.calls.map((call) => scene.tools.find((tool) => tool.name === call.name))
  const isEndRequested = tools.some((tool) => tool?.type === 'end_call')
  // After a crash, the call may already have a result, so use the tool's destination.
  const transitionTool = tools.find((tool) => tool?.type === 'state_transition')
  if (!isEndRequested && transitionTool !== undefined && !outcome.hasFailed)
    return { type: 'moved', destination: transitionTool.destination }
  const { hasSpoken, toolSteps, invalidSteps } = turn
  const isSilentTool = (tool: (typeof tools)[number]): boolean =>
    tool !== undefined && 'speak_after_execution' in tool && tool.speak_after_execution === false
  const isSilent = !outcome.hasFailed && tools.every(isSilentTool)
  const next = decideAfterStep({ isEndRequested, isSilent, hasSpoken, toolSteps, invalidSteps })
  if (next.type === 'generate' && !next.isClosing && isToolLimitReached(turn)) {
    yield explain({ type: 'tool-limit', steps: toolSteps })
  }
  return next.type === 'finish' ? finishScene(next.endsConversation) : next
}
