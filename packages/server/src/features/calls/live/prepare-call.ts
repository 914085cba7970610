import type { DialogueDependencies } from '@parley/engine/dialogue/conversation'
import type { Clock, ResolveModel } from '@parley/engine/ports'
import type { LegCapabilities, MediaLeg, Transcriber, VoiceClassifier } from '@parley/engine/voice/ports'
import type { VoiceAgent } from '@parley/engine/voice/session/session-ports'
import { type AgentUse, checkModels, type PinnedAgent, type UsableModels } from '../../agents/public.ts'
import type { StoredCall } from '../call-responses.ts'
import type { StartedCall } from '../live-calls.ts'
import type { CallSpeech, FindVoice, VoiceClassifiers } from './live-ports.ts'
import { VoiceAgents } from './voice-agents.ts'

export interface PreparationDependencies {
  readonly clock: Clock
  readonly agents: Pick<AgentUse, 'load'>
  readonly models: { forWorkspace(workspaceId: number): Promise<UsableModels> }
  readonly dialogueFor: (workspaceId: number, resolveModel: ResolveModel) => DialogueDependencies
  readonly speech: CallSpeech
  readonly findVoice: FindVoice
  readonly classifiers: () => Promise<VoiceClassifiers>
}

/** What a call is started with, found before anything of it is taken. */
export interface Preparation {
  readonly agent: PinnedAgent
  readonly dialogue: DialogueDependencies
  readonly transcribers: readonly Transcriber[]
  readonly recognition: StartedCall['recognition']
  readonly agents: VoiceAgents
  readonly spoken: VoiceAgent
  readonly classifier: VoiceClassifier
  readonly standIns: readonly string[]
}

/** Models of calls have no deadline of their own: the turn gives up on them before. */
const MODEL_DEADLINES = { firstTokenMs: 60_000, idleMs: 20_000, totalMs: 300_000 }

/** Finds agent, models, transcribers and voices. Throws where one that the call cannot do without is not there. */
export async function prepareCall(
  dependencies: PreparationDependencies,
  call: StoredCall,
  leg: MediaLeg,
): Promise<Preparation> {
  const { agents, models, speech, classifiers, dialogueFor, findVoice, clock } = dependencies
  const { workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = call
  const pin = { workspaceId, agentId, agentVersion, engineId: call.engine_id, engineVersion: call.engine_version }
  const [agent, usable, workspaceSpeech, voiceClassifiers] = await Promise.all([
    agents.load(pin),
    models.forWorkspace(workspaceId),
    speech.forWorkspace(workspaceId),
    classifiers(),
  ])
  checkModels(agent, usable)
  const { sttMode: mode = 'fast', customSttConfig = null } = agent.voice ?? {}
  const { transcribers, standIns } = workspaceSpeech.recognition({ mode, provider: customSttConfig?.provider ?? null })
  const { capabilities } = leg
  const recognition = transcribers.length > 0 ? 'server' : capabilities.recognizesSpeech ? 'browser' : 'none'
  const voiceAgents = new VoiceAgents({
    workspaceId,
    speech: workspaceSpeech,
    findVoice,
    cancelsEcho: capabilities.cancelsEcho,
    transcribers,
    variablesOf: ({ engine, timezone }) => ({
      engine,
      timezone,
      variables: { system: {}, given: JSON.parse(call.given_variables) as Record<string, string>, override: {} },
      collected: {},
      nowMs: clock.now(),
    }),
  })
  const spoken = await voiceAgents.load(agent)
  return {
    agent,
    dialogue: { ...dialogueFor(workspaceId, usable.resolve), deadlines: MODEL_DEADLINES },
    transcribers,
    recognition,
    agents: voiceAgents,
    spoken,
    classifier: voiceClassifiers.open(leg.rateHz),
    standIns: recognition === 'server' ? standIns : [...standIns, missingTranscriberNote(capabilities)],
  }
}

/** Who understands the caller where no provider does, as callers are told. */
function missingTranscriberNote({ recognizesSpeech, acceptsText }: LegCapabilities): string {
  if (recognizesSpeech) {
    return 'No provider of speech recognition is configured: the browser of the caller recognises speech.'
  }
  if (!acceptsText) return 'Speech is not recognised in this call: no provider of speech recognition is configured.'
  return 'Speech is not recognised in this call: no provider is configured, and the browser does not do it either. Type what you want to say.'
}
