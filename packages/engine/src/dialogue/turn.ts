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
import { computeHistoryBudget, trimHistory } from './models/trim-history.ts'
import type { Scene } from './scene.ts'
import { isDeepEqual } from './tools/approvals.ts'
import { toModelTool } from './tools/offered-tools.ts'
import type { ToolEnvironment } from './tools/run-tools.ts'
import type { AgentSwap } from './tools/swap-agents.ts'
import { truncateContent } from './tools/tool-result.ts'
import { UNPROMPTED_INSTRUCTIONS } from './unprompted.ts'
import { mergeConversationVariables } from './variables/conversation-variables.ts'
import { applyVariableUpdates, type VariableUpdates } from './variables/variable-updates.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/** Prompt that replaces a blank one, so that a new agent answers. */
const DEFAULT_PROMPT = 'You are a helpful assistant. Answer briefly and politely.'

/** Maximum number of unanswered approval requests. Older ones are requested again. */
const MAX_APPROVALS = 5

/** Maximum number of handovers per turn, which stops agents that hand a conversation back and forth. */
const MAX_HANDOVERS = 3

const NO_MORE_HANDOVERS: AgentLoader = {
  load: async () => ({ ok: false, message: 'it was handed over too often in this turn; answer the user instead.' }),
}

/** The agent that answers: the first agent, or the one that took over. */
type ActiveAgent = Pick<LoadedAgent, 'engine' | 'timezone' | 'fallbackModels' | 'fallbackMessage'>

/** How an engine's part of a turn ended. */
export type EngineEnd =
  | { readonly type: 'completed' }
  /** The conversation ends after the text is delivered. */
  | { readonly type: 'ended' }
  /** Another agent continues in the same turn. */
  | { readonly type: 'handed-over'; readonly swap: AgentSwap }
  /** The turn was canceled, or failed with a `turn-end` event. */
  | { readonly type: 'stopped' }

/** A scene with variables rendered. */
export interface Prompt {
  readonly system: string
  readonly tools: readonly ModelTool[]
  readonly temperature: number | null
}

/** Passages are `null` or absent if no search was made. */
interface PromptWithPassages extends Prompt {
  readonly passages?: readonly Passage[] | null
}

/** A running turn with its messages, collected values and request ports. */
export class Turn {
  readonly dependencies: DialogueDependencies
  readonly conversation: Conversation
  readonly signal: AbortSignal
  /** Whether the turn continues after a failure or a crash. */
  readonly resumed: boolean
  /** The reason why the agent speaks without user input, or `null` after a user message. */
  readonly unprompted: UnpromptedReason | null
  /** Whether the agent has spoken in this turn. */
  hasSpoken = false
  toolSteps = 0
  /** Number of generations in this turn, including silent ones. */
  modelCalls = 0
  invalidSteps = 0
  /** The state of an `llm` engine, or `null` before the first state and without states. */
  stateName: string | null
  /** The position in a flow, or `null` before the first node. */
  flow: FlowPosition | null
  readonly #messages: HistoryMessage[]
  readonly #nowMs: number
  readonly #failedModels = new Set<string>()
  readonly #passages = new Map<string, readonly Passage[] | null>()
  #handoverCount = 0
  #activeAgent: ActiveAgent
  #agent: DialogueState['agent']
  #collectedVariables: Readonly<Record<string, string>>
  #approvals: readonly PendingApproval[]
  #lookup: VariableLookup | null = null
  #renderedPrompt: { readonly scene: Scene; readonly prompt: Prompt } | null = null
  #reportedDroppedTurns = 0
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
    this.unprompted = environment.input.type === 'unprompted' ? environment.input.reason : null
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
    this.#collectedVariables = state?.collectedVariables ?? {}
    this.#approvals = state?.approvals ?? []
  }

  get engine(): ResponseEngine {
    return this.#activeAgent.engine
  }

  /** All messages including this turn's, oldest first. */
  get messages(): readonly HistoryMessage[] {
    return this.#messages
  }

  get collectedVariables(): Readonly<Record<string, string>> {
    return this.#collectedVariables
  }

  /** Approval requests from earlier turns. */
  get approvals(): readonly PendingApproval[] {
    return this.conversation.state?.approvals ?? []
  }

  /** Loader for agents that take over. Refuses after too many handovers. */
  get agents(): AgentLoader {
    return this.#handoverCount < MAX_HANDOVERS ? this.dependencies.agents : NO_MORE_HANDOVERS
  }

  /** Lookup of the current variables. */
  get lookup(): VariableLookup {
    this.#lookup ??= mergeConversationVariables({
      engine: this.engine,
      variables: this.conversation.variables,
      collected: this.#collectedVariables,
      timezone: this.#activeAgent.timezone,
      nowMs: this.#nowMs,
    })
    return this.#lookup
  }

  /** The current environment for tools. */
  get toolEnvironment(): ToolEnvironment {
    const { conversation, lookup, signal } = this
    const dependencies = { ...this.dependencies, agents: this.agents }
    const { system, given, override } = conversation.variables
    const variables = applyVariableUpdates(
      { ...system, ...this.engine.defaultVariables, ...given, ...this.#collectedVariables },
      override,
    )
    const { metadata, toolContext } = conversation
    return { dependencies, lookup, variables, metadata, toolContext, signal }
  }

  /** Message if no model answers, or `null` if none is configured. */
  get fallbackMessage(): string | null {
    const message = renderTemplate(this.#activeAgent.fallbackMessage ?? '', this.lookup)
    return message.trim() === '' ? null : message
  }

  addMessage(message: HistoryMessage): void {
    this.#messages.push(message)
  }

  /** Stores collected values; `null` clears a variable. */
  collect(variables: VariableUpdates): void {
    this.#collectedVariables = applyVariableUpdates(this.#collectedVariables, variables)
    this.#clearRenderedPrompt()
  }

  /** Records an approval request. */
  recordApproval(approval: PendingApproval): void {
    this.#approvals = [...this.#approvals, approval].slice(-MAX_APPROVALS)
  }

  removeApproval(call: PendingApproval): void {
    const isOtherCall = ({ toolName, args }: PendingApproval): boolean =>
      toolName !== call.toolName || !isDeepEqual(args, call.args)
    this.#approvals = this.#approvals.filter(isOtherCall)
  }

  /** Hands the rest of the turn over to another agent, which starts at the beginning of its engine. */
  handOver(agent: LoadedAgent): void {
    this.#handoverCount += 1
    this.#activeAgent = agent
    this.#agent = { agentId: agent.agentId, agentVersion: agent.agentVersion }
    this.stateName = null
    this.flow = null
    this.#approvals = []
    this.#clearRenderedPrompt()
  }

  /** Returns the current dialogue state for storage. */
  getState(): DialogueState {
    const { kind, id, version } = this.engine
    return {
      schema: 1,
      engine: { kind, id, version },
      collectedVariables: this.#collectedVariables,
      ...(this.#agent !== undefined && { agent: this.#agent }),
      ...(this.stateName !== null && { stateName: this.stateName }),
      ...(this.flow !== null && { flow: this.flow }),
      ...(this.#approvals.length > 0 && { approvals: this.#approvals }),
    }
  }

  /** Returns the models to try for a scene, in order. */
  getModels(model: string): readonly string[] {
    const models = [...new Set([model, ...this.#activeAgent.fallbackModels])]
    const { firstModelIndex = 0 } = this.conversation
    return models.slice(Math.min(firstModelIndex, models.length - 1))
  }

  /** Returns the index of the first model that has not failed in this turn. */
  findFirstUsableModel(models: readonly string[]): number {
    const index = models.findIndex((name) => !this.#failedModels.has(name))
    return index === -1 ? 0 : index
  }

  /** Records that the model at this index answered and that all earlier models failed. */
  recordAnsweringModel(models: readonly string[], modelIndex: number): void {
    for (const name of models.slice(0, modelIndex)) this.#failedModels.add(name)
  }

  /** Renders a scene's prompt with the current variables. */
  renderPrompt(scene: Scene): Prompt {
    if (this.#renderedPrompt?.scene === scene) return this.#renderedPrompt.prompt
    const { instructions, temperature } = scene
    const system = instructions.trim() === '' ? DEFAULT_PROMPT : renderTemplate(instructions, this.lookup)
    const prompt = { system, temperature, tools: scene.tools.map((tool) => toModelTool(tool, this.lookup)) }
    this.#renderedPrompt = { scene, prompt }
    return prompt
  }

  /** Returns the passages found in this turn, `undefined` before the search, or `null` after a failed search. */
  getPassages(use: KnowledgeUse): readonly Passage[] | null | undefined {
    return this.#passages.get(JSON.stringify(use))
  }

  storePassages(use: KnowledgeUse, passages: readonly Passage[] | null): void {
    this.#passages.set(JSON.stringify(use), passages)
  }

  /** Builds a model's request, with history trimmed to the model's context window. */
  buildRequest(
    prompt: PromptWithPassages,
    model: LanguageModel,
    toolChoice: ModelRequest['toolChoice'],
  ): Omit<ModelRequest, 'signal'> {
    const { system, tools, temperature, passages = null } = prompt
    const passageMessages = passages === null ? [] : [quotePassages(passages)]
    const fixedCharacters =
      system.length +
      (passageMessages[0]?.content.length ?? 0) +
      (tools.length === 0 ? 0 : JSON.stringify(tools).length)
    const trimmedHistory = trimHistory(this.#messages, computeHistoryBudget(model.contextTokens, fixedCharacters))
    this.#droppedTurns = trimmedHistory.droppedTurns
    const request = {
      messages: toModelMessages([{ role: 'system', content: system }, ...passageMessages], trimmedHistory.messages),
      tools,
      toolChoice,
    }
    return temperature === null ? request : { ...request, temperature }
  }

  /** Reports trimmed history once per turn, and again if more history is dropped. */
  takeTrimExplanation(): Explanation | null {
    if (this.#droppedTurns <= this.#reportedDroppedTurns) return null
    this.#reportedDroppedTurns = this.#droppedTurns
    return { type: 'history-trimmed', droppedTurns: this.#droppedTurns }
  }

  #clearRenderedPrompt(): void {
    this.#lookup = null
    this.#renderedPrompt = null
  }
}

/** Truncates tool results for models. Drivers store the full results. */
function truncateForModel(message: HistoryMessage): HistoryMessage {
  return message.role === 'tool' ? { ...message, content: truncateContent(message.content) } : message
}
