import { loadavg } from 'node:os'
import { readOptions } from './harness/options.ts'
import { printResult } from './harness/report.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'
import { startBatchRecognizer } from './turn-taking/batch-recognizer.ts'
import { buildRecordedScenarios } from './turn-taking/build-recorded-scenarios.ts'
import { buildScenarios, createContext, listVoices } from './turn-taking/build-scenarios.ts'
import { readRecordings } from './turn-taking/read-recordings.ts'
import { openSpeechRenderer } from './turn-taking/render-speech.ts'
import { groupOutcomes, printGroups, printProblems } from './turn-taking/report.ts'
import { MAX_STALL_MS, runScenarios } from './turn-taking/run-scenarios.ts'
import type { Scenario } from './turn-taking/scenario.ts'
import { readTurnOptions } from './turn-taking/turn-options.ts'
import { startTurnServer } from './turn-taking/turn-server.ts'

/**
 * Measures turn-taking by what callers hear. Synthesized callers talk to an agent on the real server over the live channel. They
 * say "mhm", interrupt, cough, pause and ask; the figures are compared with the goals. See `bench/turn-taking/README.md` for
 * the options.
 */
const { smoke } = readOptions()
const options = readTurnOptions(smoke)
const loadBefore = loadavg().map(roundStat)

const scenarios: Scenario[] = []
{
  await using renderer = await openSpeechRenderer()
  for (const rateHz of options.ratesHz) {
    const clips = options.recordings === null ? null : await readRecordings(options.recordings)
    const built =
      clips === null
        ? await buildScenarios({ ...options, renderer, rateHz })
        : await buildRecordedScenarios(createContext({ ...options, renderer, rateHz }), clips)
    scenarios.push(...built)
  }
}

await using recognizer = options.recognizer === 'batch' ? await startBatchRecognizer() : null
await using server = await startTurnServer(recognizer?.url ?? null)
const { outcomes, lateness } = await runScenarios(scenarios, {
  url: server.url,
  createCall: (hasOpening) => server.createCall(hasOpening),
  concurrency: options.concurrency,
  maxAttempts: smoke ? 1 : 3,
  recognizer,
})
const groups = groupOutcomes(outcomes)
const clientLateness = {
  p99Ms: roundStat(calculatePercentile(lateness, 0.99)),
  maxMs: roundStat(Math.max(...lateness)),
}
console.log(`Set "${options.set}": ${listVoices(options.set).join(', ')}. ${outcomes.length} calls.\n`)
printGroups(groups)
printProblems(outcomes)
const stalledCalls = outcomes.filter(({ stallMs }) => stallMs > MAX_STALL_MS).length
console.log(
  `\nCallers' steps: ${clientLateness.p99Ms} ms late (p99), ${clientLateness.maxMs} ms (worst). Machine stalled in ${stalledCalls} calls.`,
)
printResult('turn-taking', smoke, {
  set: options.set,
  recognizer: options.recognizer,
  loadBefore,
  loadAfter: loadavg().map(roundStat),
  clientLateness,
  stalledCalls,
  groups,
  ...(options.listsCalls && { calls: outcomes }),
})
const judged = outcomes.filter(({ problem, isUnanswered }) => problem === null && !isUnanswered)
if (smoke && judged.length < outcomes.length / 2) process.exitCode = 1
