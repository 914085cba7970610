import type { Passage } from '@parley/contract/knowledge-passage'
import type { LanguageModel, ModelRequest, ModelTool } from '../ports.ts'
import type {
  AgentLoader,
  Conversation,
  DialogueDependencies,
  DialogueState,
  FlowPosition,
  HistoryMessage,
  LoadedAgent,
  PendingApproval,
  ResponseEngine,
  TurnInput,
  UnpromptedReason,
} from './conversation.ts'
import type { Explanation } from './explanation.ts'
import type { KnowledgeUse } from './knowledge/knowledge-use.ts'
import { quotePassages } from './knowledge/quote-passages.ts'
import { toModelMessages } from './models/model-messages.ts'
import { historyBudgetCharacters, trimHistory } from './models/trim-history.ts'
import type { Scene } from './scene.ts'
import { isSame } from './tools/approvals.ts'
import { toModelTool } from './tools/offered-tools.ts'
import type { ToolEnvironment } from './tools/run-tools.ts'
import type { AgentSwap } from './tools/swap-agents.ts'
import { truncateContent } from './tools/tool-result.ts'
import { UNPROMPTED_INSTRUCTIONS } from './unprompted.ts'
import { conversationVariables } from './variables/conversation-variables.ts'
import { applyVariableUpdates, type VariableUpdates } from './variables/variable-updates.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/** Stands in for a blank prompt, so that a new agent answers at all. */
const DEFAULT_PROMPT = 'You are a helpful assistant. Answer briefly and politely.'

/** Questions about tools that the user has not answered; older ones are asked again. */
const MAX_APPROVALS = 5

/** Agents that hand a conversation to each other for ever must come to an answer. */
const MAX_HANDOVERS = 3

const NO_MORE_HANDOVERS: AgentLoader = {
  load: async () => ({ ok: false, message: 'it was handed over too often in this turn; answer the user instead.' }),
}

/** Who answers: the agent that the conversation began the turn with, or the one that it was handed over to. */
type ActiveAgent = Pick<LoadedAgent, 'engine' | 'timezone' | 'fallbackModels' | 'fallbackMessage'>

/** What came of running an engine in a turn. */
export type EngineEnd =
  | { readonly type: 'completed' }
  /** The conversation ends once what was said is delivered. */
  | { readonly type: 'ended' }
  /** Another agent goes on in the same turn. */
  | { readonly type: 'handed-over'; readonly swap: AgentSwap }
  /** Cancelled, or failed, which an event has reported. */
  | { readonly type: 'over' }

/** What a model is asked with, rendered. */
export interface Prompt {
  readonly system: string
  readonly tools: readonly ModelTool[]
  readonly temperature: number | null
}

/** The same with what was found for the question; `null` or absent: nothing was searched for. */
interface PromptWithPassages extends Prompt {
  readonly passages?: readonly Passage[] | null
}

/** One turn under way: what it has said and learned so far, and what its requests are made of. */
export class Turn {
  readonly dependencies: DialogueDependencies
  readonly conversation: Conversation
  readonly signal: AbortSignal
  /** The turn takes up what its history ends in. */
  readonly resumed: boolean
  /** Why the agent speaks without having been asked; `null` when the user has spoken. */
  readonly unprompted: UnpromptedReason | null
  /** Something was said in this turn. */
  spoken = false
  toolSteps = 0
  /** Generations that were asked for in this turn, silent questions included. */
  modelCalls = 0
  invalidSteps = 0
  /** The state of an `llm` engine; `null` before the first and without states. */
  stateName: string | null
  /** The place in a flow; `null` before its first node. */
  flow: FlowPosition | null
  readonly #messages: HistoryMessage[]
  readonly #nowMs: number
  readonly #failedModels = new Set<string>()
  readonly #passages = new Map<string, readonly Passage[] | null>()
  #handOvers = 0
  #activeAgent: ActiveAgent
  #agent: DialogueState['agent']
  #collected: Readonly<Record<string, string>>
  #approvals: readonly PendingApproval[]
  #lookup: VariableLookup | null = null
  #rendered: { readonly scene: Scene; readonly prompt: Prompt } | null = null
  #reportedDrops = 0
  #droppedTurns = 0

  constructor(
    dependencies: DialogueDependencies,
    conversation: Conversation,
    environment: { readonly input: TurnInput; readonly signal: AbortSignal },
  ) {
    const { state } = conversation
    this.dependencies = dependencies
    this.conversation = conversation
    this.signal = environment.signal
    this.resumed = environment.input.type === 'continue'
    this.unprompted = environment.input.type === 'unasked' ? environment.input.reason : null
    this.stateName = state?.stateName ?? null
    this.flow = state?.flow ?? null
    this.#activeAgent = conversation
    this.#agent = state?.agent
    this.#messages = conversation.history.map(truncateForModel)
    if (environment.input.type === 'user-message') {
      this.#messages.push({ role: 'user', content: environment.input.content })
    }
    if (this.unprompted !== null)
      this.#messages.push({ role: 'system', content: UNPROMPTED_INSTRUCTIONS[this.unprompted] })
    this.#nowMs = dependencies.clock.now()
    this.#collected = state?.collectedVariables ?? {}
    this.#approvals = state?.approvals ?? []
  }

  get engine(): ResponseEngine {
    return this.#activeAgent.engine
  }

  /** Everything that was said, this turn's input and what it added included; oldest first. */
  get messages(): readonly HistoryMessage[] {
    return this.#messages
  }

  get collectedVariables(): Readonly<Record<string, string>> {
    return this.#collected
  }

  /** What the user was asked about tools in earlier turns. */
  get approvals(): readonly PendingApproval[] {
    return this.conversation.state?.approvals ?? []
  }

  /** The agents that the conversation can be handed over to; none any more once that was done too often. */
  get agents(): AgentLoader {
    return this.#handOvers < MAX_HANDOVERS ? this.dependencies.agents : NO_MORE_HANDOVERS
  }

  /** All variables as they are now. */
  get lookup(): VariableLookup {
    this.#lookup ??= conversationVariables({
      engine: this.engine,
      variables: this.conversation.variables,
      collected: this.#collected,
      timezone: this.#activeAgent.timezone,
      nowMs: this.#nowMs,
    })
    return this.#lookup
  }

  /** What tools are run with, as it is now. */
  get toolEnvironment(): ToolEnvironment {
    const { conversation, lookup, signal } = this
    const dependencies = { ...this.dependencies, agents: this.agents }
    const { system, given, override } = conversation.variables
    const variables = applyVariableUpdates(
      { ...system, ...this.engine.defaultVariables, ...given, ...this.#collected },
      override,
    )
    const { metadata, toolContext } = conversation
    return { dependencies, lookup, variables, metadata, toolContext, signal }
  }

  /** Said when no model answers; `null` when the agent has none. */
  get fallbackMessage(): string | null {
    const message = renderTemplate(this.#activeAgent.fallbackMessage ?? '', this.lookup)
    return message.trim() === '' ? null : message
  }

  add(message: HistoryMessage): void {
    this.#messages.push(message)
  }

  /** Takes up what was learned: `null` clears a variable. */
  collect(variables: VariableUpdates): void {
    this.#collected = applyVariableUpdates(this.#collected, variables)
    this.#invalidateRendered()
  }

  /** Keeps what the user is asked about a tool; a call that was run needs no question any more. */
  recordApproval(asked: PendingApproval): void {
    this.#approvals = [...this.#approvals, asked].slice(-MAX_APPROVALS)
  }

  settleApproval(call: PendingApproval): void {
    const isOther = ({ toolName, args }: PendingApproval): boolean =>
      toolName !== call.toolName || !isSame(args, call.args)
    this.#approvals = this.#approvals.filter(isOther)
  }

  /** From now on this agent answers, from the beginning of its engine. */
  handOver(agent: LoadedAgent): void {
    this.#handOvers += 1
    this.#activeAgent = agent
    this.#agent = { agentId: agent.agentId, agentVersion: agent.agentVersion }
    this.stateName = null
    this.flow = null
    this.#approvals = []
    this.#invalidateRendered()
  }

  /** The memory to store with the turn as it stands. */
  state(): DialogueState {
    const { kind, id, version } = this.engine
    return {
      schema: 1,
      engine: { kind, id, version },
      collectedVariables: this.#collected,
      ...(this.#agent !== undefined && { agent: this.#agent }),
      ...(this.stateName !== null && { stateName: this.stateName }),
      ...(this.flow !== null && { flow: this.flow }),
      ...(this.#approvals.length > 0 && { approvals: this.#approvals }),
    }
  }

  /** The models to try for a scene's own model, in order. */
  modelsFor(model: string): readonly string[] {
    const models = [...new Set([model, ...this.#activeAgent.fallbackModels])]
    const { firstModel = 0 } = this.conversation
    return models.slice(Math.min(firstModel, models.length - 1))
  }

  /** The first of the models that has not failed in this turn: one that did is not asked again. */
  firstUsableModelIndex(models: readonly string[]): number {
    const usable = models.findIndex((name) => !this.#failedModels.has(name))
    return usable === -1 ? 0 : usable
  }

  /** Notes that the model at this place answered, so that those before it did not. */
  recordAnsweringModel(models: readonly string[], candidate: number): void {
    for (const name of models.slice(0, candidate)) this.#failedModels.add(name)
  }

  /** What a model is asked with in a scene, as the variables are now. */
  renderPrompt(scene: Scene): Prompt {
    if (this.#rendered?.scene === scene) return this.#rendered.prompt
    const { instructions, temperature } = scene
    const system = instructions.trim() === '' ? DEFAULT_PROMPT : renderTemplate(instructions, this.lookup)
    const prompt = { system, temperature, tools: scene.tools.map((tool) => toModelTool(tool, this.lookup)) }
    this.#rendered = { scene, prompt }
    return prompt
  }

  /** What was found in this turn; `undefined` before the search, `null` when it failed. */
  passagesOf(use: KnowledgeUse): readonly Passage[] | null | undefined {
    return this.#passages.get(JSON.stringify(use))
  }

  storePassages(use: KnowledgeUse, passages: readonly Passage[] | null): void {
    this.#passages.set(JSON.stringify(use), passages)
  }

  /** The request for one model, its history trimmed to that model's window. */
  buildRequest(
    prompt: PromptWithPassages,
    model: LanguageModel,
    toolChoice: ModelRequest['toolChoice'],
  ): Omit<ModelRequest, 'signal'> {
    const { system, tools, temperature, passages = null } = prompt
    const quoted = passages === null ? [] : [quotePassages(passages)]
    const characters =
      system.length + (quoted[0]?.content.length ?? 0) + (tools.length === 0 ? 0 : JSON.stringify(tools).length)
    const trimmed = trimHistory(this.#messages, historyBudgetCharacters(model.contextTokens, characters))
    this.#droppedTurns = trimmed.droppedTurns
    const request = {
      messages: toModelMessages([{ role: 'system', content: system }, ...quoted], trimmed.messages),
      tools,
      toolChoice,
    }
    return temperature === null ? request : { ...request, temperature }
  }

  /** Tells once per turn, and again when more had to go, that history was left out. */
  takeTrimExplanation(): Explanation | null {
    if (this.#droppedTurns <= this.#reportedDrops) return null
    this.#reportedDrops = this.#droppedTurns
    return { type: 'history-trimmed', droppedTurns: this.#droppedTurns }
  }

  #invalidateRendered(): void {
    this.#lookup = null
    this.#rendered = null
  }
}

/** Drivers store whole tool results; a model is shown their beginning, in later turns as in the turn of the call. */
function truncateForModel(message: HistoryMessage): HistoryMessage {
  return message.role === 'tool' ? { ...message, content: truncateContent(message.content) } : message
}
