'use strict'

/** `npm run test:full`: the slow tier. What had to be skipped is named in the last lines. */

const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { prepare, root, runCommand, runProgram } = require('./bootstrap.cjs')
const { readReport } = require('./test-report.cjs')

/** Where system packages can be installed nothing may be skipped. */
function isEverythingExpected() {
  return process.env.CI === 'true' && fs.existsSync('/etc/debian_version') && process.getuid?.() === 0
}

runCommand(async () => {
  const node = await prepare('development')
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parley-tests-'))
  try {
    const report = process.env.TEST_REPORT || path.join(folder, 'full.json')
    const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const extra = { TIER: 'full', TEST_REPORT: report }
    process.exitCode = await runProgram(node, vitest, ['run', ...process.argv.slice(2)], extra)
    const { skippedSuites } = readReport(report, root)
    for (const { suite, tests } of skippedSuites)
      console.log(`skipped: ${suite} (${tests} ${tests === 1 ? 'test' : 'tests'})`)
    if (skippedSuites.length > 0 && isEverythingExpected()) {
      console.log('Nothing may be skipped here: with CI=true on Debian as root the system packages are installed.')
      process.exitCode = process.exitCode || 1
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
})
