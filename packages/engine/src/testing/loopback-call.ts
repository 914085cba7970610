import type { CallEventEntry } from '@parley/contract/call-event'
import { FRAME_MS, type Frame } from '../audio/frame.ts'
import type { CallUpdate } from '../voice/call-observer.ts'
import type { LoopbackEnd, LoopbackOptions } from '../voice/loopback/loopback-end.ts'
import { createLoopbackPair } from '../voice/loopback/loopback-leg.ts'
import type { LegEvents } from '../voice/ports.ts'
import type { TurnMachine } from '../voice/session/session-loop.ts'
import type { CallOutcome, VoiceSession, VoiceSessionOptions } from '../voice/session/session-ports.ts'
import { createVoiceSession, openVoiceSession } from '../voice/session/voice-session.ts'
import { scenarioConversation } from './dialogue-scenario.ts'
import { type ManualClock, settle } from './manual-clock.ts'

type ManagedOptions = 'callId' | 'leg' | 'observer' | 'journal' | 'random' | 'onFault' | 'onVendorFailed'
type Defaults = 'conversation' | 'voiceAgent' | 'atNode' | 'opening' | 'state' | 'recorder'

export interface LoopbackCallOptions<State> {
  readonly time: ManualClock
  readonly leg: Omit<LoopbackOptions, 'clock'>
  /** What the session needs beside its leg. */
  readonly session: Omit<VoiceSessionOptions, ManagedOptions | Defaults> & Partial<Pick<VoiceSessionOptions, Defaults>>
  /** What the caller's end records in the next 20 ms. */
  readonly recordFrame: (nowMs: number) => Frame
  /** Between two steps of the clock: sockets and threads that are no part of its time do their work. */
  readonly onStep?: () => Promise<void>
  /** Judges turns in the place of the real machine. */
  readonly machine?: TurnMachine<State>
}

export interface HeardFrame {
  readonly atMs: number
  readonly frame: Frame
}

/** A call over a loopback leg in virtual time: real session, playout and voice activity. */
export interface LoopbackCall {
  readonly session: VoiceSession
  readonly time: ManualClock
  readonly startedAtMs: number
  /** The agent's end. */
  readonly leg: LoopbackEnd
  /** The caller's end. */
  readonly caller: LoopbackEnd
  /** What the caller heard since the call started, silence included. */
  readonly heardFrames: readonly HeardFrame[]
  /** What an observer was notified of. */
  readonly updates: readonly CallUpdate[]
  readonly journal: readonly { readonly entry: CallEventEntry; readonly atMs: number }[]
  /** What should never happen. */
  readonly faults: readonly unknown[]
  /** What an operator would read in the log of providers that failed. */
  readonly logged: readonly string[]
  setInterrupted(interrupted: boolean): void
  /** Milliseconds since the call started. */
  elapsedMs(): number
  /** Lets time pass. */
  run(durationMs: number): Promise<void>
  /** Lets time pass until something is the case; throws after a minute, or `maxMs`. */
  runUntil(condition: () => boolean, maxMs?: number): Promise<void>
  /** Entries of the record of one type. */
  entries<Type extends CallEventEntry['type']>(type: Type): Extract<CallEventEntry, { type: Type }>[]
  outcome(): CallOutcome | null
}

/** Finer than a frame, so that what is due leaves in time. */
const STEP_MS = 10

/** Starts a call. */
export async function startLoopbackCall<State>(options: LoopbackCallOptions<State>): Promise<LoopbackCall> {
  const { time, machine } = options
  const { clock } = time
  const startedAtMs = clock.now()
  const pair = createLoopbackPair({ clock, ...options.leg })
  const records = createRecords(startedAtMs, time)
  const sessionOptions = { ...sessionDefaults(), ...options.session, ...records.ports, leg: pair.near }
  const session = machine === undefined ? createVoiceSession(sessionOptions) : openVoiceSession(sessionOptions, machine)
  let outcome: CallOutcome | null = null
  void session.ended.then((how) => {
    outcome = how
  })
  pair.far.listen(frameListener((frame) => records.heardFrames.push({ atMs: clock.now(), frame: frame.slice() })))
  let nextFrameMs = startedAtMs
  let recordedSamples = 0
  const step = async (): Promise<void> => {
    await time.advance(STEP_MS)
    await options.onStep?.()
    const nowMs = clock.now()
    if (nowMs - nextFrameMs >= FRAME_MS) {
      nextFrameMs += FRAME_MS
      const frame = options.recordFrame(nowMs)
      pair.far.send(frame, recordedSamples)
      recordedSamples += frame.length
    }
    session.pump(nowMs)
    pair.pump(nowMs)
  }
  session.start()
  await settle()
  return {
    ...records.read,
    session,
    time,
    startedAtMs,
    leg: pair.near,
    caller: pair.far,
    setInterrupted: (interrupted) => pair.setInterrupted(interrupted),
    elapsedMs: () => clock.now() - startedAtMs,
    async run(durationMs) {
      for (let passed = 0; passed < durationMs; passed += STEP_MS) await step()
    },
    async runUntil(condition, maxMs = 60_000) {
      for (let passed = 0; !condition(); passed += STEP_MS) {
        if (passed > maxMs) throw new Error(`Waited in vain: ${JSON.stringify(records.read.journal)}`)
        await step()
      }
    },
    outcome: () => outcome,
  }
}

/** What a session writes and an end hears. */
function createRecords(startedAtMs: number, { clock }: ManualClock) {
  const journal: { entry: CallEventEntry; atMs: number }[] = []
  const updates: CallUpdate[] = []
  const faults: unknown[] = []
  const logged: string[] = []
  const heardFrames: HeardFrame[] = []
  const entries: LoopbackCall['entries'] = (type) =>
    journal
      .map(({ entry }) => entry)
      .filter((entry): entry is Extract<CallEventEntry, { type: typeof type }> => entry.type === type)
  const ports: Pick<VoiceSessionOptions, Exclude<ManagedOptions, 'leg'>> = {
    callId: 'call_1',
    observer: { notify: (update) => updates.push(update) },
    journal: { append: (entry, atMs = clock.now()) => journal.push({ entry, atMs: atMs - startedAtMs }) },
    random: () => 0.5,
    onFault: (error) => faults.push(error),
    onVendorFailed: (sentence) => logged.push(sentence),
  }
  return { ports, heardFrames, read: { journal, updates, faults, logged, heardFrames, entries } }
}

function sessionDefaults(): Pick<VoiceSessionOptions, Defaults> {
  return {
    conversation: () => scenarioConversation(),
    voiceAgent: () => Promise.reject(new Error('There is no other agent.')),
    atNode: (agent) => agent,
    opening: { type: 'listen' },
    state: null,
    recorder: null,
  }
}

/** An end that only hears frames. */
function frameListener(onFrame: (frame: Frame) => void): LegEvents {
  const ignore = (): void => undefined
  const words = { recognized: ignore, recognitionFailed: ignore, typed: ignore, dtmf: ignore }
  const lifecycle = { lost: ignore, restored: ignore, hungUp: ignore, closed: ignore }
  return { ...words, ...lifecycle, played: ignore, frame: onFrame }
}

/** What a microphone in a quiet room records: voice is a tone. */
export function toneFrame(length: number, isVoice: boolean): Int16Array {
  const amplitude = isVoice ? 8_000 : 8
  return Int16Array.from({ length }, (_, index) => Math.round(amplitude * Math.sin(index / 3)))
}
