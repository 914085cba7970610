'use strict'

/**
 * `npm run test:full`: runs the slow tier, and the storage tests on PostgreSQL. `npm run test:all` (`--all`) runs every test.
 * Servers run from the bundle, as with `npm start`. `--only <part>` runs one part. Other arguments are passed to vitest. The
 * last lines list skipped tests.
 */

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { prepare, root, runCommand, runProgram } = require('./bootstrap.cjs')
const { findPostgres } = require('./service-programs.cjs')
const { installMissing, requiresAllPrograms } = require('./system-packages.cjs')
const { isOnPostgres, formatSummary, readArguments } = require('./test-parts.cjs')
const { mergeReports, readReport } = require('./test-report.cjs')

/** Whether a part can run. Tests on PostgreSQL use the server at TEST_DATABASE_URL or start one. */
function canRun(part) {
  return !isOnPostgres(part) || Boolean(process.env.TEST_DATABASE_URL) || findPostgres() !== null
}

async function runParts(parts, { node, folder, vitestArguments }) {
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const runs = []
  let isInterrupted = false
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      isInterrupted = true
    })
  }
  for (const part of parts) {
    if (isInterrupted) break
    if (!canRun(part)) {
      runs.push({ part, exitCode: 0, skippedSuites: null })
      continue
    }
    const file = path.join(folder, `${part}.json`)
    const exitCode = await runProgram(node, vitest, ['run', ...vitestArguments], { TIER: part, TEST_REPORT: file })
    runs.push({ part, name: `TIER=${part}`, file, exitCode, skippedSuites: readReport(file, root).skippedSuites })
  }
  return runs
}

runCommand(async () => {
  const { parts, vitestArguments, problem } = readArguments(process.argv.slice(2))
  if (problem !== null) {
    console.error(problem)
    process.exitCode = 1
    return
  }
  const node = await prepare('development', ['dashboard', 'server'])
  const missing = await installMissing()
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-tests-'))
  try {
    const runs = await runParts(parts, { node, folder, vitestArguments })
    if (process.env.TEST_REPORT) {
      const reported = runs.filter(({ skippedSuites }) => skippedSuites !== null)
      mergeReports(reported, process.env.TEST_REPORT)
    }
    const { lines, isComplete } = formatSummary({ runs, missing })
    for (const line of lines) console.log(line)
    process.exitCode = runs.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? 0
    if (!isComplete && requiresAllPrograms()) {
      console.log('No test can be skipped with CI=true on Debian as root, since missing system packages are installed.')
      process.exitCode = process.exitCode || 1
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
