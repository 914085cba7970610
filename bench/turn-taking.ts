import { loadavg } from 'node:os'
import { readOptions } from './harness/options.ts'
import { printResult } from './harness/report.ts'
import { calculatePercentile, roundStat } from './harness/statistics.ts'
import { buildScenarios, listVoices } from './turn-taking/build-scenarios.ts'
import { openSpeechRenderer } from './turn-taking/render-speech.ts'
import { groupOutcomes, printGroups, printProblems } from './turn-taking/report.ts'
import { runScenarios } from './turn-taking/run-scenarios.ts'
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
    scenarios.push(...(await buildScenarios({ ...options, renderer, rateHz })))
  }
}

await using server = await startTurnServer(null)
const { outcomes, lateness } = await runScenarios(scenarios, {
  url: server.url,
  createCall: (hasOpening) => server.createCall(hasOpening),
  concurrency: options.concurrency,
  sendsRecognition: true,
})
const groups = groupOutcomes(outcomes)
const clientLateness = {
  p99Ms: roundStat(calculatePercentile(lateness, 0.99)),
  maxMs: roundStat(Math.max(...lateness)),
}
console.log(`Set "${options.set}": ${listVoices(options.set).join(', ')}. ${outcomes.length} calls.\n`)
printGroups(groups)
printProblems(outcomes)
console.log(`\nCallers' steps: ${clientLateness.p99Ms} ms late (p99), ${clientLateness.maxMs} ms (worst).`)
printResult('turn-taking', smoke, {
  set: options.set,
  loadBefore,
  loadAfter: loadavg().map(roundStat),
  clientLateness,
  groups,
  ...(options.listsCalls && { calls: outcomes }),
})
if (smoke && outcomes.some(({ problem }) => problem !== null)) process.exitCode = 1
