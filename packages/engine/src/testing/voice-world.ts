import type { CallEventEntry } from '@parley/contract/call-event'
import { FRAME_MS, frameSamples, type LegRateHz } from '../audio/frame.ts'
import type { Conversation, DialogueDependencies, DialogueState } from '../dialogue/conversation.ts'
import type { ModelRequest } from '../ports.ts'
import type { Synthesizer, Transcriber, VoiceClassifier } from '../voice/ports.ts'
import type { TurnMachine } from '../voice/session/session-loop.ts'
import type { CallOutcome, SpokenAgent, VoiceSession, VoiceSessionOptions } from '../voice/session/session-ports.ts'
import { createVoiceSession, openVoiceSession } from '../voice/session/voice-session.ts'
import type { Opening } from '../voice/turn-machine/events.ts'
import type { TurnSettings } from '../voice/turn-machine/settings.ts'
import { SCENARIO_DEADLINES, type ScenarioOptions, scenarioConversation } from './dialogue-scenario.ts'
import { type ManualClock, manualClock, settle } from './manual-clock.ts'
import { scriptedHttpTools } from './scripted-http-tools.ts'
import { type ScriptedLeg, type ScriptedLegOptions, scriptedLeg } from './scripted-leg.ts'
import {
  type ScriptedSpeech,
  type ScriptedSynthesizer,
  scriptedSynthesizer,
  wordOfSample,
} from './scripted-synthesizer.ts'
import { isScriptedVoice } from './scripted-transcriber.ts'
import { unreachablePorts } from './unreachable-ports.ts'

/** What a call is made of; everything has a plain default. */
export interface VoiceWorldOptions<State = unknown>
  extends Pick<ScenarioOptions, 'models' | 'http' | 'engine' | 'graph' | 'ports'> {
  readonly time?: ManualClock
  readonly conversation?: Partial<Omit<Conversation, 'engine'>>
  readonly opening?: Opening
  readonly state?: DialogueState | null
  readonly turns?: Partial<TurnSettings>
  readonly transcribers?: readonly Transcriber[]
  /** What the voices do, the agent's own first; one that speaks everything by default. */
  readonly voices?: readonly { readonly script?: readonly ScriptedSpeech[]; readonly otherwise?: ScriptedSpeech }[]
  readonly leg?: Pick<
    ScriptedLegOptions,
    'leadMs' | 'framesTogether' | 'tellsPlayed' | 'cancelsEcho' | 'recognises' | 'positionDelayMs'
  >
  readonly rateHz?: LegRateHz
  /** Numbers and the like are spoken as words. */
  readonly normalise?: boolean
  /** What sounds behind the agent. */
  readonly ambientSound?: string
  /** How much of what is played comes back into the caller's microphone. */
  readonly echo?: number
  readonly spokenAgent?: VoiceSessionOptions['spokenAgent']
  readonly atNode?: VoiceSessionOptions['atNode']
  readonly tape?: VoiceSessionOptions['tape']
  /** Judges turns in the place of the real machine. */
  readonly machine?: TurnMachine<State>
}

/** A call in virtual time, with a caller who speaks when told to. */
export interface VoiceWorld {
  readonly session: VoiceSession
  readonly time: ManualClock
  readonly line: ScriptedLeg
  readonly voices: readonly ScriptedSynthesizer[]
  /** What should never happen. */
  readonly faults: readonly unknown[]
  readonly journal: readonly { readonly entry: CallEventEntry; readonly atMs: number }[]
  /** Milliseconds since the call began. */
  elapsedMs(): number
  /** The caller makes a sound from now on for so long. */
  callerSpeaks(durationMs: number): void
  /** Lets time go by. */
  run(durationMs: number): Promise<void>
  /** Lets time go by until something is the case; throws after a minute. */
  runUntil(isCase: () => boolean): Promise<void>
  /** Words that reached the caller's ear, each as often as it was begun. */
  heardWords(): string[]
  /** Entries of the record of one type. */
  entries<Type extends CallEventEntry['type']>(type: Type): Extract<CallEventEntry, { type: Type }>[]
  outcome(): CallOutcome | null
  /** Throws when anything of the call is left: timers, sessions, classifiers. */
  assertNothingLeft(): void
}

/** Finer than a frame, so that what is due leaves in time. */
const STEP_MS = 10

/** Turns as an agent has them by default, without the waits that tests would only sit through. */
const WORLD_TURNS: TurnSettings = {
  responseThresholdMs: 400,
  responsivenessFactor: 0.5,
  interruptionAfterMs: 200,
  interruptible: true,
  recogniserP99Ms: 300,
  cancelsEcho: true,
  reminderTriggerMs: 10_000,
  reminderMaxCount: 1,
  endCallAfterSilenceMs: 600_000,
  maxCallDurationMs: 3_600_000,
  beginMessageDelayMs: 0,
  beginAfterUserSilenceMs: null,
  allowDtmf: true,
  allowDtmfInterruption: false,
  dtmf: { digitLimit: null, terminationKey: '#', timeoutMs: 1_000 },
  backchannel: null,
  language: 'en-US',
  agentName: 'Ada',
  fallbackSentence: 'I am sorry, something went wrong.',
}

/** A world with a call that has begun. */
export async function startVoiceWorld<State>(options: VoiceWorldOptions<State> = {}): Promise<VoiceWorld> {
  const time = options.time ?? manualClock()
  const startedAtMs = time.clock.now()
  const rateHz = options.rateHz ?? 8_000
  const line = scriptedLeg({ clock: time.clock, rateHz, ...options.leg })
  const words: string[] = []
  const voices = (options.voices ?? [{}]).map((voice, index) => {
    return scriptedSynthesizer({ clock: time.clock, name: `scripted/voice-${index}`, words, ...voice })
  })
  const classifier = countingClassifier()
  const journal: { entry: CallEventEntry; atMs: number }[] = []
  const faults: unknown[] = []
  const { machine } = options
  const sessionOptions: VoiceSessionOptions = {
    callId: 'call_1',
    leg: line.leg,
    transcribers: options.transcribers ?? [],
    classifier,
    dialogue: dialogueOf(options, time),
    conversation: () => scenarioConversation(options),
    agent: speaking(
      worldAgent(
        voices.map(({ synthesizer }) => synthesizer),
        options.turns,
      ),
      { normalise: options.normalise ?? false, ambientSound: options.ambientSound ?? 'none' },
    ),
    spokenAgent: options.spokenAgent ?? (async () => worldAgent(voices.map(({ synthesizer }) => synthesizer))),
    atNode: options.atNode ?? ((agent) => agent),
    opening: options.opening ?? { type: 'listen' },
    state: options.state ?? null,
    journal: { append: (entry, atMs = time.clock.now()) => journal.push({ entry, atMs: atMs - startedAtMs }) },
    tape: options.tape ?? null,
    random: () => 0.5,
    onFault: (error) => faults.push(error),
  }
  const session = machine === undefined ? createVoiceSession(sessionOptions) : openVoiceSession(sessionOptions, machine)
  let outcome: CallOutcome | null = null
  void session.ended.then((how) => {
    outcome = how
  })
  let voiceUntilMs = 0
  let nextTickMs = startedAtMs
  const step = async (): Promise<void> => {
    await time.advance(STEP_MS)
    const nowMs = time.clock.now()
    session.pump(nowMs)
    if (nowMs - nextTickMs >= FRAME_MS) {
      nextTickMs += FRAME_MS
      const frame = callerFrame(rateHz, nowMs <= voiceUntilMs)
      const last = line.heardFrames.at(-1)
      // What was played in the frame before is in the air now.
      if (options.echo !== undefined && last?.atMs === nowMs - FRAME_MS) addEcho(frame, last.frame, options.echo)
      line.tick(frame)
    }
  }
  const run = async (durationMs: number): Promise<void> => {
    for (let passed = 0; passed < durationMs; passed += STEP_MS) await step()
  }
  session.start()
  await settle()
  return {
    session,
    time,
    line,
    voices,
    journal,
    faults,
    elapsedMs: () => time.clock.now() - startedAtMs,
    callerSpeaks: (durationMs) => {
      voiceUntilMs = time.clock.now() + durationMs
    },
    run,
    async runUntil(isCase) {
      for (let passed = 0; !isCase(); passed += STEP_MS) {
        if (passed > 60_000) throw new Error('What was waited for did not happen within a minute.')
        await step()
      }
    },
    heardWords: () => wordsIn(line.heard, words),
    entries: (type) => entriesOf(journal, type),
    outcome: () => outcome,
    assertNothingLeft() {
      if (outcome === null) throw new Error('The call has not ended.')
      if (time.pendingTimers() > 0) throw new Error(`The call left ${time.pendingTimers()} timers behind.`)
      if (classifier.openCount() > 0) throw new Error('The classifier was not closed.')
      if (!line.isClosed()) throw new Error('The line was not closed.')
    },
  }
}

function entriesOf<Type extends CallEventEntry['type']>(
  journal: readonly { readonly entry: CallEventEntry }[],
  type: Type,
): Extract<CallEventEntry, { type: Type }>[] {
  return journal
    .map(({ entry }) => entry)
    .filter((entry): entry is Extract<CallEventEntry, { type: Type }> => entry.type === type)
}

/** An agent that speaks with these voices. */
export function worldAgent(synthesizers: readonly Synthesizer[], turns: Partial<TurnSettings> = {}): SpokenAgent {
  return {
    agentId: 'agent_1',
    agentName: 'Ada',
    turns: { ...WORLD_TURNS, ...turns },
    speaking: {
      voices: synthesizers.map((synthesizer) => ({ synthesizer, voice: 'one', model: null })),
      language: 'en-US',
      speed: 1,
      temperature: 1,
      emotion: null,
      volume: 1,
      ambientSound: 'none',
      ambientVolume: 1,
      normalise: false,
      pronunciations: [],
    },
    keywords: [],
  }
}

function speaking(agent: SpokenAgent, changes: Partial<SpokenAgent['speaking']>): SpokenAgent {
  return { ...agent, speaking: { ...agent.speaking, ...changes } }
}

/** What a model was told that was said, in lines. */
export function toldConversation({ messages }: ModelRequest): string[] {
  return messages
    .filter(({ role }) => role !== 'system')
    .map((message) => {
      const calls = 'toolCalls' in message ? message.toolCalls.map(({ name }) => `[${name}]`) : []
      return [`${message.role}:`, message.content, ...calls].filter((part) => part !== '').join(' ')
    })
}

function dialogueOf(
  options: Pick<VoiceWorldOptions, 'models' | 'http' | 'ports'>,
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
    // Words are flat samples: alternating signs make a sound of them.
    frame[index] = (frame[index] ?? 0) + Math.round(sample * echo * (index % 8 < 4 ? 10 : -10))
  }
}

/** Voice is a tone, silence has the noise of a quiet room. */
function callerFrame(rateHz: LegRateHz, isVoice: boolean): Int16Array {
  const amplitude = isVoice ? 8_000 : 8
  return Int16Array.from({ length: frameSamples(rateHz) }, (_, index) => Math.round(amplitude * Math.sin(index / 3)))
}

function wordsIn(samples: readonly number[], words: readonly string[]): string[] {
  const heard: string[] = []
  let before: number | null = null
  for (const sample of samples) {
    const index = wordOfSample(sample)
    const word = index === null ? undefined : words[index]
    if (index !== null && index !== before && word !== undefined) heard.push(word)
    before = index ?? before
  }
  return heard
}
