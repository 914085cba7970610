import { countFrameSamples, type LegRateHz } from '@parley/engine/audio/frame'
import type { LanguageModel } from '@parley/engine/ports'
import {
  createManualClock,
  createScriptedHttpTools,
  flushPromises,
  type ManualClock,
  SCENARIO_DEADLINES,
} from '@parley/engine/testing'
import {
  createToneFrame,
  type HeardFrame,
  type LoopbackCall,
  startLoopbackCall,
} from '@parley/engine/testing/loopback-call'
import { createScriptedClassifiers } from '@parley/engine/testing/scripted-classifier'
import { createUnreachablePorts } from '@parley/engine/testing/scripted-ports'
import { createScenarioAgent } from '@parley/engine/testing/voice-scenario'
import type { OpenVoiceClassifier, Transcriber } from '@parley/engine/voice/ports'
import type { AgentVoice } from '@parley/engine/voice/session/session-ports'
import type { Opening } from '@parley/engine/voice/turn-machine/events'
import type { TurnSettings } from '@parley/engine/voice/turn-machine/settings'

interface RecordedAudioCallOptions {
  readonly time?: ManualClock
  readonly model: LanguageModel
  readonly voices: readonly AgentVoice[]
  readonly transcribers?: readonly Transcriber[]
  /** The default is a classifier of the amplitude. */
  readonly openClassifier?: OpenVoiceClassifier
  readonly rateHz?: LegRateHz
  readonly opening?: Opening
  readonly turns?: Partial<TurnSettings>
  /** Runs between clock steps so that sockets and threads can do real work. */
  readonly onStep?: () => Promise<void>
}

/** A call over a loopback leg with recorded caller audio and real server components. */
export interface RecordedAudioCall extends LoopbackCall {
  /** Sets the caller's next audio as 16-bit samples at the leg's rate. */
  playCallerAudio(samples: Int16Array): void
  /** Returns all agent samples that the caller heard. */
  getHeardSamples(): Int16Array
  /** Returns the peak sample of each frame that the caller heard. */
  getLoudness(): readonly number[]
}

export async function startRecordedAudioCall(options: RecordedAudioCallOptions): Promise<RecordedAudioCall> {
  const { time = createManualClock(), rateHz = 16_000, opening = { type: 'listen' } } = options
  const agent = createScenarioAgent([], options.turns)
  const frameSamples = countFrameSamples(rateHz)
  const levels: number[] = []
  let speech = new Int16Array(0)
  let position = 0
  let idCount = 0
  const call = await startLoopbackCall({
    time,
    leg: { rateHz },
    session: {
      transcribers: options.transcribers ?? [],
      openClassifier: options.openClassifier ?? createScriptedClassifiers().open,
      dialogue: {
        resolveModel: () => options.model,
        httpTools: createScriptedHttpTools().client,
        ...createUnreachablePorts(),
        clock: time.clock,
        makeId: (prefix) => {
          idCount += 1
          return `${prefix}_${idCount}`
        },
        deadlines: SCENARIO_DEADLINES,
      },
      agent: { ...agent, speaking: { ...agent.speaking, voices: options.voices } },
      opening,
    },
    recordFrame() {
      const frame = createToneFrame(frameSamples, false)
      frame.set(speech.subarray(position, position + frameSamples))
      position = Math.min(speech.length, position + frameSamples)
      return frame
    },
    onStep: options.onStep ?? flushPromises,
  })
  return {
    ...call,
    playCallerAudio(samples) {
      speech = Int16Array.from(samples)
      position = 0
    },
    getHeardSamples: () => joinFrames(call.heardFrames),
    getLoudness() {
      for (const { frame } of call.heardFrames.slice(levels.length)) {
        levels.push(frame.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0))
      }
      return levels
    },
  }
}

function joinFrames(frames: readonly HeardFrame[]): Int16Array {
  const joined = new Int16Array(frames.reduce((sum, { frame }) => sum + frame.length, 0))
  let offset = 0
  for (const { frame } of frames) {
    joined.set(frame, offset)
    offset += frame.length
  }
  return joined
}
