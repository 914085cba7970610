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
import type { ActiveConversation } from './active-conversation.ts'
import type { CallHistory } from './call-history.ts'
import { createGeneration, type EngineRequest, type Generation, toTurnInput, withoutModels } from './generation.ts'
import { fitState } from './reply.ts'
import { toolTraits } from './tool-traits.ts'

/** Told of what a generation does that is worth a record. */
export interface GenerationObserver {
  /** Before anything else is done with it. */
  take(generation: Generation, event: DialogueEvent): void
  /** From now on its answer counts. */
  committed(generation: Generation): void
  firstText(generation: Generation): void
  firstClause(generation: Generation): void
}

export interface GenerationsOptions {
  readonly dialogue: DialogueDependencies
  readonly history: CallHistory
  readonly activeConversation: ActiveConversation
  readonly observer: GenerationObserver
  readonly post: (event: VoiceEvent) => void
  /** Told of what should never happen. */
  readonly onFault: (error: unknown) => void
  /** Too much waits to be spoken: resolves when there is room. */
  readonly hasRoom: () => boolean
  readonly makeUtteranceId: () => string
  /** The answers are in this language now. */
  readonly language: () => string
  readonly settings: () => TurnSettings
}

export interface StartGeneration {
  readonly id: number
  readonly input: GenerationInput
  readonly speculative: boolean
  readonly attempt: number
}

/** Runs the dialogue engine, one generation after another; those that are not committed change nothing. */
export class Generations {
  readonly #options: GenerationsOptions
  readonly #running = new Map<number, Generation>()
  #last: Generation | null = null

  constructor(options: GenerationsOptions) {
    this.#options = options
  }

  get(id: number | null): Generation | null {
    return id === null ? null : (this.#running.get(id) ?? null)
  }

  start({ id, input, speculative, attempt }: StartGeneration): void {
    const again = input.type === 'again' ? this.#last : null
    const wanted = input.type === 'again' ? (again?.input ?? { type: 'injected' }) : input
    const { activeConversation } = this.#options
    const startState =
      again === null
        ? activeConversation.state
        : activeConversation.mergeCollected(again.transitionState ?? again.startState)
    const language = this.#options.language()
    const given = { id, input: wanted, startState, isCommitted: !speculative, language } as const
    const generation = createGeneration(given)
    this.#running.set(id, generation)
    const request = this.#request(generation, { attempt, again: again !== null })
    if (!speculative) this.#keep(generation)
    void this.#run(generation, request)
  }

  commit(id: number): void {
    const generation = this.get(id)
    if (generation === null || generation.isCommitted || generation.isCanceled) return
    generation.isCommitted = true
    this.#keep(generation)
    const { activeConversation } = this.#options
    if (generation.endState !== null) activeConversation.setState(this.#fit(generation, generation.endState))
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

  /** Speech was played or dropped: those that waited for room may go on. */
  wake(): void {
    for (const generation of this.#running.values()) generation.wake()
  }

  close(): void {
    for (const generation of this.#running.values()) {
      generation.isCanceled = true
      generation.controller.abort()
      generation.wake()
    }
  }

  #keep(generation: Generation): void {
    this.#last = generation
    this.#options.observer.committed(generation)
    this.#options.history.addReply(generation.reply)
    // Generations whose reply is long over are no longer asked for.
    for (const [id, old] of this.#running) if (old.isDone && id < generation.id - 8) this.#running.delete(id)
  }

  #request(generation: Generation, how: { readonly attempt: number; readonly again: boolean }): EngineRequest {
    const { activeConversation, history } = this.#options
    const { input } = generation
    const before = input.type === 'user' ? history.before(input.text, how.again) : history.messages()
    const messages = before ?? withoutLastAnswer(history.messages())
    // A place that the first try came to stands behind the caller's words, which this try answers once more.
    const state = fitState(generation.startState, messages.length + (how.again ? 1 : 0))
    const conversation = { ...activeConversation.conversation(), state, history: messages, firstModel: how.attempt }
    return { conversation, input: before === null ? { type: 'continue' } : toTurnInput(input) }
  }

  async #run(generation: Generation, { conversation, input }: EngineRequest): Promise<void> {
    const turn = respond(this.#dependencies(generation), conversation, input, generation.controller.signal)
    try {
      for (;;) {
        await this.#room(generation)
        const next = await turn.next()
        if (next.done === true) break
        if (hasSideEffect(next.value)) await this.#commitment(generation)
        if (!this.#canHandle(generation, next.value)) break
        await this.#take(generation, next.value)
      }
    } catch (error) {
      // A port that rejects against its promise must not take the call down: the turn machine tries again.
      this.#options.onFault(error)
    } finally {
      generation.controller.abort()
      generation.isDone = true
      if (!generation.isCanceled && generation.endState === null) this.#end(generation, 'failed')
      turn.return(undefined).catch(() => {})
    }
  }

  /**
   * What a cancelled generation still tells: how its tools ended and, until another answer counts, where that led. Nothing new
   * is begun.
   */
  #canHandle(generation: Generation, event: DialogueEvent): boolean {
    if (!generation.isCanceled) return true
    if (!generation.isCommitted || generation.controller.signal.aborted) return event.type === 'usage'
    if (isTransition(event) && generation !== this.#last) return false
    return event.type !== 'text-delta' && event.type !== 'message-end' && event.type !== 'turn-end'
  }

  async #take(generation: Generation, event: DialogueEvent): Promise<void> {
    const { observer, activeConversation } = this.#options
    observer.take(generation, event)
    switch (event.type) {
      case 'text-delta':
        this.#write(generation, event.text)
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
        activeConversation.collect(event.variables)
        return
      case 'node-transition':
      case 'state-transition':
        this.#move(generation, event.state)
        if (event.type === 'node-transition') activeConversation.enterNode(event.to.nodeId)
        this.#emitTransition(generation)
        return
      case 'action':
        await this.#act(generation, event)
        return
      case 'turn-end':
        generation.endState = event.state
        if (generation.isCommitted) activeConversation.setState(this.#fit(generation, event.state))
        this.#end(generation, event.outcome)
        return
      case 'explanation':
        generation.decisions.push(event.explanation)
        if (event.explanation.type === 'knowledge-retrieved') generation.retrievalMs ??= event.explanation.latencyMs
        return
      case 'usage':
        return
    }
  }

  #write(generation: Generation, text: string): void {
    const { observer, makeUtteranceId } = this.#options
    const isFirst = generation.reply.messages.length === 0
    generation.reply.current(makeUtteranceId).generated += text
    if (isFirst) observer.firstText(generation)
    this.#speak(generation, generation.splitter.push(text))
  }

  #speak(generation: Generation, clauses: readonly string[]): void {
    const { observer, post, makeUtteranceId } = this.#options
    for (const text of clauses) {
      const utteranceId = makeUtteranceId()
      const message = generation.reply.current(makeUtteranceId)
      if (generation.reply.messages.length === 1 && message.utterances.length === 0) observer.firstClause(generation)
      message.utterances.push(utteranceId)
      post({ type: 'clause', generation: generation.id, utteranceId, text })
    }
  }

  #endMessage(generation: Generation, { toolCalls }: Extract<DialogueEvent, { type: 'message-end' }>): void {
    const { post, makeUtteranceId, activeConversation } = this.#options
    this.#speak(generation, generation.splitter.end())
    const message = generation.reply.current(makeUtteranceId)
    message.isEnded = true
    message.toolCalls = toolCalls
    const { engine } = activeConversation.conversation()
    const { hasLeadIn } = generation.reply
    for (const { id, name } of toolCalls) {
      const traits = toolTraits(engine, activeConversation.state, name)
      generation.runningTools.add(id)
      post({ type: 'tool-started', generation: generation.id, toolCallId: id, hasLeadIn, ...traits })
    }
  }

  async #act(generation: Generation, { action, state }: Extract<DialogueEvent, { type: 'action' }>): Promise<void> {
    const { activeConversation, post } = this.#options
    if (state !== undefined) this.#move(generation, state)
    if (action.type === 'end' && !generation.isCanceled) post({ type: 'agent-hang-up', generation: generation.id })
    if (action.type !== 'agent-swap') return
    await activeConversation.handOver(action.agent.agentId, action.settings)
    this.#emitTransition(generation)
  }

  #move(generation: Generation, state: DialogueState): void {
    const fitted = this.#fit(generation, state)
    generation.transitionState = fitted
    this.#options.activeConversation.setState(fitted)
  }

  /** An answer that was begun on trial knows nothing of it, whoever moved. */
  #emitTransition({ id }: Generation): void {
    const { post, settings } = this.#options
    post({ type: 'transition', generation: id, settings: settings() })
  }

  /** What the engine is told unasked is no part of the history: places in a flow are counted without it. */
  #fit(generation: Generation, state: DialogueState): DialogueState {
    const { flow } = state
    if (generation.input.type === 'user' || flow?.messagesBefore === undefined) return state
    const before = generation.startState?.flow?.messagesBefore
    if (flow.messagesBefore === before || flow.messagesBefore === 0) return state
    return { ...state, flow: { ...flow, messagesBefore: flow.messagesBefore - 1 } }
  }

  #end(generation: Generation, outcome: 'completed' | 'failed'): void {
    if (!generation.isCanceled) {
      this.#options.post({ type: 'generation-ended', generation: generation.id, outcome })
    }
  }

  #room(generation: Generation): Promise<void> | undefined {
    const isReady = (): boolean => generation.isCanceled || this.#options.hasRoom()
    return isReady() ? undefined : until(generation, isReady)
  }

  #commitment(generation: Generation): Promise<void> | undefined {
    const isReady = (): boolean => generation.isCommitted || generation.isCanceled
    return isReady() ? undefined : until(generation, isReady)
  }

  #dependencies(generation: Generation): DialogueDependencies {
    const { dialogue, activeConversation } = this.#options
    return {
      ...dialogue,
      resolveModel: (name) => withoutModels(generation, dialogue.resolveModel(name)),
      customLlm: {
        async *respond(request) {
          if (withoutModels(generation, request) !== null) yield* dialogue.customLlm.respond(request)
        },
      },
      agents: {
        load: async (agentId, agentVersion) => {
          const loaded = await dialogue.agents.load(agentId, agentVersion)
          if (loaded.ok) activeConversation.noteLoaded(loaded.agent satisfies LoadedAgent)
          return loaded
        },
      },
    }
  }
}

/** After it the conversation stands somewhere else. */
function isTransition(event: DialogueEvent): boolean {
  return 'state' in event && event.state !== undefined
}

/** Things that a generation must not do before somebody wants its answer. */
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

/** The answer is given once more: what was heard of it would stand in its way. */
function withoutLastAnswer(messages: readonly HistoryMessage[]): readonly HistoryMessage[] {
  const last = messages.at(-1)
  return last?.role === 'assistant' && last.toolCalls.length === 0 ? messages.slice(0, -1) : messages
}

async function until(generation: Generation, isReady: () => boolean): Promise<void> {
  while (!isReady()) {
    await new Promise<void>((resolve) => {
      generation.wake = resolve
    })
  }
}
