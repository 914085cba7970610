import type {
  Conversation,
  DialogueState,
  LoadedAgent,
  ResponseEngine,
  SwapSettings,
} from '../../dialogue/conversation.ts'
import { findGraphAt, findNodeAt } from '../../dialogue/flow/flow-graph.ts'
import { applyVariableUpdates, type VariableUpdates } from '../../dialogue/variables/variable-updates.ts'
import type { Clock } from '../../ports.ts'
import type { VoiceAgent, VoiceSessionOptions } from './session-ports.ts'

/** Maximum time to wait for the next agent's voice. */
const VOICE_TIMEOUT_MS = 2_000

type Options = Pick<VoiceSessionOptions, 'buildConversation' | 'loadVoiceAgent' | 'applyNode' | 'agent' | 'state'> & {
  readonly clock: Clock
  readonly onChange: (agent: VoiceAgent, previousAgent: VoiceAgent) => void
}

/** The agent in charge of the conversation, with its state. */
export class ActiveConversation {
  readonly #options: Options
  #state: DialogueState | null
  /** The agent without node overrides. */
  #baseAgent: VoiceAgent
  #agent: VoiceAgent
  #loadedAgent: LoadedAgent | null = null
  readonly #loadedAgents = new Map<string, LoadedAgent>()
  #stopWaiting: () => void = () => {}

  constructor(options: Options) {
    this.#options = options
    this.#state = options.state
    this.#baseAgent = options.agent
    this.#agent = options.agent
  }

  get state(): DialogueState | null {
    return this.#state
  }

  /** The agent with the current node's overrides. */
  get agent(): VoiceAgent {
    return this.#agent
  }

  /** Builds the current agent's conversation, without state and history. */
  buildConversation(): Omit<Conversation, 'state' | 'history'> {
    const conversation = this.#options.buildConversation()
    if (this.#loadedAgent === null) return conversation
    const { engine, timezone, fallbackModels, fallbackMessage } = this.#loadedAgent
    return { ...conversation, engine, timezone, fallbackModels, fallbackMessage }
  }

  setState(state: DialogueState): void {
    this.#state = state
  }

  collectVariables(variables: VariableUpdates): void {
    const { kind, id, version } = this.buildConversation().engine
    const state = this.#state ?? ({ schema: 1, engine: { kind, id, version }, collectedVariables: {} } as const)
    this.#state = { ...state, collectedVariables: applyVariableUpdates(state.collectedVariables, variables) }
  }

  /** Returns an earlier state with all variables collected so far. */
  mergeCollected(state: DialogueState | null): DialogueState | null {
    if (state === null) return null
    return { ...state, collectedVariables: this.#state?.collectedVariables ?? state.collectedVariables }
  }

  /** Applies a node's overrides. */
  enterNode(nodeId: string): void {
    this.#changeAgent(this.#options.applyNode(this.#baseAgent, nodeId))
  }

  addLoadedAgent(agent: LoadedAgent): void {
    this.#loadedAgents.set(agent.agentId, agent)
  }

  /** Hands the conversation over to another agent. If that agent's voice does not load in time, the previous voice stays. */
  async handOver(agentId: string, settings: SwapSettings): Promise<void> {
    const loadedAgent = this.#loadedAgents.get(agentId)
    if (loadedAgent === undefined) return
    this.#loadedAgent = loadedAgent
    const voiceAgent = await this.#loadVoice(loadedAgent, settings)
    if (voiceAgent === null) return
    this.#baseAgent = voiceAgent
    this.#changeAgent(voiceAgent)
  }

  /** Stops waiting for a voice. */
  close(): void {
    this.#stopWaiting()
  }

  #loadVoice(agent: LoadedAgent, settings: SwapSettings): Promise<VoiceAgent | null> {
    return new Promise((resolve) => {
      const cancelTimeout = this.#options.clock.after(VOICE_TIMEOUT_MS, () => resolve(null))
      const finish = (voiceAgent: VoiceAgent | null): void => {
        cancelTimeout()
        resolve(voiceAgent)
      }
      this.#stopWaiting = () => finish(null)
      this.#options.loadVoiceAgent(agent, settings).then(finish, () => finish(null))
    })
  }

  #changeAgent(agent: VoiceAgent): void {
    if (agent === this.#agent) return
    const previousAgent = this.#agent
    this.#agent = agent
    this.#options.onChange(agent, previousAgent)
  }
}

/** Whether a tool plays a typing sound at the conversation's current position. */
export function playsTypingSound(engine: ResponseEngine, state: DialogueState | null, toolName: string): boolean {
  if (engine.kind === 'custom-llm') return false
  if (engine.kind === 'llm') {
    const tools = [...engine.tools, ...engine.states.flatMap(({ tools: stateTools = [] }) => stateTools)]
    return hasTypingSound(tools.find(({ name }) => name === toolName))
  }
  const position = state?.flow
  if (position === undefined) return false
  const tool = findGraphAt(engine, position.path)?.tools.find(({ name }) => name === toolName)
  return hasTypingSound(findNodeAt(engine, position)) || hasTypingSound(tool)
}

function hasTypingSound(toolOrNode: object | null | undefined): boolean {
  return toolOrNode != null && 'enable_typing_sound' in toolOrNode && toolOrNode.enable_typing_sound === true
}
