import type { LanguageModel, ModelRequest, ModelTool } from '../ports.ts'
import type {
  Conversation,
  DialogueDependencies,
  DialogueState,
  Explanation,
  HistoryMessage,
  TurnInput,
} from './conversation.ts'
import { toModelMessages } from './models/model-messages.ts'
import { historyBudgetCharacters, trimHistory } from './models/trim-history.ts'
import { type ExecutableTool, executableTools, toModelTool } from './tools/executable-tools.ts'
import { cutContent } from './tools/tool-result.ts'
import { conversationVariables } from './variables/conversation-variables.ts'
import { renderTemplate, type VariableLookup } from './variables/variables.ts'

/** Stands in for a blank prompt, so that a new agent answers at all. */
const DEFAULT_PROMPT = 'You are a helpful assistant. Answer briefly and politely.'

/** One turn under way: what it has said and learned so far, and what its requests are made of. */
export class Turn {
  readonly dependencies: DialogueDependencies
  readonly conversation: Conversation
  readonly signal: AbortSignal
  /** The turn takes up what its history ends in. */
  readonly resumed: boolean
  readonly tools: readonly ExecutableTool[]
  readonly modelNames: readonly string[]
  /** The place of the model that answered last in `modelNames`: one that failed is not asked again in the same turn. */
  candidate = 0
  spoken = false
  toolSteps = 0
  invalidSteps = 0
  readonly #messages: HistoryMessage[]
  readonly #nowMs: number
  #collected: Readonly<Record<string, string>>
  #lookup: VariableLookup | null = null
  #prompt: { readonly system: string; readonly tools: readonly ModelTool[]; readonly characters: number } | null = null
  #reportedDrops = 0
  #droppedTurns = 0

  constructor(
    dependencies: DialogueDependencies,
    conversation: Conversation,
    environment: { readonly input: TurnInput; readonly signal: AbortSignal },
  ) {
    this.dependencies = dependencies
    this.conversation = conversation
    this.signal = environment.signal
    this.resumed = environment.input.type === 'continue'
    this.tools = executableTools(conversation.engine.tools)
    this.modelNames = [...new Set([conversation.engine.model, ...conversation.fallbackModels])]
    this.#messages = conversation.history.map(shownToModel)
    if (environment.input.type === 'user-message') {
      this.#messages.push({ role: 'user', content: environment.input.content })
    }
    this.#nowMs = dependencies.clock.now()
    this.#collected = conversation.state?.collectedVariables ?? {}
  }

  /** All variables as they are now. */
  get lookup(): VariableLookup {
    this.#lookup ??= conversationVariables({
      engine: this.conversation.engine,
      variables: this.conversation.variables,
      collected: this.#collected,
      timezone: this.conversation.timezone,
      nowMs: this.#nowMs,
    })
    return this.#lookup
  }

  /** Said when no model answers; `null` when the agent has none. */
  get fallbackMessage(): string | null {
    const message = renderTemplate(this.conversation.fallbackMessage ?? '', this.lookup)
    return message.trim() === '' ? null : message
  }

  add(message: HistoryMessage): void {
    this.#messages.push(message)
  }

  collect(variables: Readonly<Record<string, string>>): void {
    this.#collected = { ...this.#collected, ...variables }
    this.#lookup = null
    this.#prompt = null
  }

  /** The memory to store with the turn as it stands. */
  state(): DialogueState {
    const { kind, id, version } = this.conversation.engine
    return { schema: 1, engine: { kind, id, version }, collectedVariables: this.#collected }
  }

  /** The request for one model, its history trimmed to that model's window. */
  buildRequest(model: LanguageModel, toolChoice: 'auto' | 'none'): Omit<ModelRequest, 'signal'> {
    const { temperature } = this.conversation.engine
    this.#prompt ??= this.#makePrompt()
    const trimmed = trimHistory(this.#messages, historyBudgetCharacters(model.contextTokens, this.#prompt.characters))
    this.#droppedTurns = trimmed.droppedTurns
    const request = {
      messages: toModelMessages(this.#prompt.system, trimmed.messages),
      tools: this.#prompt.tools,
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

  #makePrompt(): { system: string; tools: readonly ModelTool[]; characters: number } {
    const { generalPrompt } = this.conversation.engine
    const system = generalPrompt.trim() === '' ? DEFAULT_PROMPT : renderTemplate(generalPrompt, this.lookup)
    const tools = this.tools.map((tool) => toModelTool(tool, this.lookup))
    const toolCharacters = tools.length === 0 ? 0 : JSON.stringify(tools).length
    return { system, tools, characters: system.length + toolCharacters }
  }
}

/** Drivers store whole tool results; a model is shown their beginning, in later turns as in the turn of the call. */
function shownToModel(message: HistoryMessage): HistoryMessage {
  return message.role === 'tool' ? { ...message, content: cutContent(message.content) } : message
}
