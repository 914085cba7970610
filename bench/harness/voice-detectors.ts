import type { Frame, LegRateHz } from '../../packages/engine/src/audio/frame.ts'
import { splitIntoFrames } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { VoiceActivity, type VoiceChange } from '../../packages/engine/src/audio/voice-activity/voice-activity.ts'
import type { OpenVoiceClassifier } from '../../packages/engine/src/voice/ports.ts'
import type { Fvad } from '../../packages/server/src/integrations/speech/voice-activity/fvad.ts'
import type { SileroModel } from '../../packages/server/src/integrations/speech/voice-activity/silero-model.ts'
import { countWindowSamples } from '../../packages/server/src/integrations/speech/voice-activity/silero-protocol.ts'
import type { createDirectClassifiers } from '../../packages/server/src/integrations/speech/voice-activity/silero-test-kit.ts'
import { NoiseFloorActivity } from './noise-floor-activity.ts'

const FRAME_MS = 20

/** Voice in milliseconds. */
export interface VoiceSpan {
  readonly startMs: number
  readonly endMs: number
}

export interface VoiceDetector {
  readonly name: string
  detect(samples: Int16Array, rateHz: LegRateHz): Promise<VoiceSpan[]>
}

interface DetectorParts {
  readonly fvad: Fvad
  readonly model: SileroModel
  readonly gated: Awaited<ReturnType<typeof createDirectClassifiers>>
}

export function createDetectors({ fvad, model, gated }: DetectorParts): VoiceDetector[] {
  let callerId = 0
  return [
    {
      name: 'fvad and noise floor (before)',
      async detect(samples, rateHz) {
        const detector = fvad.open(rateHz, 3)
        const activity = new NoiseFloorActivity(rateHz, (frame) => detector.isVoice(frame))
        const changes: VoiceChange[] = []
        let endMs = 0
        for (const frame of splitIntoFrames(samples, rateHz)) {
          endMs += FRAME_MS
          const change = activity.push(frame, endMs)
          if (change !== null) changes.push(change)
        }
        detector.close()
        return toSpans(changes, endMs)
      },
    },
    {
      name: 'fvad',
      detect: (samples, rateHz) =>
        detectWith(samples, rateHz, (onResult) => {
          const detector = fvad.open(rateHz, 3)
          const push = (frame: Frame, startSample: number): void =>
            onResult({ endSample: startSample + frame.length, probability: detector.isVoice(frame) ? 1 : 0 })
          return { push, close: () => detector.close() }
        }),
    },
    {
      name: 'Silero',
      async detect(samples, rateHz) {
        callerId -= 1
        const windowSamples = countWindowSamples(rateHz)
        const probabilities: number[] = []
        for (let start = 0; start + windowSamples <= samples.length; start += windowSamples) {
          const window = samples.subarray(start, start + windowSamples)
          const [probability = 0] = await model.classify([{ callerId, rateHz, isReset: start === 0, samples: window }])
          probabilities.push(probability)
        }
        model.forget(callerId)
        return detectWith(samples, rateHz, (onResult) => {
          let windowCount = 0
          const push = (frame: Frame, startSample: number): void => {
            for (; (windowCount + 1) * windowSamples <= startSample + frame.length; windowCount += 1)
              onResult({ endSample: (windowCount + 1) * windowSamples, probability: probabilities[windowCount] ?? 0 })
          }
          return { push, close: () => {} }
        })
      },
    },
    {
      name: 'Silero behind fvad (now)',
      detect: (samples, rateHz) =>
        detectWith(
          samples,
          rateHz,
          (onResult) => gated.open(rateHz, onResult),
          () => gated.whenIdle(),
        ),
    },
  ]
}

/** Detects voice with the rule of calls. */
async function detectWith(
  samples: Int16Array,
  rateHz: LegRateHz,
  open: OpenVoiceClassifier,
  whenIdle: () => Promise<void> = () => Promise.resolve(),
): Promise<VoiceSpan[]> {
  const activity = new VoiceActivity({ rateHz, cancelsEcho: true, leadMs: 0 })
  const changes: VoiceChange[] = []
  const classifier = open((result) => {
    const change = activity.pushProbability(result)
    if (change !== null) changes.push(change)
  })
  let endSample = 0
  for (const frame of splitIntoFrames(samples, rateHz)) {
    endSample += frame.length
    activity.pushFrame(frame, { endSample, endMs: (endSample * 1_000) / rateHz, playedDb: null })
    classifier.push(frame, endSample - frame.length)
    await whenIdle()
  }
  classifier.close()
  return toSpans(changes, (endSample * 1_000) / rateHz)
}

function toSpans(changes: readonly VoiceChange[], totalMs: number): VoiceSpan[] {
  const spans: VoiceSpan[] = []
  let startMs: number | null = null
  for (const change of changes) {
    if (change.type === 'voice-started') startMs ??= change.startedAtMs
    else if (change.type === 'voice-ended' && startMs !== null) {
      spans.push({ startMs, endMs: change.lastVoiceAtMs })
      startMs = null
    }
  }
  if (startMs !== null) spans.push({ startMs, endMs: totalMs })
  return spans
}
