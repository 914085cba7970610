import { createChannel } from '../dialogue/channel.ts'
import type {
  Conversation,
  CustomLlmEngine,
  DialogueDependencies,
  DialogueEvent,
  FlowEngine,
  LlmEngine,
  TurnInput,
} from '../dialogue/conversation.ts'
import { NO_KNOWLEDGE } from '../dialogue/knowledge/knowledge-use.ts'
import { respond } from '../dialogue/respond.ts'
import { createManualClock, flushPromises, type ManualClock } from './manual-clock.ts'
import { createScriptedModel, type ScriptedModel, type ScriptedStep } from './scripted-model.ts'
import { createScriptedHttpTools, createUnreachablePorts, type ScriptedHttpTools } from './scripted-ports.ts'

/** Options of a scenario. All have defaults. */
export interface ScenarioOptions {
  /** Models by configured name. The engine's own model is `main`. */
  readonly models?: Readonly<Record<string, ScriptedModel>>
  readonly http?: ScriptedHttpTools
  readonly engine?: Partial<LlmEngine>
  /** Flow or custom LLM engine that replaces the `llm` engine. */
  readonly graph?: FlowEngine | CustomLlmEngine
  /** Ports other than models and HTTP. Missing ports are unreachable. */
  readonly ports?: Partial<Pick<DialogueDependencies, 'code' | 'mcp' | 'customLlm' | 'sms' | 'agents' | 'knowledge'>>
  readonly conversation?: Partial<Omit<Conversation, 'engine'>>
  readonly input?: TurnInput
  readonly time?: ManualClock
  /** Cancels the turn. */
  readonly controller?: AbortController
}

/** A turn that runs on a manual clock. */
export interface Scenario {
  readonly events: readonly DialogueEvent[]
  /** Resolves when the turn's generator has ended. Rejects if `observe` threw. */
  readonly finished: Promise<void>
  readonly controller: AbortController
  readonly time: ManualClock
  /** Whether the turn's generator has ended. */
  isDone(): boolean
  /** Returns the number of listeners on the turn's signal, which is 0 if none leaked. */
  countListeners(): number
}

/** First-token, idle and total deadlines of a scenario. */
export const SCENARIO_DEADLINES = { firstTokenMs: 20_000, idleMs: 5_000, totalMs: 60_000 }

/** Builds a conversation with one prompt and no tools, and applies overrides. */
export function buildScenarioConversation(options: ScenarioOptions = {}): Conversation {
  const engine: LlmEngine = {
    kind: 'llm',
    id: 'llm_1',
    version: 1,
    model: 'main',
    generalPrompt: 'You are a test.',
    beginMessage: null,
    tools: [],
    mcps: [],
    states: [],
    startingState: null,
    temperature: null,
    knowledge: NO_KNOWLEDGE,
    defaultVariables: {},
    ...options.engine,
  }
  const defaults = {
    channel: createChannel('chat'),
    state: null,
    history: [],
    variables: { system: {}, given: {}, override: {} },
    timezone: 'UTC',
    fallbackModels: [],
    fallbackMessage: null,
    toolContext: { chat: { chat_id: 'chat_1' } },
    metadata: {},
    conversationId: 'chat_1',
  }
  return { ...defaults, ...options.conversation, engine: options.graph ?? engine }
}

/** Starts a turn and collects its events. `observe` runs for each event before the next one is requested. */
export function startScenario(
  options: ScenarioOptions,
  observe: (event: DialogueEvent) => void | Promise<void> = () => {},
): Scenario {
  const time = options.time ?? createManualClock()
  const controller = options.controller ?? new AbortController()
  const countListeners = trackListeners(controller.signal)
  let idCount = 0
  const dependencies: DialogueDependencies = {
    resolveModel: (name) => options.models?.[name]?.model ?? null,
    httpTools: (options.http ?? createScriptedHttpTools()).client,
    ...createUnreachablePorts(),
    ...options.ports,
    clock: time.clock,
    makeId: (prefix) => `${prefix}_${++idCount}`,
    deadlines: SCENARIO_DEADLINES,
  }
  const input = options.input ?? { type: 'user-message', content: 'hello' }
  const turn = respond(dependencies, buildScenarioConversation(options), input, controller.signal)
  const events: DialogueEvent[] = []
  let isDone = false
  const collectEvents = async (): Promise<void> => {
    for await (const event of turn) {
      events.push(event)
      await observe(event)
    }
    isDone = true
  }
  const finished = collectEvents()
  finished.catch(() => {})
  return { finished, events, controller, time, isDone: () => isDone, countListeners }
}

/** Runs a turn to its end and returns its events. Throws if the turn takes more than ten minutes of virtual time. */
export async function runScenario(options: ScenarioOptions): Promise<readonly DialogueEvent[]> {
  const scenario = startScenario(options)
  // A long reply takes many microtask turns, during which time must not advance.
  for (let round = 0; round < 100 && !scenario.isDone(); round += 1) await flushPromises()
  if (!scenario.isDone()) await scenario.time.advance(600_000)
  if (!scenario.isDone()) throw new Error('The turn did not end.')
  if (scenario.time.countPendingTimers() > 0) throw new Error('The turn leaked timers.')
  if (scenario.countListeners() > 0) throw new Error('The turn leaked listeners.')
  return scenario.events
}

/** Runs a turn with the scripted model `main`, which must use all its steps. */
export async function playTurn(steps: readonly ScriptedStep[], options: Omit<ScenarioOptions, 'models'> = {}) {
  const main = createScriptedModel(steps)
  const events = await runScenario({ ...options, models: { main } })
  main.assertConsumed()
  const explanations = selectEvents(events, 'explanation').map(({ explanation }) => explanation)
  const results = selectEvents(events, 'tool-result')
  return { events, requests: main.requests, text: joinStreamedText(events), results, explanations }
}

/** Joins all streamed text. */
export function joinStreamedText(events: readonly DialogueEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

export function selectEvents<Type extends DialogueEvent['type']>(
  events: readonly DialogueEvent[],
  type: Type,
): Extract<DialogueEvent, { type: Type }>[] {
  return events.filter((event): event is Extract<DialogueEvent, { type: Type }> => event.type === type)
}

function trackListeners(signal: AbortSignal): () => number {
  const listeners = new Set<unknown>()
  const addListener = signal.addEventListener.bind(signal)
  const removeListener = signal.removeEventListener.bind(signal)
  Object.assign(signal, {
    addEventListener: (type: 'abort', listener: () => void, options?: { once?: boolean }) => {
      listeners.add(listener)
      addListener(type, listener, options)
    },
    removeEventListener: (type: 'abort', listener: () => void) => {
      listeners.delete(listener)
      removeListener(type, listener)
    },
  })
  return () => (signal.aborted ? 0 : listeners.size)
}
