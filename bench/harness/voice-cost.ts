import { setTimeout as sleep } from 'node:timers/promises'
import { createWhiteNoise } from '../../packages/engine/src/audio/generated-audio-test-kit.ts'
import { failOnError } from '../../packages/server/src/integrations/speech/speech-test-kit.ts'
import type { SileroModel } from '../../packages/server/src/integrations/speech/voice-activity/silero-model.ts'
import { countWindowSamples } from '../../packages/server/src/integrations/speech/voice-activity/silero-protocol.ts'
import { createSileroClassifiers } from '../../packages/server/src/integrations/speech/voice-activity/voice-classifiers.ts'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { calculatePercentile, roundStat } from './statistics.ts'

const RATE_HZ = 8_000
const FRAME_MS = 20
const FRAME_SAMPLES = 160

export interface VoiceCost {
  /** CPU time per call and second of audio: of the main thread, and of all threads. */
  readonly mainUs: number
  readonly totalUs: number
  /** Time from the last sample of a window to its result. */
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
}

interface CostOptions {
  readonly calls: number
  readonly seconds: number
  /** Speech without pauses at 8 kHz. One call in five plays it. */
  readonly speech: Int16Array
}

/** Runs calls in real time, as the server does, at 8 kHz. */
export async function measureVoiceCost({ calls, seconds, speech }: CostOptions): Promise<VoiceCost> {
  const silero = createSileroClassifiers({
    clock: systemClock,
    logError: failOnError,
  })
  const classifiers = await silero.load()
  await silero.whenReady()
  const room = createWhiteNoise({ rateHz: RATE_HZ, durationMs: 2_000, amplitude: 30 })
  const delaysMs: number[] = []
  const startMs = performance.now()
  const callers = Array.from({ length: calls }, (_, index) => {
    const offsetMs = (index * FRAME_MS) / calls
    const onResult = ({ endSample }: { readonly endSample: number }): void => {
      if (index % 5 === 0) delaysMs.push(performance.now() - startMs - offsetMs - (endSample * 1_000) / RATE_HZ)
    }
    const audio = index % 5 === 0 ? speech : room
    return { classifier: classifiers.open(RATE_HZ, onResult), offsetMs, audio, position: 0 }
  })
  const totalBefore = process.cpuUsage()
  const mainBefore = process.threadCpuUsage()
  for (let nowMs = 0; nowMs < seconds * 1_000; nowMs = performance.now() - startMs) {
    for (const caller of callers) {
      while (caller.offsetMs + (caller.position * 1_000) / RATE_HZ + FRAME_MS <= nowMs) {
        const start = caller.position % (caller.audio.length - FRAME_SAMPLES)
        caller.classifier.push(caller.audio.subarray(start, start + FRAME_SAMPLES), caller.position)
        caller.position += FRAME_SAMPLES
      }
    }
    await sleep(5)
  }
  const main = process.threadCpuUsage(mainBefore)
  const total = process.cpuUsage(totalBefore)
  for (const { classifier } of callers) classifier.close()
  await silero.close()
  const perCallSecond = ({ user, system }: { readonly user: number; readonly system: number }): number =>
    roundStat((user + system) / calls / seconds)
  const percentile = (share: number): number => roundStat(calculatePercentile(delaysMs, share))
  return {
    mainUs: perCallSecond(main),
    totalUs: perCallSecond(total),
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
  }
}

/** Measures how long a batch blocks its thread, in milliseconds. */
export async function measureBatches(model: SileroModel, sizes: readonly number[], runs: number) {
  const samples = new Int16Array(countWindowSamples(RATE_HZ)).map((_, index) => (index % 40) * 50)
  const rows: { readonly size: number; readonly p50Ms: number; readonly p95Ms: number; readonly cpuUs: number }[] = []
  for (const size of sizes) {
    const windows = Array.from({ length: size }, (_, index) => {
      return { callerId: 1_000 + index, rateHz: RATE_HZ, isReset: false, samples } as const
    })
    const times: number[] = []
    const before = process.threadCpuUsage()
    for (let run = 0; run < runs; run += 1) {
      const startMs = performance.now()
      await model.classify(windows)
      times.push(performance.now() - startMs)
    }
    const { user, system } = process.threadCpuUsage(before)
    rows.push({
      size,
      p50Ms: roundStat(calculatePercentile(times, 0.5)),
      p95Ms: roundStat(calculatePercentile(times, 0.95)),
      cpuUs: roundStat((user + system) / runs / size),
    })
  }
  return rows
}
