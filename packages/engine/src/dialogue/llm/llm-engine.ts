import { type LlmState, toTransitionToolName } from '@parley/contract/llm-state'
import type { DialogueEvent, HistoryMessage, LlmEngine } from '../conversation.ts'
import type { Scene } from '../scene.ts'
import { joinParagraphs } from '../text.ts'
import { filterOfferedTools, type OfferedTool, type StateTransitionTool } from '../tools/offered-tools.ts'
import { DONE } from '../tools/plan-tool-call.ts'
import { HANDED_OVER } from '../tools/swap-agents.ts'
import { isFailureContent } from '../tools/tool-result.ts'
import type { EngineEnd, Turn } from '../turn.ts'
import { converse } from './converse.ts'
import { ANSWER, findRecordedStep, measureTurn, type NextStep, resumeTurn } from './decide-after-step.ts'

/** Runs a turn of an `llm` engine, with or without states. */
export async function* runLlmTurn(turn: Turn, engine: LlmEngine): AsyncGenerator<DialogueEvent, EngineEnd> {
  let scene = getScene(turn, engine)
  // After a handover, the end of the history belongs to the previous engine.
  let step = turn.conversation.engine === engine ? decideFirstStep(turn, scene) : ANSWER
  for (;;) {
    const end = yield* converse(turn, scene, step)
    if (end.type !== 'moved') return end.type === 'answered' ? { type: 'completed' } : end
    yield* moveToState(turn, engine, end.destination)
    scene = getScene(turn, engine)
    step = ANSWER
  }
}

async function* moveToState(turn: Turn, engine: LlmEngine, destination: string): AsyncGenerator<DialogueEvent> {
  const from = getCurrentState(turn, engine)?.name ?? ''
  turn.stateName = destination
  yield { type: 'state-transition', from, to: destination, state: turn.getState() }
}

/** Returns the current state, or `null` for an engine without states. */
function getCurrentState(turn: Turn, { states, startingState }: LlmEngine): LlmState | null {
  const currentName = turn.stateName ?? startingState
  return states.find(({ name }) => name === currentName) ?? states[0] ?? null
}

/** Cached by engine and state, because engines are immutable and callers cache by scene. */
const scenes = new WeakMap<LlmEngine, Map<string, Scene>>()

function getScene(turn: Turn, engine: LlmEngine): Scene {
  const state = getCurrentState(turn, engine)
  const cachedScenes = scenes.get(engine) ?? new Map<string, Scene>()
  scenes.set(engine, cachedScenes)
  const scene = cachedScenes.get(state?.name ?? '') ?? buildScene(engine, state)
  cachedScenes.set(state?.name ?? '', scene)
  return scene
}

function buildScene(engine: LlmEngine, state: LlmState | null): Scene {
  const { generalPrompt, tools, mcps, model, temperature, knowledge } = engine
  const sharedSettings = { mcps, model, temperature, knowledge }
  if (state === null) return { ...sharedSettings, instructions: generalPrompt, tools: filterOfferedTools(tools) }
  const { state_prompt: statePrompt = '', tools: stateTools = [], edges = [] } = state
  const instructions = joinParagraphs([generalPrompt, statePrompt])
  const sceneTools: OfferedTool[] = [...tools, ...stateTools, ...edges.map(toTransitionTool)]
  return { ...sharedSettings, instructions, tools: filterOfferedTools(sceneTools) }
}

function toTransitionTool({ destination_state_name: destination, ...edge }: NonNullable<LlmState['edges']>[number]) {
  const tool: StateTransitionTool = {
    type: 'state_transition',
    name: toTransitionToolName(destination),
    description: edge.description,
    destination,
    // The contract allows only plain JSON.
    parameters: edge.parameters as StateTransitionTool['parameters'],
  }
  return tool
}

/** Returns the first step. A resumed turn continues at the end of the history; other turns finish a pending transition. */
function decideFirstStep(turn: Turn, scene: Scene): NextStep {
  const { history } = turn.conversation
  if (!turn.resumed) return resumeUnfinishedMove(scene, history)
  const { hasSpoken, toolSteps } = measureTurn(history)
  turn.hasSpoken = hasSpoken
  turn.toolSteps = toolSteps
  return resumeTurn(history, scene.tools)
}

/** Finishes a transition or handover that a canceled turn recorded but did not perform. */
function resumeUnfinishedMove({ tools }: Scene, history: readonly HistoryMessage[]): NextStep {
  const step = findRecordedStep(history)
  if (step === null || step.calls.some(({ id }) => !step.answeredCallIds.has(id))) return ANSWER
  const results = history.slice(-step.answeredCallIds.size).filter((message) => message.role === 'tool')
  if (results.some(({ content }) => isFailureContent(content))) return ANSWER
  const calls = step.calls.filter(({ id, name }) => {
    const type = tools.find((tool) => tool.name === name)?.type
    const content = results.find(({ toolCallId }) => toolCallId === id)?.content
    return (type === 'state_transition' && content === DONE) || (type === 'agent_swap' && content === HANDED_OVER)
  })
  return calls.length === 0 ? ANSWER : { type: 'run-tools', calls, answeredCallIds: step.answeredCallIds }
}
