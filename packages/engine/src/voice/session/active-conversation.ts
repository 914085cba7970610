import type { Conversation, DialogueState, LoadedAgent, SwapSettings } from '../../dialogue/conversation.ts'
import { applyVariableUpdates, type VariableUpdates } from '../../dialogue/variables/variable-updates.ts'
import type { Clock } from '../../ports.ts'
import type { VoiceAgent, VoiceSessionOptions } from './session-ports.ts'

/** A hand-over waits for the voice of the other agent, but not for ever. */
const VOICE_TIMEOUT_MS = 2_000

type Options = Pick<VoiceSessionOptions, 'conversation' | 'voiceAgent' | 'atNode' | 'agent' | 'state'> & {
  readonly clock: Clock
  readonly onChange: (to: VoiceAgent, from: VoiceAgent) => void
}

/** Who holds the conversation, and what it remembers. */
export class ActiveConversation {
  readonly #options: Options
  #state: DialogueState | null
  /** The agent as it is outside of any node. */
  #base: VoiceAgent
  #agent: VoiceAgent
  #loaded: LoadedAgent | null = null
  readonly #known = new Map<string, LoadedAgent>()
  #stopWaiting: () => void = () => {}

  constructor(options: Options) {
    this.#options = options
    this.#state = options.state
    this.#base = options.agent
    this.#agent = options.agent
  }

  get state(): DialogueState | null {
    return this.#state
  }

  /** As it sounds and listens where the conversation is now. */
  get agent(): VoiceAgent {
    return this.#agent
  }

  /** Everything of a conversation but what was said; of the agent that holds it. */
  conversation(): Omit<Conversation, 'state' | 'history'> {
    const conversation = this.#options.conversation()
    if (this.#loaded === null) return conversation
    const { engine, timezone, fallbackModels, fallbackMessage } = this.#loaded
    return { ...conversation, engine, timezone, fallbackModels, fallbackMessage }
  }

  setState(state: DialogueState): void {
    this.#state = state
  }

  collect(variables: VariableUpdates): void {
    const { kind, id, version } = this.conversation().engine
    const known = this.#state ?? ({ schema: 1, engine: { kind, id, version }, collectedVariables: {} } as const)
    this.#state = { ...known, collectedVariables: applyVariableUpdates(known.collectedVariables, variables) }
  }

  /** An earlier memory with all that was learned since. */
  mergeCollected(state: DialogueState | null): DialogueState | null {
    if (state === null) return null
    return { ...state, collectedVariables: this.#state?.collectedVariables ?? state.collectedVariables }
  }

  /** The agent sounds and listens as this node has it. */
  enterNode(nodeId: string): void {
    this.#change(this.#options.atNode(this.#base, nodeId))
  }

  noteLoaded(agent: LoadedAgent): void {
    this.#known.set(agent.agentId, agent)
  }

  /** The other agent speaks from here on; with the voice of the one before, where its own cannot be found in time. */
  async handOver(agentId: string, settings: SwapSettings): Promise<void> {
    const loaded = this.#known.get(agentId)
    if (loaded === undefined) return
    this.#loaded = loaded
    const spoken = await this.#voiceOf(loaded, settings)
    if (spoken === null) return
    this.#base = spoken
    this.#change(spoken)
  }

  /** Nobody waits for a voice any more. */
  close(): void {
    this.#stopWaiting()
  }

  #voiceOf(agent: LoadedAgent, settings: SwapSettings): Promise<VoiceAgent | null> {
    return new Promise((resolve) => {
      const stop = this.#options.clock.after(VOICE_TIMEOUT_MS, () => resolve(null))
      const settle = (spoken: VoiceAgent | null): void => {
        stop()
        resolve(spoken)
      }
      this.#stopWaiting = () => settle(null)
      this.#options.voiceAgent(agent, settings).then(settle, () => settle(null))
    })
  }

  #change(agent: VoiceAgent): void {
    if (agent === this.#agent) return
    const before = this.#agent
    this.#agent = agent
    this.#options.onChange(agent, before)
  }
}
