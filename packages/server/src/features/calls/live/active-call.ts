import { createChannel } from '@parley/engine/dialogue/channel'
import type { Conversation, LoadedAgent, SwapSettings } from '@parley/engine/dialogue/conversation'
import { openCall } from '@parley/engine/dialogue/opening'
import { mergeConversationVariables } from '@parley/engine/dialogue/variables/conversation-variables'
import { describeDuration } from '@parley/engine/dialogue/variables/system-variables'
import type { Clock, JsonObject, Random } from '@parley/engine/ports'
import type { CallOutcome, VoiceSession, VoiceSessionOptions } from '@parley/engine/voice/session/session-ports'
import { createVoiceSession } from '@parley/engine/voice/session/voice-session'
import type { Background, Logger } from '../../../kernel/work/background.ts'
import type { AgentResolver, PinnedAgent } from '../../agents/public.ts'
import type { StoredCall } from '../call-responses.ts'
import type { CallCommand, CallRecorders, CallStart } from '../live-calls.ts'
import type { CallEventWriter } from '../records/event-writer.ts'
import type { CallPacing } from './live-ports.ts'
import type { PreparedCall } from './prepare-call.ts'

export interface ActiveCallDependencies {
  readonly clock: Clock
  readonly random: Random
  readonly background: Background
  readonly agents: Pick<AgentResolver, 'load'>
  readonly pacer: CallPacing
  readonly recorders: CallRecorders
  readonly writer: Pick<CallEventWriter, 'open'>
  /** Stores a handoff to another agent. The stricter of the two agents' storage policies applies. */
  readonly storeHandoff: (callId: string, agent: PinnedAgent, settings: SwapSettings) => Promise<unknown>
  readonly logger: Pick<Logger, 'warn'>
  readonly logError: (name: string, error: unknown) => void
}

/** Maximum time to wait for the recording to close, in case the disk hangs. */
const RECORDER_CLOSE_TIMEOUT_MS = 30_000

export interface ActiveCall {
  readonly workspaceId: number
  start(): void
  execute(command: CallCommand): void
  /** Ends the call immediately with the reason `error_node_lost`. */
  endAsLost(): void
  /** Resolves when the conversation ends. Never rejects. */
  readonly ended: Promise<CallOutcome>
  /** Closes the recording and the journal of an ended call. Resolves when both are written or abandoned. Never rejects. */
  close(): Promise<void>
}

type ActiveCallOptions = Pick<CallStart, 'leg' | 'observer'> & { readonly preparedCall: PreparedCall }

/** Opens a call's session, journal and recording. */
export function openActiveCall(
  dependencies: ActiveCallDependencies,
  call: StoredCall,
  options: ActiveCallOptions,
): ActiveCall {
  const { clock, pacer, recorders, writer } = dependencies
  const { leg, preparedCall } = options
  const callId = call.call_id
  const callData: MutableCallData = {
    metadata: JSON.parse(call.metadata) as JsonObject,
    overrideVariables: JSON.parse(call.override_variables) as Record<string, string | null>,
  }
  const journal = writer.open(callId, call.started_at ?? clock.now())
  const recorder = recorders.open({
    callId,
    rateHz: leg.rateHz,
    onProblem: (message) => journal.append({ type: 'warning', code: 'recording', message }),
  })
  const session = openSession(dependencies, call, { ...options, callData, journal, recorder })
  let stopPacing = (): void => {}
  return {
    workspaceId: call.workspace_id,
    start() {
      stopPacing = pacer.add((nowMs) => session.pump(nowMs))
      session.start()
      for (const message of [...preparedCall.standIns, ...preparedCall.voiceAgents.standIns]) {
        journal.append({ type: 'warning', code: 'stand-in', message })
      }
    },
    execute: (command) => executeCommand(command, session, callData),
    endAsLost: () => session.end('error_node_lost', false),
    ended: session.ended.finally(() => {
      stopPacing()
      preparedCall.voiceAgents.close()
    }),
    async close() {
      await withTimeout(clock, RECORDER_CLOSE_TIMEOUT_MS, recorder.close())
      // The journal closes last because closing the recording may still report a problem.
      await journal.close()
    },
  }
}

interface SessionOptions extends ActiveCallOptions, Pick<VoiceSessionOptions, 'journal' | 'recorder'> {
  readonly callData: MutableCallData
}

function openSession(
  dependencies: ActiveCallDependencies,
  call: StoredCall,
  { leg, observer = null, preparedCall, callData, journal, recorder }: SessionOptions,
): VoiceSession {
  const { clock, random, logger, logError } = dependencies
  const { agent, voiceAgents } = preparedCall
  const callId = call.call_id
  const buildConversation = (transcript: readonly JsonObject[]) =>
    toCallConversation(call, callData, { agent, transcript, now: clock.now() })
  const opening = getOpening(agent, buildConversation([]).variables, clock.now())
  const session: VoiceSession = createVoiceSession({
    callId,
    leg,
    observer,
    transcribers: preparedCall.transcribers,
    openClassifier: preparedCall.openClassifier,
    openTurnDetector: preparedCall.openTurnDetector,
    dialogue: preparedCall.dialogue,
    buildConversation: () => buildConversation(session.getTranscript()),
    agent: preparedCall.voiceAgent,
    async loadVoiceAgent(loaded, settings) {
      const voiceAgent = await voiceAgents.load(await switchAgent(dependencies, call, { loaded, settings }))
      voiceAgents.connect(voiceAgent)
      return voiceAgent
    },
    applyNode: (voiceAgent, nodeId) => voiceAgents.applyNodeSettings(voiceAgent, nodeId),
    opening: opening.type === 'say' ? { type: 'say', text: opening.text } : opening,
    state: opening.type === 'say' ? opening.state : null,
    journal,
    recorder,
    random,
    onFault: (error) => logError('an error in a call', error),
    onVendorFailed: (failure) => logger.warn({ callId, failure }, 'a speech vendor failed in a call'),
  })
  return session
}

/** Returns whether the agent speaks first, and its first sentence. */
function getOpening({ engine, timezone }: PinnedAgent, variables: Conversation['variables'], nowMs: number) {
  return openCall(engine, mergeConversationVariables({ engine, variables, collected: {}, timezone, nowMs }))
}

async function switchAgent(
  { agents, background, storeHandoff }: ActiveCallDependencies,
  call: StoredCall,
  { loaded, settings }: { readonly loaded: LoadedAgent; readonly settings: SwapSettings },
): Promise<PinnedAgent> {
  const { agentId, agentVersion, engine } = loaded
  const pin = { agentId, agentVersion, engineId: engine.id, engineVersion: engine.version }
  const agent = await agents.load({ ...pin, workspaceId: call.workspace_id })
  background.run('store an agent handoff', () => storeHandoff(call.call_id, agent, settings))
  return agent
}

function executeCommand(command: CallCommand, session: VoiceSession, callData: MutableCallData): void {
  switch (command.type) {
    case 'say':
      session.say(command.text, command.interruptible)
      break
    case 'inject':
      session.inject(command.text, command.respond)
      break
    case 'end':
      session.end('manual_stopped', false)
      break
    case 'changed':
      callData.metadata = command.metadata ?? callData.metadata
      callData.overrideVariables = command.overrideVariables ?? callData.overrideVariables
      break
  }
}

async function withTimeout(clock: Clock, maxMs: number, work: Promise<unknown>): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancel = clock.after(maxMs, resolve)
  await Promise.race([work, promise])
  cancel()
}

/** Call data that API clients can change during a live call. */
interface MutableCallData {
  metadata: JsonObject
  overrideVariables: Readonly<Record<string, string | null>>
}

/** Builds the engine's input for a turn. The session adds the state and history. */
function toCallConversation(
  call: StoredCall,
  callData: MutableCallData,
  {
    agent,
    transcript,
    now,
  }: {
    readonly agent: Pick<PinnedAgent, 'engine' | 'timezone' | 'fallbackModels' | 'fallbackMessage'>
    readonly transcript: readonly JsonObject[]
    readonly now: number
  },
): Omit<Conversation, 'state' | 'history'> {
  const { call_id, agent_id, agent_version, call_type, direction, from_number, to_number } = call
  return {
    engine: agent.engine,
    channel: createChannel(call_type === 'web_call' ? 'web_call' : 'phone_call'),
    variables: {
      system: {
        session_type: 'voice',
        call_id,
        call_type,
        session_duration: describeDuration(Math.max(0, now - (call.started_at ?? now))),
        ...(direction !== null && { direction }),
        ...assignPhoneNumbers(direction, from_number, to_number),
      },
      given: JSON.parse(call.given_variables) as Record<string, string>,
      override: callData.overrideVariables,
    },
    timezone: agent.timezone,
    fallbackModels: agent.fallbackModels,
    fallbackMessage: agent.fallbackMessage,
    toolContext: {
      call: { call_id, call_type, agent_id, agent_version, metadata: callData.metadata, transcript },
    },
    metadata: callData.metadata,
    conversationId: call_id,
  }
}

/** Returns the user's and the agent's numbers, which depend on the call's direction. */
function assignPhoneNumbers(direction: string | null, from: string | null, to: string | null): Record<string, string> {
  const [user, agent] = direction === 'outbound' ? [to, from] : [from, to]
  return { ...(user !== null && { user_number: user }), ...(agent !== null && { agent_number: agent }) }
}
