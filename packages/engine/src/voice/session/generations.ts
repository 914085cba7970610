import type {
  DialogueDependencies,
  DialogueEvent,
  DialogueState,
  HistoryMessage,
  LoadedAgent,
} from '../../dialogue/conversation.ts'
import { respond } from '../../dialogue/respond.ts'
import type { GenerationInput, VoiceEvent } from '../turn-machine/events.ts'
import type { TurnSettings } from '../turn-machine/settings.ts'
import { type ActiveConversation, playsTypingSound } from './active-conversation.ts'
import type { CallHistory } from './call-history.ts'
import { createGeneration, type EngineRequest, type Generation, toTurnInput, withholdIfCanceled } from './generation.ts'
import { limitFlowPosition } from './utterances.ts'

/** Receives generation events that can be recorded. */
interface GenerationObserver {
  /** Called before an event is handled. */
  onEvent(generation: Generation, event: DialogueEvent): void
  /** Called when the generation's answer becomes part of the conversation. */
  onCommitted(generation: Generation): void
  onFirstText(generation: Generation): void
  onFirstClause(generation: Generation): void
}

interface GenerationsOptions {
  readonly dialogue: DialogueDependencies
  readonly history: CallHistory
  readonly activeConversation: ActiveConversation
  readonly observer: GenerationObserver
  readonly post: (event: VoiceEvent) => void
  /** Reports internal errors. */
  readonly onFault: (error: unknown) => void
  /** Returns false while too much speech is pending. */
  readonly hasRoom: () => boolean
  readonly makeUtteranceId: () => string
  /** Returns the language of the answers. */
  readonly getLanguage: () => string
  readonly getSettings: () => TurnSettings
}

interface GenerationStart {
  readonly id: number
  readonly input: GenerationInput
  readonly speculative: boolean
  readonly attempt: number
}

/** Runs the dialogue engine for each generation. Uncommitted generations have no side effects. */
export class Generations {
  readonly #options: GenerationsOptions
  readonly #runningGenerations = new Map<number, Generation>()
  #lastGeneration: Generation | null = null

  constructor(options: GenerationsOptions) {
    this.#options = options
  }

  get(id: number | null): Generation | null {
    return id === null ? null : (this.#runningGenerations.get(id) ?? null)
  }

  start({ id, input, speculative, attempt }: GenerationStart): void {
    const repeatedGeneration = input.type === 'again' ? this.#lastGeneration : null
    const resolvedInput = input.type === 'again' ? (repeatedGeneration?.input ?? { type: 'injected' }) : input
    const { activeConversation } = this.#options
    const startState =
      repeatedGeneration === null
        ? activeConversation.state
        : activeConversation.mergeCollected(repeatedGeneration.transitionState ?? repeatedGeneration.startState)
    const language = this.#options.getLanguage()
    const generation = createGeneration({ id, input: resolvedInput, startState, isCommitted: !speculative, language })
    this.#runningGenerations.set(id, generation)
    const request = this.#buildRequest(generation, { attempt, again: repeatedGeneration !== null })
    if (!speculative) this.#addToConversation(generation)
    void this.#run(generation, request)
  }

  commit(id: number): void {
    const generation = this.get(id)
    if (generation === null || generation.isCommitted || generation.isCanceled) return
    generation.isCommitted = true
    this.#addToConversation(generation)
    const { activeConversation } = this.#options
    if (generation.endState !== null)
      activeConversation.setState(this.#fitStateToHistory(generation, generation.endState))
    generation.wake()
  }

  cancel(id: number): void {
    const generation = this.get(id)
    if (generation === null || generation.isCanceled) return
    generation.isCanceled = true
    const hasWork = generation.isCommitted && generation.runningTools.size > 0
    if (!hasWork) generation.controller.abort()
    generation.wake()
  }

  /** Resumes generations that wait for room. */
  wake(): void {
    for (const generation of this.#runningGenerations.values()) generation.wake()
  }

  close(): void {
    for (const generation of this.#runningGenerations.values()) {
      generation.isCanceled = true
      generation.controller.abort()
      generation.wake()
    }
  }

  #addToConversation(generation: Generation): void {
    this.#lastGeneration = generation
    this.#options.observer.onCommitted(generation)
    this.#options.history.addReply(generation.reply)
    // Drop generations with replies that ended long ago.
    for (const [id, oldGeneration] of this.#runningGenerations)
      if (oldGeneration.isDone && id < generation.id - 8) this.#runningGenerations.delete(id)
  }

  #buildRequest(generation: Generation, options: { readonly attempt: number; readonly again: boolean }): EngineRequest {
    const { activeConversation, history } = this.#options
    const { input } = generation
    const messagesBefore =
      input.type === 'user' ? history.getHistoryBefore(input.text, options.again) : history.listMessages()
    const messages = messagesBefore ?? removeLastAnswer(history.listMessages())
    // A node that the first attempt entered comes after the user's message, which this attempt answers again.
    const state = limitFlowPosition(generation.startState, messages.length + (options.again ? 1 : 0))
    const conversation = {
      ...activeConversation.buildConversation(),
      state,
      history: messages,
      firstModelIndex: options.attempt,
    }
    return { conversation, input: messagesBefore === null ? { type: 'continue' } : toTurnInput(input) }
  }

  async #run(generation: Generation, { conversation, input }: EngineRequest): Promise<void> {
    const turn = respond(this.#createDependencies(generation), conversation, input, generation.controller.signal)
    try {
      for (;;) {
        await this.#waitForRoom(generation)
        const next = await turn.next()
        if (next.done === true) break
        if (hasSideEffect(next.value)) await this.#waitForCommit(generation)
        if (!this.#canHandle(generation, next.value)) break
        await this.#handleEvent(generation, next.value)
      }
    } catch (error) {
      // A port may violate its contract and reject. The call continues, because the turn machine retries.
      this.#options.onFault(error)
    } finally {
      generation.controller.abort()
      generation.isDone = true
      if (!generation.isCanceled && generation.endState === null) this.#endGeneration(generation, 'failed')
      turn.return(undefined).catch(() => {})
    }
  }

  /**
   * Whether a generation may handle an event. A canceled generation still reports tool results and resulting transitions until
   * another answer is committed. It starts nothing new.
   */
  #canHandle(generation: Generation, event: DialogueEvent): boolean {
    if (!generation.isCanceled) return true
    if (!generation.isCommitted || generation.controller.signal.aborted) return event.type === 'usage'
    if (isTransition(event) && generation !== this.#lastGeneration) return false
    return event.type !== 'text-delta' && event.type !== 'message-end' && event.type !== 'turn-end'
  }

  async #handleEvent(generation: Generation, event: DialogueEvent): Promise<void> {
    const { observer, activeConversation } = this.#options
    observer.onEvent(generation, event)
    switch (event.type) {
      case 'text-delta':
        this.#addText(generation, event.text)
        return
      case 'message-end':
        this.#endMessage(generation, event)
        return
      case 'tool-result':
        generation.runningTools.delete(event.toolCallId)
        generation.reply.addResult(event)
        if (!generation.isCanceled) {
          this.#options.post({ type: 'tool-ended', generation: generation.id, toolCallId: event.toolCallId })
        }
        return
      case 'variables-collected':
        activeConversation.collectVariables(event.variables)
        return
      case 'node-transition':
      case 'state-transition':
        this.#applyTransition(generation, event.state)
        if (event.type === 'node-transition') activeConversation.enterNode(event.to.nodeId)
        this.#emitTransition(generation)
        return
      case 'action':
        await this.#performAction(generation, event)
        return
      case 'turn-end':
        generation.endState = event.state
        if (generation.isCommitted) activeConversation.setState(this.#fitStateToHistory(generation, event.state))
        this.#endGeneration(generation, event.outcome)
        return
      case 'explanation':
        generation.decisions.push(event.explanation)
        if (event.explanation.type === 'knowledge-retrieved') generation.retrievalMs ??= event.explanation.latencyMs
        return
      case 'usage':
        return
    }
  }

  #addText(generation: Generation, text: string): void {
    const { observer, makeUtteranceId } = this.#options
    const isFirst = generation.reply.messages.length === 0
    generation.reply.getOpenMessage(makeUtteranceId).generated += text
    if (isFirst) observer.onFirstText(generation)
    this.#speak(generation, generation.splitter.push(text))
  }

  #speak(generation: Generation, clauses: readonly string[]): void {
    const { observer, post, makeUtteranceId } = this.#options
    for (const text of clauses) {
      const utteranceId = makeUtteranceId()
      const message = generation.reply.getOpenMessage(makeUtteranceId)
      if (generation.reply.messages.length === 1 && message.utterances.length === 0) observer.onFirstClause(generation)
      message.utterances.push(utteranceId)
      post({ type: 'clause', generation: generation.id, utteranceId, text })
    }
  }

  #endMessage(generation: Generation, { toolCalls }: Extract<DialogueEvent, { type: 'message-end' }>): void {
    const { post, makeUtteranceId, activeConversation } = this.#options
    this.#speak(generation, generation.splitter.end())
    const message = generation.reply.getOpenMessage(makeUtteranceId)
    message.isEnded = true
    message.toolCalls = toolCalls
    const { engine } = activeConversation.buildConversation()
    const { hasLeadIn } = generation.reply
    for (const { id, name } of toolCalls) {
      const typingSound = playsTypingSound(engine, activeConversation.state, name)
      generation.runningTools.add(id)
      post({ type: 'tool-started', generation: generation.id, toolCallId: id, hasLeadIn, typingSound })
    }
  }

  async #performAction(
    generation: Generation,
    { action, state }: Extract<DialogueEvent, { type: 'action' }>,
  ): Promise<void> {
    const { activeConversation, post } = this.#options
    if (state !== undefined) this.#applyTransition(generation, state)
    if (action.type === 'end' && !generation.isCanceled) post({ type: 'agent-hang-up', generation: generation.id })
    if (action.type !== 'agent-swap') return
    await activeConversation.handOver(action.agent.agentId, action.settings)
    this.#emitTransition(generation)
  }

  #applyTransition(generation: Generation, state: DialogueState): void {
    const fittedState = this.#fitStateToHistory(generation, state)
    generation.transitionState = fittedState
    this.#options.activeConversation.setState(fittedState)
  }

  /** Emits a transition, which makes speculative answers outdated. */
  #emitTransition({ id }: Generation): void {
    const { post, getSettings } = this.#options
    post({ type: 'transition', generation: id, settings: getSettings() })
  }

  /** Adjusts the state. The history omits unprompted input, so flow positions must omit it too. */
  #fitStateToHistory(generation: Generation, state: DialogueState): DialogueState {
    const { flow } = state
    if (generation.input.type === 'user' || flow?.messagesBefore === undefined) return state
    const startMessagesBefore = generation.startState?.flow?.messagesBefore
    if (flow.messagesBefore === startMessagesBefore || flow.messagesBefore === 0) return state
    return { ...state, flow: { ...flow, messagesBefore: flow.messagesBefore - 1 } }
  }

  #endGeneration(generation: Generation, outcome: 'completed' | 'failed'): void {
    if (!generation.isCanceled) {
      this.#options.post({ type: 'generation-ended', generation: generation.id, outcome })
    }
  }

  #waitForRoom(generation: Generation): Promise<void> | undefined {
    const isReady = (): boolean => generation.isCanceled || this.#options.hasRoom()
    return isReady() ? undefined : waitUntilReady(generation, isReady)
  }

  #waitForCommit(generation: Generation): Promise<void> | undefined {
    const isReady = (): boolean => generation.isCommitted || generation.isCanceled
    return isReady() ? undefined : waitUntilReady(generation, isReady)
  }

  #createDependencies(generation: Generation): DialogueDependencies {
    const { dialogue, activeConversation } = this.#options
    return {
      ...dialogue,
      resolveModel: (name) => withholdIfCanceled(generation, dialogue.resolveModel(name)),
      customLlm: {
        async *respond(request) {
          if (withholdIfCanceled(generation, request) !== null) yield* dialogue.customLlm.respond(request)
        },
      },
      agents: {
        load: async (agentId, agentVersion) => {
          const loadResult = await dialogue.agents.load(agentId, agentVersion)
          if (loadResult.ok) activeConversation.addLoadedAgent(loadResult.agent satisfies LoadedAgent)
          return loadResult
        },
      },
    }
  }
}

/** Whether the event changes the conversation's state. */
function isTransition(event: DialogueEvent): boolean {
  return 'state' in event && event.state !== undefined
}

/** Whether the event has a side effect that requires a committed generation. */
function hasSideEffect(event: DialogueEvent): boolean {
  if (event.type === 'message-end') return event.toolCalls.length > 0
  return (
    event.type === 'node-transition' ||
    event.type === 'state-transition' ||
    event.type === 'action' ||
    event.type === 'variables-collected' ||
    event.type === 'tool-result'
  )
}

/** Removes the heard part of the last answer, because the answer is repeated. */
function removeLastAnswer(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const lastMessage = messages.at(-1)
  return lastMessage?.role === 'assistant' && lastMessage.toolCalls.length === 0 ? messages.slice(0, -1) : messages
}

async function waitUntilReady(generation: Generation, isReady: () => boolean): Promise<void> {
  while (!isReady()) {
    await new Promise<void>((resolve) => {
      generation.wake = resolve
    })
  }
}
