import type { CallEventEntry } from '@parley/contract/call-event'
import type { ServerMessage } from '@parley/contract/live'
import { FRAME_MS, frameSamples, type LegRateHz } from '@parley/engine/audio/frame'
import type { LanguageModel } from '@parley/engine/ports'
import {
  type ManualClock,
  manualClock,
  SCENARIO_DEADLINES,
  scenarioConversation,
  scriptedHttpTools,
  settle,
} from '@parley/engine/testing'
import { unreachablePorts } from '@parley/engine/testing/unreachable-ports'
import { worldAgent } from '@parley/engine/testing/voice-world'
import type { Transcriber, VoiceClassifier } from '@parley/engine/voice/ports'
import type { AgentVoice, CallOutcome, VoiceSession } from '@parley/engine/voice/session/session-ports'
import { createVoiceSession } from '@parley/engine/voice/session/voice-session'
import type { Opening } from '@parley/engine/voice/turn-machine/events'
import type { TurnSettings } from '@parley/engine/voice/turn-machine/settings'
import { createLoopbackPair, type LoopbackEnd } from '../../../media/loopback/loopback-leg.ts'

export interface LoopbackCallOptions {
  readonly time?: ManualClock
  readonly model: LanguageModel
  readonly voices: readonly AgentVoice[]
  readonly transcribers?: readonly Transcriber[]
  readonly classifier: VoiceClassifier
  readonly rateHz?: LegRateHz
  readonly opening?: Opening
  readonly turns?: Partial<TurnSettings>
  /** Between two steps of the clock: sockets and threads that are no part of its time do their work. */
  readonly breathe?: () => Promise<void>
}

/** A call over a line within the process, in virtual time: real session, turn machine, playout and voice activity. */
export interface LoopbackCall {
  readonly session: VoiceSession
  readonly time: ManualClock
  /** The caller's end of the line. */
  readonly caller: LoopbackEnd
  readonly journal: readonly { readonly entry: CallEventEntry; readonly atMs: number }[]
  /** What the caller's end was told. */
  readonly told: readonly ServerMessage[]
  readonly faults: readonly unknown[]
  /** What an operator would read in the log of providers that failed. */
  readonly logged: readonly string[]
  readonly startedAtMs: number
  elapsedMs(): number
  /** The sound is what the caller says from now on; 16-bit samples at the line's rate. */
  callerSays(samples: Int16Array): void
  /** Whether the caller still says something. */
  isCallerSpeaking(): boolean
  /** All samples that the caller heard of the agent, silence left out where nothing was sent. */
  heard(): Int16Array
  /** How loud (highest sample) what the caller heard was, frame by frame since the call began. */
  readonly loudness: readonly number[]
  run(durationMs: number): Promise<void>
  runUntil(isCase: () => boolean, mostMs?: number): Promise<void>
  entries<Type extends CallEventEntry['type']>(type: Type): Extract<CallEventEntry, { type: Type }>[]
  outcome(): CallOutcome | null
}

const STEP_MS = 10
/** Below what any detector takes for sound. */
const ROOM_NOISE = 8

/** Begins a call. */
export async function startLoopbackCall(options: LoopbackCallOptions): Promise<LoopbackCall> {
  const { time = manualClock(), rateHz = 16_000, breathe = settle } = options
  const startedAtMs = time.clock.now()
  const pair = createLoopbackPair({ clock: time.clock, rateHz })
  const size = frameSamples(rateHz)
  const journal: { entry: CallEventEntry; atMs: number }[] = []
  const told: ServerMessage[] = []
  const faults: unknown[] = []
  const logged: string[] = []
  const heard: Int16Array[] = []
  const loudness: number[] = []
  let ids = 0
  const agent = worldAgent([], options.turns)
  const session = createVoiceSession({
    callId: 'call_1',
    leg: pair.near,
    transcribers: options.transcribers ?? [],
    classifier: options.classifier,
    dialogue: {
      resolveModel: () => options.model,
      httpTools: scriptedHttpTools().client,
      ...unreachablePorts(),
      clock: time.clock,
      makeId: (prefix) => {
        ids += 1
        return `${prefix}_${ids}`
      },
      deadlines: SCENARIO_DEADLINES,
    },
    conversation: () => scenarioConversation(),
    agent: { ...agent, speaking: { ...agent.speaking, voices: options.voices } },
    spokenAgent: async () => agent,
    atNode: (one) => one,
    opening: options.opening ?? { type: 'listen' },
    state: null,
    journal: { append: (entry, atMs = time.clock.now()) => journal.push({ entry, atMs: atMs - startedAtMs }) },
    tape: null,
    random: () => 0.5,
    onFault: (error) => faults.push(error),
    onProviderFailed: (sentence) => logged.push(sentence),
  })
  let outcome: CallOutcome | null = null
  void session.ended.then((how) => {
    outcome = how
  })
  pair.far.listen({
    frame: (frame) => {
      const loudest = frame.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
      loudness.push(loudest)
      heard.push(frame.slice())
    },
    played: () => {},
    dtmf: () => {},
    recognised: () => {},
    recognitionFailed: () => {},
    typed: () => {},
    lost: () => {},
    restored: () => {},
    hungUp: () => {},
  })
  pair.far.onTold((message) => told.push(message))
  let speech: Int16Array = new Int16Array(0)
  let spoken = 0
  let sent = 0
  const sendCallerFrame = (): void => {
    const frame = Int16Array.from({ length: size }, (_, index) => Math.round(ROOM_NOISE * Math.sin(index / 3)))
    frame.set(speech.subarray(spoken, spoken + size))
    spoken = Math.min(speech.length, spoken + size)
    pair.far.send(frame, sent)
    sent += size
  }
  let nextFrameAtMs = startedAtMs
  const step = async (): Promise<void> => {
    await time.advance(STEP_MS)
    await breathe()
    const nowMs = time.clock.now()
    if (nowMs - nextFrameAtMs >= FRAME_MS) {
      nextFrameAtMs += FRAME_MS
      sendCallerFrame()
    }
    session.pump(nowMs)
    pair.pump(nowMs)
    await settle()
  }
  const call: LoopbackCall = {
    session,
    time,
    caller: pair.far,
    journal,
    told,
    faults,
    logged,
    startedAtMs,
    loudness,
    elapsedMs: () => time.clock.now() - startedAtMs,
    callerSays(samples) {
      speech = samples
      spoken = 0
    },
    isCallerSpeaking: () => spoken < speech.length,
    heard: () => joinFrames(heard),
    async run(durationMs) {
      for (let passed = 0; passed < durationMs; passed += STEP_MS) await step()
    },
    async runUntil(isCase, mostMs = 60_000) {
      for (let passed = 0; !isCase(); passed += STEP_MS) {
        if (passed > mostMs) throw new Error(`What was waited for did not happen: ${describe(journal)}`)
        await step()
      }
    },
    entries: (type) =>
      journal
        .map(({ entry }) => entry)
        .filter((entry): entry is Extract<CallEventEntry, { type: typeof type }> => entry.type === type),
    outcome: () => outcome,
  }
  session.start()
  await settle()
  return call
}

function joinFrames(frames: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(frames.reduce((sum, { length }) => sum + length, 0))
  let place = 0
  for (const frame of frames) {
    joined.set(frame, place)
    place += frame.length
  }
  return joined
}

function describe(journal: LoopbackCall['journal']): string {
  return JSON.stringify(journal.map(({ entry, atMs }) => [atMs, entry]))
}
