import { countFrameSamples, FRAME_MS, type Frame, type LegRateHz } from '../../packages/engine/src/audio/frame.ts'
import { createWhiteNoise, renderWave } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { Recorder } from '../../packages/engine/src/audio/recorder.ts'
import type { LanguageModel } from '../../packages/engine/src/ports.ts'
import { buildScenarioConversation } from '../../packages/engine/src/testing/dialogue-scenario.ts'
import { createUnreachablePorts } from '../../packages/engine/src/testing/scripted-ports.ts'
import { createScenarioAgent } from '../../packages/engine/src/testing/voice-scenario.ts'
import { createLoopbackPair, type LoopbackEnd } from '../../packages/engine/src/voice/loopback/loopback-leg.ts'
import { createVoiceSession } from '../../packages/engine/src/voice/session/voice-session.ts'
import type { VoiceClassifiers } from '../../packages/server/src/features/calls/live/live-ports.ts'
import type { CallPacer } from '../../packages/server/src/media/call-pacer.ts'
import { randomId, systemClock } from '../../packages/server/src/platform/system.ts'
import { createInstantSynthesizer, createInstantTranscriber, MAX_SPEECH_MS } from './instant-speech.ts'
import { createTimedLeg, isAudible } from './timed-leg.ts'

/** Minimum silence before the agent responds. */
export const RESPONSE_THRESHOLD_MS = 400
/** Duration of voice that counts as an attempt to interrupt. */
export const INTERRUPTION_AFTER_MS = 200

/** Latencies in milliseconds, over all turns of all calls. */
export interface SpokenCallStats {
  /** Time from the last voice to the first outgoing audio of the answer, excluding the configured wait. */
  readonly answerSent: number[]
  /** Time from the last voice until the caller hears the answer. A loopback connection plays whole frames. */
  readonly answerHeard: number[]
  /** Time from the detected interruption to the agent's last outgoing audio. */
  readonly stopSent: number[]
  /** Time from the detected interruption to the last audio that the caller hears. */
  readonly stopHeard: number[]
}

export interface SpokenCallOptions {
  readonly pacer: CallPacer
  readonly classifiers: VoiceClassifiers
  readonly rateHz: LegRateHz
  readonly turns: number
  readonly stats: SpokenCallStats
  /** Silence before the first words, so that calls do not all start speaking simultaneously. */
  readonly startAfterMs: number
}

const SPEECH_FRAMES = 1_000 / FRAME_MS
/** Time after which the caller interrupts the agent, in the middle of an answer. */
const LISTEN_FRAMES = 1_500 / FRAME_MS
const REPEAT_AFTER_FRAMES = 5_000 / FRAME_MS
const ANSWER =
  'We are open from nine in the morning until five in the afternoon on every day of the week but on Sundays we close at noon.'

/** Creates a buzz at the pitch of a voice with the formants of an "a". Every sample is voice. */
function createVowel(rateHz: number, durationMs: number): Int16Array {
  return renderWave({ rateHz, durationMs, amplitude: 3_000 }, (seconds) => {
    let value = 0
    for (let hz = 120; hz < Math.min(3_400, rateHz / 2); hz += 120) {
      const formants = 1 / (1 + ((hz - 700) / 200) ** 2) + 0.6 / (1 + ((hz - 1_200) / 250) ** 2)
      value += formants * Math.sin(2 * Math.PI * hz * seconds)
    }
    return value * (0.6 + 0.4 * Math.sin(2 * Math.PI * 4 * seconds))
  })
}

const model: LanguageModel = {
  name: 'bench/model',
  async *stream() {
    yield { type: 'text-delta', text: ANSWER }
    yield { type: 'finish', reason: 'stop', usage: null }
  },
}

const synthesizer = createInstantSynthesizer((rateHz) => createVowel(rateHz, MAX_SPEECH_MS))

/** Runs an entire call in real time: the caller asks, listens for a while, interrupts with the next question, and so on. */
export async function runCall(options: SpokenCallOptions): Promise<void> {
  const { pacer, classifiers, rateHz, turns } = options
  const pair = createLoopbackPair({ clock: systemClock, rateHz })
  const caller = new SpeakingCaller(pair.far, options)
  const recorder = new Recorder({ rateHz, segmentMs: 4_000, onSegment: () => undefined })
  const session = createVoiceSession({
    callId: 'call_bench',
    leg: createTimedLeg(pair.near, caller),
    observer: null,
    transcribers: [createInstantTranscriber({ finalAfterMs: 100, wordMs: 300 })],
    openClassifier: (onResult) => classifiers.open(rateHz, onResult),
    dialogue: {
      resolveModel: () => model,
      httpTools: { call: () => Promise.reject(new Error('There are no tools.')) },
      ...createUnreachablePorts(),
      clock: systemClock,
      makeId: randomId,
      deadlines: { firstTokenMs: 20_000, idleMs: 5_000, totalMs: 60_000 },
    },
    buildConversation: () => buildScenarioConversation(),
    agent: createScenarioAgent([synthesizer], {
      responseThresholdMs: RESPONSE_THRESHOLD_MS,
      interruptionAfterMs: INTERRUPTION_AFTER_MS,
    }),
    loadVoiceAgent: () => Promise.reject(new Error('There is no other agent.')),
    applyNode: (agent) => agent,
    opening: { type: 'listen' },
    state: null,
    journal: { append: () => undefined },
    recorder: recorder,
    random: Math.random,
    onFault(error) {
      throw error
    },
  })
  const removeFromPacer = [pacer.add((nowMs) => pair.pump(nowMs)), pacer.add((nowMs) => session.pump(nowMs))]
  session.start()
  await caller.runTurns(turns)
  session.end('agent_hangup', false)
  await session.ended
  for (const stop of removeFromPacer) stop()
  recorder.close()
}

/** The caller's side of the connection. It advances with the frames that it receives. */
class SpeakingCaller {
  readonly #remoteEnd: LoopbackEnd
  readonly #stats: SpokenCallStats
  readonly #voice: readonly Frame[]
  readonly #silence: Frame
  readonly #done = Promise.withResolvers<void>()
  readonly #rateHz: LegRateHz
  /** Start time of the connection. */
  readonly #originMs = performance.now()
  #turnsLeft = 0
  #sentSamples = 0
  #spokenFrames = SPEECH_FRAMES
  #silentFrames: number
  #listenedFrames = 0
  /** Start and end of the current or latest voice on the agent's side. */
  #firstVoiceMs: number | null = null
  #lastVoiceMs = 0
  #isAnswerSent = true
  #isAnswerHeard = true
  #lastSentMs: number | null = null
  #lastHeardMs: number | null = null

  constructor(remoteEnd: LoopbackEnd, { rateHz, stats, startAfterMs }: SpokenCallOptions) {
    this.#remoteEnd = remoteEnd
    this.#stats = stats
    this.#rateHz = rateHz
    this.#silentFrames = REPEAT_AFTER_FRAMES - startAfterMs / FRAME_MS
    const voice = createVowel(rateHz, SPEECH_FRAMES * FRAME_MS)
    const size = countFrameSamples(rateHz)
    this.#voice = Array.from({ length: SPEECH_FRAMES }, (_, index) => voice.slice(index * size, (index + 1) * size))
    this.#silence = createWhiteNoise({ rateHz, durationMs: FRAME_MS, amplitude: 8 })
    const ignore = (): void => undefined
    const wordEvents = { recognized: ignore, recognitionFailed: ignore, typed: ignore }
    const ignoredEvents = {
      ...wordEvents,
      played: ignore,
      dtmf: ignore,
      lost: ignore,
      restored: ignore,
      closed: ignore,
    }
    remoteEnd.listen({ ...ignoredEvents, frame: (frame) => this.#step(frame), hungUp: () => this.#done.resolve() })
  }

  /** Resolves when the specified number of questions have been asked and answered. */
  runTurns(turns: number): Promise<void> {
    this.#turnsLeft = turns
    return this.#done.promise
  }

  /** Counts time in samples, like a recorder, since frames can be late. */
  receivedFromCaller(frame: Frame, startSample: number): void {
    if (!isAudible(frame)) return
    const startMs = this.#originMs + (startSample * 1_000) / this.#rateHz
    this.#firstVoiceMs ??= startMs
    this.#lastVoiceMs = startMs + FRAME_MS
  }

  sentToCaller(frame: Frame): void {
    if (!isAudible(frame)) return
    const nowMs = performance.now()
    if (this.#isAnswerSent) this.#lastSentMs = nowMs
    else if (this.#spokenFrames === SPEECH_FRAMES) {
      this.#isAnswerSent = true
      this.#stats.answerSent.push(nowMs - this.#lastVoiceMs - RESPONSE_THRESHOLD_MS)
    } else this.#lastSentMs = nowMs
  }

  #step(frame: Frame): void {
    if (isAudible(frame)) this.#onAgentAudio(performance.now())
    this.#remoteEnd.send(this.#takeFrame(), this.#sentSamples)
    this.#sentSamples += frame.length
  }

  #onAgentAudio(nowMs: number): void {
    if (this.#isAnswerHeard) this.#listenedFrames += 1
    if (!this.#isAnswerHeard && this.#spokenFrames === SPEECH_FRAMES && this.#isAnswerSent) {
      this.#isAnswerHeard = true
      this.#stats.answerHeard.push(nowMs - this.#lastVoiceMs - RESPONSE_THRESHOLD_MS)
      return
    }
    this.#lastHeardMs = nowMs
  }

  #takeFrame(): Frame {
    if (this.#spokenFrames < SPEECH_FRAMES) {
      this.#spokenFrames += 1
      if (this.#spokenFrames === SPEECH_FRAMES) this.#recordStopLatency()
      return this.#voice[this.#spokenFrames - 1] ?? this.#silence
    }
    this.#silentFrames += 1
    const canSpeak = this.#listenedFrames >= LISTEN_FRAMES || this.#silentFrames > REPEAT_AFTER_FRAMES
    if (!canSpeak) return this.#silence
    this.#turnsLeft -= 1
    if (this.#turnsLeft < 0) this.#done.resolve()
    else this.#startQuestion()
    return this.#silence
  }

  #startQuestion(): void {
    this.#spokenFrames = 0
    this.#silentFrames = 0
    this.#listenedFrames = 0
    this.#firstVoiceMs = null
    this.#isAnswerSent = false
    this.#isAnswerHeard = false
    this.#lastSentMs = null
    this.#lastHeardMs = null
  }

  /** Records the stop latency at the end of an interruption, when the agent has either stopped or will not stop. */
  #recordStopLatency(): void {
    if (this.#firstVoiceMs === null || this.#lastSentMs === null || this.#lastHeardMs === null) return
    const candidateMs = this.#firstVoiceMs + INTERRUPTION_AFTER_MS
    this.#stats.stopSent.push(this.#lastSentMs - candidateMs)
    this.#stats.stopHeard.push(this.#lastHeardMs - candidateMs)
  }
}
