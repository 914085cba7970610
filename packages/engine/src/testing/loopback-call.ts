import type { CallEventEntry } from '@parley/contract/call-event'
import { FRAME_MS, type Frame } from '../audio/frame.ts'
import { createLoopbackPair, type LoopbackEnd, type LoopbackOptions } from '../voice/loopback/loopback-leg.ts'
import type { CallUpdate, LegEvents } from '../voice/ports.ts'
import type { CallOutcome, VoiceSession, VoiceSessionOptions } from '../voice/session/session-ports.ts'
import { createVoiceSession, openVoiceSession, type TurnMachine } from '../voice/session/voice-session.ts'
import { buildScenarioConversation } from './dialogue-scenario.ts'
import { type ManualClock, settle } from './manual-clock.ts'

type ManagedOptions = 'callId' | 'leg' | 'observer' | 'journal' | 'random' | 'onFault' | 'onVendorFailed'
type Defaults = 'conversation' | 'voiceAgent' | 'atNode' | 'opening' | 'state' | 'recorder'

interface LoopbackCallOptions<State> {
  readonly time: ManualClock
  readonly leg: Omit<LoopbackOptions, 'clock'>
  /** Session options besides the leg. */
  readonly session: Omit<VoiceSessionOptions, ManagedOptions | Defaults> & Partial<Pick<VoiceSessionOptions, Defaults>>
  /** Returns the audio that the caller records in the next 20 ms. */
  readonly recordFrame: (nowMs: number) => Frame
  /** Runs between clock steps, for sockets and threads outside virtual time. */
  readonly onStep?: () => Promise<void>
  /** Turn machine that replaces the default one. */
  readonly machine?: TurnMachine<State>
}

export interface HeardFrame {
  readonly atMs: number
  readonly frame: Frame
}

/** A call over a loopback leg in virtual time, with the production session, playout and voice activity detection. */
export interface LoopbackCall {
  readonly session: VoiceSession
  readonly time: ManualClock
  readonly startedAtMs: number
  /** The agent's end. */
  readonly leg: LoopbackEnd
  /** The caller's end. */
  readonly caller: LoopbackEnd
  /** All audio that the caller has heard since the call started, including silence. */
  readonly heardFrames: readonly HeardFrame[]
  /** Updates sent to the observer. */
  readonly updates: readonly CallUpdate[]
  readonly journal: readonly { readonly entry: CallEventEntry; readonly atMs: number }[]
  /** Internal errors. */
  readonly faults: readonly unknown[]
  /** Logged vendor failures. */
  readonly logged: readonly string[]
  setInterrupted(interrupted: boolean): void
  /** Returns the milliseconds since the call started. */
  elapsedMs(): number
  /** Advances time by `durationMs`. */
  run(durationMs: number): Promise<void>
  /** Advances time until `condition` is true. Throws after one minute or `maxMs`. */
  runUntil(condition: () => boolean, maxMs?: number): Promise<void>
  /** Returns the journal entries of one type. */
  entries<Type extends CallEventEntry['type']>(type: Type): Extract<CallEventEntry, { type: Type }>[]
  outcome(): CallOutcome | null
}

/** Clock step that is shorter than a frame, so that frames are sent on time. */
const STEP_MS = 10

export async function startLoopbackCall<State>(options: LoopbackCallOptions<State>): Promise<LoopbackCall> {
  const { time, machine } = options
  const { clock } = time
  const startedAtMs = clock.now()
  const pair = createLoopbackPair({ clock, ...options.leg })
  const records = createRecords(startedAtMs, time)
  const sessionOptions = { ...createSessionDefaults(), ...options.session, ...records.ports, leg: pair.near }
  const session = machine === undefined ? createVoiceSession(sessionOptions) : openVoiceSession(sessionOptions, machine)
  let outcome: CallOutcome | null = null
  void session.ended.then((how) => {
    outcome = how
  })
  pair.far.listen(createFrameListener((frame) => records.heardFrames.push({ atMs: clock.now(), frame: frame.slice() })))
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
        if (passed > maxMs) throw new Error(`Timed out: ${JSON.stringify(records.read.journal)}`)
        await step()
      }
    },
    outcome: () => outcome,
  }
}

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

function createSessionDefaults(): Pick<VoiceSessionOptions, Defaults> {
  return {
    conversation: () => buildScenarioConversation(),
    voiceAgent: () => Promise.reject(new Error('There is no other agent.')),
    atNode: (agent) => agent,
    opening: { type: 'listen' },
    state: null,
    recorder: null,
  }
}

/** Creates leg events that handle only frames. */
function createFrameListener(onFrame: (frame: Frame) => void): LegEvents {
  const ignore = (): void => undefined
  const words = { recognized: ignore, recognitionFailed: ignore, typed: ignore, dtmf: ignore }
  const lifecycle = { lost: ignore, restored: ignore, hungUp: ignore, closed: ignore }
  return { ...words, ...lifecycle, played: ignore, frame: onFrame }
}

/** Creates a microphone frame in a quiet room. Voice is a tone. */
export function createToneFrame(length: number, isVoice: boolean): Int16Array {
  const amplitude = isVoice ? 8_000 : 8
  return Int16Array.from({ length }, (_, index) => Math.round(amplitude * Math.sin(index / 3)))
}
