/**
 * Verifies vendors: `node scripts/verify-live/main.ts openai --model gpt-4.1`. Exits with 1 if a check did not pass, and with 2
 * if the arguments or settings are invalid.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../packages/server/src/platform/system.ts'
import { type CheckResult, RunBudget } from './run-checks.ts'
import { type SelectedVendor, selectVendors } from './select-vendors.ts'
import { verifyVendor } from './verify-vendor.ts'

const BUDGET = { usd: 1, totalMs: 5 * 60_000 }
const LOG_FOLDER = path.join('data', 'verify-live')
const LABELS = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, voice: { type: 'string' }, 'log-dir': { type: 'string', default: LOG_FOLDER } },
})

function printResult({ name, outcome, problem, durationMs }: CheckResult): void {
  console.log(`${LABELS[outcome]} ${name}  ${(durationMs / 1000).toFixed(1)} s`)
  if (problem !== '') console.log(`        ${problem}`)
}

async function verifyAll(vendors: readonly SelectedVendor[]): Promise<boolean> {
  const budget = new RunBudget(systemClock, BUDGET)
  const results: CheckResult[] = []
  for (const { vendor, settings } of vendors) {
    const startedAt = new Date(systemClock.now()).toISOString().replace(/[:.]/g, '-')
    const logFile = path.resolve(values['log-dir'], `${vendor}-${startedAt}.jsonl`)
    console.log(`\n# ${vendor}`)
    const { model, voice } = values
    const options = { vendor, settings, clock: systemClock, logFile, model, voice }
    results.push(...(await verifyVendor({ ...options, onResult: printResult }, budget)))
    console.log(`Log: ${logFile}`)
  }
  const passedCount = results.filter(({ outcome }) => outcome === 'passed').length
  console.log(`\n${passedCount} of ${results.length} checks passed.`)
  return passedCount === results.length
}

const { vendors, problems } = selectVendors(positionals)
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 2
// Exits explicitly, because a check that ended at its limit can still be waiting.
else process.exit((await verifyAll(vendors)) ? 0 : 1)
