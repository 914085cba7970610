import type {
  Conversation,
  DialogueDependencies,
  LoadedAgent,
  SwapSettings,
} from '@parley/engine/dialogue/conversation'
import { openCall } from '@parley/engine/dialogue/opening'
import { conversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import type { Clock, JsonObject, Random, ResolveModel } from '@parley/engine/ports'
import type { CallObserver } from '@parley/engine/voice/call-observer'
import type { MediaLeg, Transcriber, VoiceClassifier } from '@parley/engine/voice/ports'
import type { SpokenAgent, VoiceSession } from '@parley/engine/voice/session/session-ports'
import { createVoiceSession } from '@parley/engine/voice/session/voice-session'
import type { Background } from '../../../kernel/background.ts'
import { checkModels, type UsableModels } from '../../../kernel/check-models.ts'
import { AppError } from '../../../kernel/errors.ts'
import type { Leases } from '../../../kernel/leases.ts'
import type {
  CallCommand,
  CallTapes,
  HeldCalls,
  JoinedCall,
  JoinRefusal,
  LiveCallHost,
} from '../../../kernel/live-calls.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { AgentUse, PinnedAgent } from '../../../kernel/pinned-agent.ts'
import type { StoredCall } from '../call-answers.ts'
import type { CallEventWriter } from '../records/event-writer.ts'
import type { CallEnder } from '../states/call-ender.ts'
import type { CallJoining } from '../states/call-joining.ts'
import { type CallMemory, toCallConversation } from './call-conversation.ts'
import { createEndWriter, type EndWriter } from './end-writer.ts'
import type { CallSpeech, FindVoice, Pacing, VoiceClassifiers } from './live-ports.ts'
import { SpokenAgents } from './spoken-agents.ts'

export interface LiveCallsDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly background: Background
  readonly leases: Pick<Leases, 'take' | 'release' | 'onLost'>
  readonly agents: Pick<AgentUse, 'load'>
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly speech: CallSpeech
  readonly findVoice: FindVoice
  readonly classifiers: () => Promise<VoiceClassifiers>
  readonly pacing: Pacing
  readonly tapes: CallTapes
  readonly joining: Pick<CallJoining, 'look' | 'join'>
  readonly ender: Pick<CallEnder, 'endById'>
  readonly writer: Pick<CallEventWriter, 'open'>
  /** Whether the call is this node's as far as its row says. */
  readonly isOurs: (callId: string) => Promise<boolean>
  /** Another agent speaks from here on: it is told of the call, and the stricter of their storage policies holds. */
  readonly handOver: (callId: string, agent: PinnedAgent, settings: SwapSettings) => Promise<unknown>
  readonly logger: Pick<Logger, 'warn'>
  readonly logError: (name: string, error: unknown) => void
}

/** The calls of this node. */
export interface LiveCalls extends LiveCallHost, HeldCalls {
  /** Ends of calls that could not be written down yet are tried once more, and then left to whoever finds the calls lost. */
  giveUp(): void
}

/** Models of calls have no deadline of their own: the turn gives up on them before. */
const MODEL_DEADLINES = { firstTokenMs: 60_000, idleMs: 20_000, totalMs: 300_000 }
/** The end of a call does not wait longer for its recording: a disk may hang for ever. */
const TAPE_MS = 30_000
/** Between two tries to take a slot back. */
const TAKE_BACK_EVERY_MS = 1_000

/** Who understands the caller where no provider does, as callers are told. */
const WITHOUT_RECOGNISER = {
  browser: 'No provider of speech recognition is configured: the browser of the caller recognises speech.',
  none: 'Speech is not recognised in this call: no provider is configured, and the browser does not do it either. Type what you want to say.',
}

interface HeldCall {
  readonly call: StoredCall
  readonly session: VoiceSession
  readonly memory: CallMemory
}

/** What a call is begun with, found before its token is used up. */
interface Preparation {
  readonly agent: PinnedAgent
  readonly dialogue: DialogueDependencies
  readonly transcribers: readonly Transcriber[]
  readonly recognition: JoinedCall['recognition']
  readonly agents: SpokenAgents
  readonly spoken: SpokenAgent
  readonly classifier: VoiceClassifier
  readonly standIns: readonly string[]
}

export function createLiveCalls(dependencies: LiveCallsDependencies): LiveCalls {
  return new CallHost(dependencies)
}

class CallHost implements LiveCalls {
  readonly #dependencies: LiveCallsDependencies
  readonly #held = new Map<string, HeldCall>()
  readonly #ends: EndWriter

  constructor(dependencies: LiveCallsDependencies) {
    this.#dependencies = dependencies
    this.#ends = createEndWriter(dependencies)
    dependencies.leases.onLost((callId) => this.#takeBack(callId))
  }

  get activeCount(): number {
    return this.#held.size
  }

  async join(accessToken: string, leg: MediaLeg, observer: CallObserver | null): Promise<JoinedCall | JoinRefusal> {
    const { joining, logError } = this.#dependencies
    const found = await joining.look(accessToken)
    if (!found.ok) return found
    let preparation: Preparation
    try {
      preparation = await this.#prepare(found.call, leg)
    } catch (error) {
      // Whoever has a link is told nothing about how the house is set up.
      logError('prepare a call', error)
      const retry = !(error instanceof AppError) || error.code === 'unavailable'
      const message = `The call cannot begin right now. ${retry ? 'Try again in a moment.' : 'Tell whoever gave you the link.'}`
      return { ok: false, code: 'unavailable', message, retry }
    }
    const joined = await joining.join(accessToken)
    if (!joined.ok) {
      preparation.classifier.close()
      return joined
    }
    const { call } = joined
    try {
      this.#begin(call, { leg, observer }, preparation)
    } catch (error) {
      return this.#abandon(call, preparation, error)
    }
    return {
      ok: true,
      callId: call.call_id,
      agentName: call.agent_name,
      language: preparation.spoken.speaking.language,
      recognition: preparation.recognition,
      standIns: [...preparation.standIns, ...preparation.agents.standIns],
      startedAtMs: call.started_at ?? this.#dependencies.clock.now(),
    }
  }

  command(callId: string, command: CallCommand): boolean {
    const held = this.#held.get(callId)
    if (held === undefined) return false
    switch (command.type) {
      case 'say':
        held.session.say(command.text, command.interruptible)
        break
      case 'inject':
        held.session.inject(command.text, command.respond)
        break
      case 'end':
        held.session.end('manual_stopped', false)
        break
      case 'changed':
        held.memory.metadata = command.metadata ?? held.memory.metadata
        held.memory.overrideVariables = command.overrideVariables ?? held.memory.overrideVariables
        break
    }
    return true
  }

  endAll(): void {
    for (const { session } of this.#held.values()) session.end('error_node_lost', false)
  }

  giveUp(): void {
    this.#ends.giveUp()
  }

  async #prepare(call: StoredCall, leg: MediaLeg): Promise<Preparation> {
    const { agents, models, speech, classifiers, dialogueFor, findVoice } = this.#dependencies
    const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = call
    const pin = { workspaceId, agentId, agentVersion, engineId: call.engine_id, engineVersion: call.engine_version }
    const [agent, usable, ears, detectors] = await Promise.all([
      agents.load(pin),
      models.forWorkspace(workspaceId),
      speech.forWorkspace(workspaceId),
      classifiers(),
    ])
    checkModels(agent, usable)
    const { sttMode = 'fast', customSttConfig = null } = agent.voice ?? {}
    const { transcribers, standIns } = ears.recognition({ mode: sttMode, provider: customSttConfig?.provider ?? null })
    const recognition = transcribers.length > 0 ? 'server' : leg.capabilities.recognizesSpeech ? 'browser' : 'none'
    const spokenAgents = new SpokenAgents({
      workspaceId,
      speech: ears,
      findVoice,
      cancelsEcho: leg.capabilities.cancelsEcho,
      transcribers,
      variablesOf: ({ engine, timezone }) => ({
        engine,
        timezone,
        variables: { system: {}, given: JSON.parse(call.given_variables) as Record<string, string>, override: {} },
        collected: {},
        nowMs: this.#dependencies.clock.now(),
      }),
    })
    const spoken = await spokenAgents.load(agent)
    return {
      agent,
      dialogue: { ...dialogueFor(workspaceId, usable.resolve), deadlines: MODEL_DEADLINES },
      transcribers,
      recognition,
      agents: spokenAgents,
      spoken,
      classifier: detectors.open(leg.rateHz),
      standIns: recognition === 'server' ? standIns : [...standIns, WITHOUT_RECOGNISER[recognition]],
    }
  }

  #begin(
    call: StoredCall,
    { leg, observer }: { readonly leg: MediaLeg; readonly observer: CallObserver | null },
    preparation: Preparation,
  ): void {
    const { clock, random, writer, tapes, pacing, leases, background, logger, logError } = this.#dependencies
    const { agent, agents } = preparation
    const callId = call.call_id
    const memory: CallMemory = {
      metadata: JSON.parse(call.metadata) as JsonObject,
      overrideVariables: JSON.parse(call.override_variables) as Record<string, string | null>,
    }
    const conversation = (transcript: readonly JsonObject[]) =>
      toCallConversation(call, memory, { agent, transcript, now: clock.now() })
    const opening = openingOf(agent, conversation([]).variables, clock.now())
    const journal = writer.open(callId, call.started_at ?? clock.now())
    const tape = tapes.open({
      callId,
      rateHz: leg.rateHz,
      onTrouble: (message) => journal.append({ type: 'warning', code: 'recording', message }),
    })
    const session: VoiceSession = createVoiceSession({
      callId,
      leg,
      observer,
      transcribers: preparation.transcribers,
      classifier: preparation.classifier,
      dialogue: preparation.dialogue,
      conversation: () => conversation(session.transcript()),
      agent: preparation.spoken,
      spokenAgent: async (loaded, settings) => await agents.load(await this.#takeOver(call, loaded, settings)),
      atNode: (spoken, nodeId) => agents.atNode(spoken, nodeId),
      opening: opening.type === 'say' ? { type: 'say', text: opening.text } : opening,
      state: opening.type === 'say' ? opening.state : null,
      journal,
      tape,
      random,
      onFault: (error) => logError('a fault in a call', error),
      onProviderFailed: (failure) => logger.warn({ callId, failure }, 'a provider of speech failed in a call'),
    })
    this.#held.set(callId, { call, session, memory })
    const stopPacing = pacing.add((nowMs) => session.pump(nowMs))
    session.start()
    for (const message of [...preparation.standIns, ...agents.standIns]) {
      journal.append({ type: 'warning', code: 'stand-in', message })
    }
    background.run('call', async () => {
      const outcome = await session.ended
      stopPacing()
      this.#held.delete(callId)
      await Promise.all([leases.release(callId), this.#within(TAPE_MS, tape.close())])
      // Behind the tape: that its last sound could not be kept belongs into the record.
      await journal.close()
      await this.#ends.write(callId, outcome)
    })
  }

  /** A call that stands in its row and that nobody speaks in must not stay there. */
  #abandon({ call_id: callId }: StoredCall, { classifier }: Preparation, error: unknown): JoinRefusal {
    const { background, clock, leases, logError } = this.#dependencies
    logError('begin a call', error)
    classifier.close()
    this.#held.delete(callId)
    const endedAtMs = clock.now()
    background.run('call', async () => {
      await leases.release(callId)
      await this.#ends.write(callId, { reason: 'error_unknown', endedAtMs, state: null })
    })
    return { ok: false, code: 'call_ended', message: 'The call could not begin.', retry: false }
  }

  async #within(mostMs: number, work: Promise<unknown>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const cancel = this.#dependencies.clock.after(mostMs, resolve)
    await Promise.race([work, promise])
    cancel()
  }

  /** Another agent speaks from here on. */
  async #takeOver(
    call: StoredCall,
    { agentId, agentVersion, engine }: LoadedAgent,
    settings: SwapSettings,
  ): Promise<PinnedAgent> {
    const { agents, background, handOver } = this.#dependencies
    const pin = { agentId, agentVersion, engineId: engine.id, engineVersion: engine.version }
    const agent = await agents.load({ ...pin, workspaceId: call.workspace_id })
    background.run('write down who took over a call', () => handOver(call.call_id, agent, settings))
    return agent
  }

  /** The slot lapsed because this node could not renew it: the call goes on unless others took it for lost. */
  #takeBack(callId: string): void {
    const { background, leases, isOurs, clock, logError } = this.#dependencies
    const held = this.#held.get(callId)
    if (held === undefined) return
    background.run('take a slot back', async () => {
      // The database that was away may be away once more: until it answers nobody else decides about the call either.
      while (this.#held.get(callId) === held) {
        try {
          if (await isOurs(callId)) await leases.take(held.call.workspace_id, callId)
          else held.session.end('error_node_lost', false)
          return
        } catch (error) {
          logError('take a slot back', error)
        }
        await new Promise<void>((resolve) => clock.after(TAKE_BACK_EVERY_MS, resolve))
      }
    })
  }
}

/** What the agent says first. */
function openingOf({ engine, timezone }: PinnedAgent, variables: Conversation['variables'], nowMs: number) {
  return openCall(engine, conversationVariables({ engine, variables, collected: {}, timezone, nowMs }))
}
