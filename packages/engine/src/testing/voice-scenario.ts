import { copyDefaults, toEngineOptions } from '@parley/contract/agent-settings/setting'
import { TURN_SETTINGS } from '@parley/contract/agent-settings/voice-settings'
import { countFrameSamples, FRAME_MS, type LegRateHz } from '../audio/frame.ts'
import type { Conversation, DialogueDependencies, DialogueState } from '../dialogue/conversation.ts'
import type { ModelRequest } from '../ports.ts'
import type { LoopbackOptions } from '../voice/loopback/loopback-leg.ts'
import type { OpenTurnDetector, Synthesizer, Transcriber } from '../voice/ports.ts'
import type { VoiceAgent, VoiceSessionOptions } from '../voice/session/session-ports.ts'
import type { TurnMachine } from '../voice/session/voice-session.ts'
import type { Opening } from '../voice/turn-machine/events.ts'
import type { TurnSettings } from '../voice/turn-machine/settings.ts'
import { buildScenarioConversation, SCENARIO_DEADLINES, type ScenarioOptions } from './dialogue-scenario.ts'
import { createToneFrame, type HeardFrame, type LoopbackCall, startLoopbackCall } from './loopback-call.ts'
import { createManualClock, type ManualClock } from './manual-clock.ts'
import { createScriptedClassifiers } from './scripted-classifier.ts'
import { createScriptedHttpTools, createUnreachablePorts } from './scripted-ports.ts'
import {
  createScriptedSynthesizer,
  findWordIndex,
  type ScriptedSpeech,
  type ScriptedSynthesizer,
} from './scripted-synthesizer.ts'

/** Options of a call. All have defaults. */
export interface VoiceScenarioOptions<State = unknown>
  extends Pick<ScenarioOptions, 'models' | 'http' | 'engine' | 'graph' | 'ports'> {
  readonly time?: ManualClock
  readonly conversation?: Partial<Omit<Conversation, 'engine'>>
  readonly opening?: Opening
  readonly state?: DialogueState | null
  readonly turns?: Partial<TurnSettings>
  readonly transcribers?: readonly Transcriber[]
  readonly openTurnDetector?: OpenTurnDetector
  /** Behavior of the voices, starting with the agent's own. The default is one voice that speaks everything. */
  readonly voices?: readonly { readonly script?: readonly ScriptedSpeech[]; readonly defaultStep?: ScriptedSpeech }[]
  readonly leg?: Omit<LoopbackOptions, 'clock' | 'rateHz'>
  readonly rateHz?: LegRateHz
  /** Whether numbers and similar text are spoken as words. */
  readonly normalize?: boolean
  /** The agent's background sound. */
  readonly ambientSound?: string
  /** Share of the played audio that returns to the caller's microphone. */
  readonly echo?: number
  readonly loadVoiceAgent?: VoiceSessionOptions['loadVoiceAgent']
  readonly applyNode?: VoiceSessionOptions['applyNode']
  readonly recorder?: VoiceSessionOptions['recorder']
  /** Turn machine that replaces the default one. */
  readonly machine?: TurnMachine<State>
}

/** A call in virtual time with a scripted caller. */
export interface VoiceScenario extends LoopbackCall {
  readonly voices: readonly ScriptedSynthesizer[]
  /** Lets the caller speak for this duration, starting now. */
  speakAsCaller(durationMs: number): void
  /** Returns the frames that the caller heard, without silence. */
  listAudibleFrames(): readonly HeardFrame[]
  /** Returns the words that the caller heard, each as often as it started. */
  listHeardWords(): string[]
  /** Hangs up as the caller. Throws if timers, sessions or classifiers are left open. */
  hangUp(): Promise<void>
  /** Throws if timers, sessions or classifiers are left open. */
  assertNoLeaks(): void
}

/** Default turn settings without long waits. */
const SCENARIO_TURNS: TurnSettings = {
  ...toEngineOptions(TURN_SETTINGS, copyDefaults(TURN_SETTINGS)),
  responsivenessFactor: 0.5,
  interruptionAfterMs: 500,
  interruptible: true,
  transcriberP99Ms: 300,
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
  const { time = createManualClock(), rateHz = 8_000, machine, recorder = null } = options
  const words: string[] = []
  const voices = (options.voices ?? [{}]).map((voice, index) => {
    return createScriptedSynthesizer({ clock: time.clock, name: `scripted/voice-${index}`, words, ...voice })
  })
  const synthesizers = voices.map(({ synthesizer }) => synthesizer)
  const classifiers = createScriptedClassifiers()
  const { normalize = false, ambientSound = 'none' } = options
  let voiceUntilMs = 0
  const call: LoopbackCall = await startLoopbackCall({
    time,
    leg: { rateHz, leadMs: 200, ...options.leg },
    session: {
      transcribers: options.transcribers ?? [],
      openClassifier: classifiers.open,
      openTurnDetector: options.openTurnDetector,
      dialogue: createScriptedDialogue(options, time),
      buildConversation: () => buildScenarioConversation(options),
      agent: createSpeakingSettings(createScenarioAgent(synthesizers, options.turns), { normalize, ambientSound }),
      loadVoiceAgent: options.loadVoiceAgent ?? (async () => createScenarioAgent(synthesizers)),
      applyNode: options.applyNode ?? ((agent) => agent),
      opening: options.opening ?? { type: 'listen' },
      state: options.state ?? null,
      recorder,
    },
    recordFrame(nowMs) {
      const frame = createToneFrame(countFrameSamples(rateHz), nowMs <= voiceUntilMs)
      const previousFrame = call.heardFrames.at(-1)
      // The previous frame is audible now.
      if (options.echo !== undefined && previousFrame?.atMs === nowMs - FRAME_MS)
        addEcho(frame, previousFrame.frame, options.echo)
      return frame
    },
    ...(machine !== undefined && { machine }),
  })
  const assertNoLeaks = (): void => {
    if (call.getOutcome() === null) throw new Error('The call has not ended.')
    if (time.countPendingTimers() > 0) throw new Error(`The call left ${time.countPendingTimers()} timers behind.`)
    if (classifiers.countOpen() > 0) throw new Error('The classifier was not closed.')
    if (!call.leg.isClosing) throw new Error('The leg was not closed.')
  }
  return {
    ...call,
    voices,
    speakAsCaller(durationMs) {
      voiceUntilMs = time.clock.now() + durationMs
    },
    listAudibleFrames: () => call.heardFrames.filter(({ frame }) => frame.some((sample) => sample !== 0)),
    listHeardWords: () => findWords(call.heardFrames, words),
    async hangUp() {
      call.caller.hangUp()
      await call.run(100)
      assertNoLeaks()
    },
    assertNoLeaks,
  }
}

/** Builds an agent with these voices. */
export function createScenarioAgent(
  synthesizers: readonly Synthesizer[],
  turns: Partial<TurnSettings> = {},
): VoiceAgent {
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

function createSpeakingSettings(agent: VoiceAgent, changes: Partial<VoiceAgent['speaking']>): VoiceAgent {
  return { ...agent, speaking: { ...agent.speaking, ...changes } }
}

/** Formats the messages in a model request, one line each. */
export function formatPrompt(request: ModelRequest | undefined): string[] {
  return (request?.messages ?? [])
    .filter(({ role }) => role !== 'system')
    .map((message) => {
      const calls = 'toolCalls' in message ? message.toolCalls.map(({ name }) => `[${name}]`) : []
      return [`${message.role}:`, message.content, ...calls].filter((part) => part !== '').join(' ')
    })
}

function createScriptedDialogue(
  options: Pick<VoiceScenarioOptions, 'models' | 'http' | 'ports'>,
  time: ManualClock,
): DialogueDependencies {
  let idCount = 0
  return {
    resolveModel: (name) => options.models?.[name]?.model ?? null,
    httpTools: (options.http ?? createScriptedHttpTools()).client,
    ...createUnreachablePorts(),
    ...options.ports,
    clock: time.clock,
    makeId: (prefix) => {
      idCount += 1
      return `${prefix}_${idCount}`
    },
    deadlines: SCENARIO_DEADLINES,
  }
}

function addEcho(frame: Int16Array, playedFrame: Int16Array, echo: number): void {
  for (const [index, sample] of playedFrame.entries()) {
    // Words are constant samples, so alternate signs to make them audible.
    frame[index] = (frame[index] ?? 0) + Math.round(sample * echo * (index % 8 < 4 ? 10 : -10))
  }
}

function findWords(frames: readonly HeardFrame[], words: readonly string[]): string[] {
  const heardWords: string[] = []
  let previousIndex: number | null = null
  for (const { frame } of frames) {
    for (const sample of frame) {
      const index = findWordIndex(sample)
      const word = index === null ? undefined : words[index]
      if (index !== null && index !== previousIndex && word !== undefined) heardWords.push(word)
      previousIndex = index ?? previousIndex
    }
  }
  return heardWords
}
