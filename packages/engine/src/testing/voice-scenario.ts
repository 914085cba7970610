import { copyDefaults, toEngineOptions } from '@parley/contract/agent-settings/setting'
import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import { FRAME_MS, frameSamples, type LegRateHz } from '../audio/frame.ts'
import type { Conversation, DialogueDependencies, DialogueState } from '../dialogue/conversation.ts'
import type { ModelRequest } from '../ports.ts'
import type { LoopbackOptions } from '../voice/loopback/loopback-leg.ts'
import type { Synthesizer, Transcriber, VoiceClassifier } from '../voice/ports.ts'
import type { VoiceAgent, VoiceSessionOptions } from '../voice/session/session-ports.ts'
import type { TurnMachine } from '../voice/session/voice-session.ts'
import type { Opening } from '../voice/turn-machine/events.ts'
import type { TurnSettings } from '../voice/turn-machine/settings.ts'
import { SCENARIO_DEADLINES, type ScenarioOptions, scenarioConversation } from './dialogue-scenario.ts'
import { type HeardFrame, type LoopbackCall, startLoopbackCall, toneFrame } from './loopback-call.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { scriptedHttpTools, unreachablePorts } from './scripted-ports.ts'
import {
  type ScriptedSpeech,
  type ScriptedSynthesizer,
  scriptedSynthesizer,
  wordOfSample,
} from './scripted-synthesizer.ts'
import { isScriptedVoice } from './scripted-transcriber.ts'

/** Options of a call; all have defaults. */
export interface VoiceScenarioOptions<State = unknown>
  extends Pick<ScenarioOptions, 'models' | 'http' | 'engine' | 'graph' | 'ports'> {
  readonly time?: ManualClock
  readonly conversation?: Partial<Omit<Conversation, 'engine'>>
  readonly opening?: Opening
  readonly state?: DialogueState | null
  readonly turns?: Partial<TurnSettings>
  readonly transcribers?: readonly Transcriber[]
  /** Behavior of the voices, the agent's own first; by default one that speaks everything. */
  readonly voices?: readonly { readonly script?: readonly ScriptedSpeech[]; readonly otherwise?: ScriptedSpeech }[]
  readonly leg?: Omit<LoopbackOptions, 'clock' | 'rateHz'>
  readonly rateHz?: LegRateHz
  /** Speaks numbers and the like as words. */
  readonly normalize?: boolean
  /** Background sound of the agent. */
  readonly ambientSound?: string
  /** Share of the played audio that returns to the caller's microphone. */
  readonly echo?: number
  readonly voiceAgent?: VoiceSessionOptions['voiceAgent']
  readonly atNode?: VoiceSessionOptions['atNode']
  readonly recorder?: VoiceSessionOptions['recorder']
  /** Replaces the turn machine. */
  readonly machine?: TurnMachine<State>
}

/** A call in virtual time with a scripted caller. */
export interface VoiceScenario extends LoopbackCall {
  readonly voices: readonly ScriptedSynthesizer[]
  /** The caller speaks for this long from now on. */
  callerSpeaks(durationMs: number): void
  /** Frames that the caller heard, without silence. */
  audibleFrames(): readonly HeardFrame[]
  /** Words that the caller heard, each as often as it started. */
  heardWords(): string[]
  /** The caller hangs up; throws if timers, sessions or classifiers are left over. */
  hangUp(): Promise<void>
  /** Throws if timers, sessions or classifiers are left over. */
  assertNoLeaks(): void
}

/** Default turn settings without long waits. */
const SCENARIO_TURNS: TurnSettings = {
  ...toEngineOptions(TURN_SETTINGS, copyDefaults(TURN_SETTINGS)),
  responsivenessFactor: 0.5,
  interruptionAfterMs: 200,
  interruptible: true,
  transcriberP99Ms: 300,
  cancelsEcho: true,
  beginAfterUserSilenceMs: null,
  allowDtmf: true,
  dtmf: { digitLimit: null, terminationKey: '#', timeoutMs: 1_000 },
  backchannel: null,
  language: 'en-US',
  agentName: 'Ada',
  fallbackSentence: 'I am sorry, something went wrong.',
}

/** Starts a call. */
export async function startVoiceScenario<State>(options: VoiceScenarioOptions<State> = {}): Promise<VoiceScenario> {
  const { time = manualClock(), rateHz = 8_000, machine, recorder = null } = options
  const words: string[] = []
  const voices = (options.voices ?? [{}]).map((voice, index) => {
    return scriptedSynthesizer({ clock: time.clock, name: `scripted/voice-${index}`, words, ...voice })
  })
  const synthesizers = voices.map(({ synthesizer }) => synthesizer)
  const classifier = countingClassifier()
  const { normalize = false, ambientSound = 'none' } = options
  let voiceUntilMs = 0
  const call: LoopbackCall = await startLoopbackCall({
    time,
    leg: { rateHz, leadMs: 200, ...options.leg },
    session: {
      transcribers: options.transcribers ?? [],
      classifier,
      dialogue: scriptedDialogue(options, time),
      conversation: () => scenarioConversation(options),
      agent: speaking(scenarioAgent(synthesizers, options.turns), { normalize, ambientSound }),
      voiceAgent: options.voiceAgent ?? (async () => scenarioAgent(synthesizers)),
      atNode: options.atNode ?? ((agent) => agent),
      opening: options.opening ?? { type: 'listen' },
      state: options.state ?? null,
      recorder,
    },
    recordFrame(nowMs) {
      const frame = toneFrame(frameSamples(rateHz), nowMs <= voiceUntilMs)
      const last = call.heardFrames.at(-1)
      // The previous frame is audible now.
      if (options.echo !== undefined && last?.atMs === nowMs - FRAME_MS) addEcho(frame, last.frame, options.echo)
      return frame
    },
    ...(machine !== undefined && { machine }),
  })
  const assertNoLeaks = (): void => {
    if (call.outcome() === null) throw new Error('The call has not ended.')
    if (time.pendingTimers() > 0) throw new Error(`The call left ${time.pendingTimers()} timers behind.`)
    if (classifier.openCount() > 0) throw new Error('The classifier was not closed.')
    if (!call.leg.isClosing) throw new Error('The leg was not closed.')
  }
  return {
    ...call,
    voices,
    callerSpeaks(durationMs) {
      voiceUntilMs = time.clock.now() + durationMs
    },
    audibleFrames: () => call.heardFrames.filter(({ frame }) => frame.some((sample) => sample !== 0)),
    heardWords: () => wordsIn(call.heardFrames, words),
    async hangUp() {
      call.caller.hangUp()
      await call.run(100)
      assertNoLeaks()
    },
    assertNoLeaks,
  }
}

/** An agent with these voices. */
export function scenarioAgent(synthesizers: readonly Synthesizer[], turns: Partial<TurnSettings> = {}): VoiceAgent {
  return {
    agentId: 'agent_1',
    agentName: 'Ada',
    turns: { ...SCENARIO_TURNS, ...turns },
    speaking: {
      voices: synthesizers.map((synthesizer) => ({ synthesizer, voice: 'one', model: null })),
      language: 'en-US',
      speed: 1,
      temperature: 1,
      emotion: null,
      volume: 1,
      ambientSound: 'none',
      ambientVolume: 1,
      normalize: false,
      pronunciations: [],
    },
    keywords: [],
  }
}

function speaking(agent: VoiceAgent, changes: Partial<VoiceAgent['speaking']>): VoiceAgent {
  return { ...agent, speaking: { ...agent.speaking, ...changes } }
}

/** Messages of a model request, one line each. */
export function promptTranscript(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map((message) => {
      const calls = 'toolCalls' in message ? message.toolCalls.map(({ name }) => `[${name}]`) : []
      return [`${message.role}:`, message.content, ...calls].filter((part) => part !== '').join(' ')
    })
}

function scriptedDialogue(
  options: Pick<VoiceScenarioOptions, 'models' | 'http' | 'ports'>,
  time: ManualClock,
): DialogueDependencies {
  let ids = 0
  return {
    resolveModel: (name) => options.models?.[name]?.model ?? null,
    httpTools: (options.http ?? scriptedHttpTools()).client,
    ...unreachablePorts(),
    ...options.ports,
    clock: time.clock,
    makeId: (prefix) => {
      ids += 1
      return `${prefix}_${ids}`
    },
    deadlines: SCENARIO_DEADLINES,
  }
}

function countingClassifier(): VoiceClassifier & { openCount(): number } {
  let open = 1
  return {
    isVoice: isScriptedVoice,
    close: () => {
      open -= 1
    },
    openCount: () => open,
  }
}

function addEcho(frame: Int16Array, played: Int16Array, echo: number): void {
  for (const [index, sample] of played.entries()) {
    // Words are constant samples: alternate signs to make them audible.
    frame[index] = (frame[index] ?? 0) + Math.round(sample * echo * (index % 8 < 4 ? 10 : -10))
  }
}

function wordsIn(frames: readonly HeardFrame[], words: readonly string[]): string[] {
  const heard: string[] = []
  let before: number | null = null
  for (const { frame } of frames) {
    for (const sample of frame) {
      const index = wordOfSample(sample)
      const word = index === null ? undefined : words[index]
      if (index !== null && index !== before && word !== undefined) heard.push(word)
      before = index ?? before
    }
  }
  return heard
}
