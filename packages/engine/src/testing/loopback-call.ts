import type { CallEventEntry } from '@parley/contract/call-event'
import { FRAME_MS, type Frame } from '../audio/frame.ts'
import { createLoopbackPair, type LoopbackEnd, type LoopbackOptions } from '../voice/loopback/loopback-leg.ts'
import type { CallUpdate, LegEvents } from '../voice/ports.ts'
import type { CallOutcome, VoiceSession, VoiceSessionOptions } from '../voice/session/session-ports.ts'
import { createVoiceSession, openVoiceSession, type TurnMachine } from '../voice/session/voice-session.ts'
import { buildScenarioConversation } from './dialogue-scenario.ts'
import { flushPromises, type ManualClock } from './manual-clock.ts'

type ManagedOptions = 'callId' | 'leg' | 'observer' | 'journal' | 'random' | 'onFault' | 'onVendorFailed'
type Defaults = 'buildConversation' | 'loadVoiceAgent' | 'applyNode' | 'opening' | 'state' | 'recorder'

interface LoopbackCallOptions<State> {
  readonly time: ManualClock
  readonly leg: Omit<LoopbackOptions, 'clock'>
  /** Session options besides the leg. */
  readonly session: Omit<VoiceSessionOptions, ManagedOptions | Defaults> & Partial<Pick<VoiceSessionOptions, Defaults>>
  /** Returns the audio that the caller records in the next 20 ms. */
  readonly recordFrame: (nowMs: number) => Frame
  /** Runs between clock steps, for sockets and threads outside virtual time. */
  readonly onStep?: () => Promise<void>
  /** Turn machine that replaces the default machine. */
  readonly machine?: TurnMachine<State>
}

export interface HeardFrame {
  readonly atMs: number
  readonly frame: Frame
}

/** A call over a loopback leg in virtual time, with the production session, playout and voice activity detection. */
export interface LoopbackCall {
  readonly session: VoiceSession
  /** Changes of the caller's volume, by decibels below the full volume. */
  readonly duckings: readonly { readonly atMs: number; readonly db: number }[]
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
  readonly loggedFailures: readonly string[]
  setInterrupted(interrupted: boolean): void
  /** Returns the milliseconds since the call started. */
  getElapsedMs(): number
  /** Advances time by `durationMs`. */
  run(durationMs: number): Promise<void>
  /** Advances time until `condition` is true. Throws after one minute or `maxMs`. */
  runUntil(condition: () => boolean, maxMs?: number): Promise<void>
  /** Returns the journal entries of one type. */
  listEntries<Type extends CallEventEntry['type']>(type: Type): Extract<CallEventEntry, { type: Type }>[]
  getOutcome(): CallOutcome | null
}

/** Clock step that is shorter than a frame, so that frames are sent on time. */
const STEP_MS = 10

export async function startLoopbackCall<State>(options: LoopbackCallOptions<State>): Promise<LoopbackCall> {
  const { time, machine } = options
  const { clock } = time
  const startedAtMs = clock.now()
  const pair = createLoopbackPair({ clock, ...options.leg })
  const recorder = createRecorder(startedAtMs, time)
  const duckings: { atMs: number; db: number }[] = []
  // A volume control keeps the samples as they are, so that their words can be read.
  const leg = Object.assign(pair.near, { attenuate: (db: number) => void duckings.push({ atMs: clock.now(), db }) })
  const sessionOptions = { ...createSessionDefaults(), ...options.session, ...recorder.ports, leg }
  const session = machine === undefined ? createVoiceSession(sessionOptions) : openVoiceSession(sessionOptions, machine)
  let outcome: CallOutcome | null = null
  void session.ended.then((callOutcome) => {
    outcome = callOutcome
  })
  pair.far.listen(
    createFrameListener((frame) => recorder.heardFrames.push({ atMs: clock.now(), frame: frame.slice() })),
  )
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
  await flushPromises()
  return {
    ...recorder.read,
    session,
    time,
    startedAtMs,
    leg,
    duckings,
    caller: pair.far,
    setInterrupted: (interrupted) => pair.setInterrupted(interrupted),
    getElapsedMs: () => clock.now() - startedAtMs,
    async run(durationMs) {
      for (let elapsedMs = 0; elapsedMs < durationMs; elapsedMs += STEP_MS) await step()
    },
    async runUntil(condition, maxMs = 60_000) {
      for (let elapsedMs = 0; !condition(); elapsedMs += STEP_MS) {
        if (elapsedMs > maxMs) throw new Error(`Timed out: ${JSON.stringify(recorder.read.journal)}`)
        await step()
      }
    },
    getOutcome: () => outcome,
  }
}

function createRecorder(startedAtMs: number, { clock }: ManualClock) {
  const journal: { entry: CallEventEntry; atMs: number }[] = []
  const updates: CallUpdate[] = []
  const faults: unknown[] = []
  const loggedFailures: string[] = []
  const heardFrames: HeardFrame[] = []
  const listEntries: LoopbackCall['listEntries'] = (type) =>
    journal
      .map(({ entry }) => entry)
      .filter((entry): entry is Extract<CallEventEntry, { type: typeof type }> => entry.type === type)
  const ports: Pick<VoiceSessionOptions, Exclude<ManagedOptions, 'leg'>> = {
    callId: 'call_1',
    observer: { notify: (update) => updates.push(update) },
    journal: { append: (entry, atMs = clock.now()) => journal.push({ entry, atMs: atMs - startedAtMs }) },
    random: () => 0.5,
    onFault: (error) => faults.push(error),
    onVendorFailed: (message) => loggedFailures.push(message),
  }
  return { ports, heardFrames, read: { journal, updates, faults, loggedFailures, heardFrames, listEntries } }
}

function createSessionDefaults(): Pick<VoiceSessionOptions, Defaults> {
  return {
    buildConversation: () => buildScenarioConversation(),
    loadVoiceAgent: () => Promise.reject(new Error('There is no other agent.')),
    applyNode: (agent) => agent,
    opening: { type: 'listen' },
    state: null,
    recorder: null,
  }
}

/** Creates leg events that handle only frames. */
function createFrameListener(onFrame: (frame: Frame) => void): LegEvents {
  const ignore = (): void => undefined
  const inputEvents = { recognized: ignore, recognitionFailed: ignore, typed: ignore, dtmf: ignore }
  const lifecycle = { lost: ignore, restored: ignore, hungUp: ignore, closed: ignore }
  return { ...inputEvents, ...lifecycle, played: ignore, frame: onFrame }
}

/** Creates a microphone frame: a tone for voice, or the noise of a quiet room. */
export function createToneFrame(length: number, isVoice: boolean): Int16Array {
  const amplitude = isVoice ? 8_000 : 8
  return Int16Array.from({ length }, (_, index) => Math.round(amplitude * Math.sin(index / 3)))
}
