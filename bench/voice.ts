import { loadavg } from 'node:os'
import { failOnError } from '../packages/server/src/integrations/speech/speech-test-kit.ts'
import { createSileroClassifiers } from '../packages/server/src/integrations/speech/voice-activity/voice-classifiers.ts'
import { CallPacer } from '../packages/server/src/media/call-pacer.ts'
import { systemClock } from '../packages/server/src/platform/system.ts'
import { readOptions } from './harness/options.ts'
import { printResult, printTable } from './harness/report.ts'
import { INTERRUPTION_AFTER_MS, RESPONSE_THRESHOLD_MS, runCall, type SpokenCallStats } from './harness/spoken-calls.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'

/**
 * Measures the reaction time of a call with instant transcriber, model and synthesizer: the delay beyond the configured
 * end-of-turn wait, and the time to silence after an interruption. Sessions, clock, pacing and voice detection are real, but
 * the connection stays inside the process.
 */
const { smoke } = readOptions()
const CALLS = smoke ? 2 : 10
const TURNS = smoke ? 2 : 20
const TURN_MS = 3_500

const loadBefore = loadavg().map(roundStat)
const pacer = new CallPacer({
  clock: systemClock,
  logError: failOnError,
})
const silero = createSileroClassifiers({
  clock: systemClock,
  logError: failOnError,
})
const classifiers = await silero.load()
await silero.whenReady()
const stats: SpokenCallStats = { answerSent: [], answerHeard: [], stopSent: [], stopHeard: [] }
const runOneCall = (startAfterMs: number, turns: number): Promise<void> =>
  runCall({ pacer, classifiers, rateHz: 8_000, turns, stats, startAfterMs })
if (!smoke) {
  await Promise.all([runOneCall(0, 3), runOneCall(1_000, 3)])
  for (const times of Object.values(stats)) times.length = 0
}
await Promise.all(Array.from({ length: CALLS }, (_, index) => runOneCall((index * TURN_MS) / CALLS, TURNS)))
// Its thread would keep the process alive.
await silero.close()

const NAMES: Readonly<Record<keyof SpokenCallStats, string>> = {
  answerSent: `last voice + ${RESPONSE_THRESHOLD_MS} ms to first audio sent`,
  answerHeard: '– to first audio heard',
  stopSent: `voice + ${INTERRUPTION_AFTER_MS} ms to last audio sent`,
  stopHeard: '– to last audio heard',
}
const summary = Object.fromEntries(
  Object.entries(stats).map(([name, times]) => [
    name,
    {
      count: times.length,
      p50Ms: getPercentile(times, 0.5),
      p95Ms: getPercentile(times, 0.95),
      maxMs: getPercentile(times, 1),
    },
  ]),
)
printTable(
  ['', 'turns', 'p50 ms', 'p95 ms', 'max ms'],
  Object.entries(NAMES).map(([name, label]) => [label, ...Object.values(summary[name] ?? {})]),
)
const { ticksByLateness, worstLatenessMs } = pacer.getStats()
printResult('voice', smoke, {
  loadBefore,
  loadAfter: loadavg().map(roundStat),
  ...summary,
  ticksByLateness,
  worstLatenessMs,
})

function getPercentile(times: readonly number[], share: number): number {
  return roundStat(calculatePercentile(times, share))
}
