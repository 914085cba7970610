'use strict'

/**
 * Prints the failed tests of several tiers and the final line `N passed, N failed`. Arguments are triples of tier name, report
 * and exit code. A run that failed without a failed test counts as one failure.
 */

const { root } = require('./bootstrap.cjs')
const { readReport } = require('./test-report.cjs')

const tiers = process.argv.slice(2)
let passed = 0
let failed = 0
for (let index = 0; index < tiers.length; index += 3) {
  const [name, file, exitCode] = tiers.slice(index, index + 3)
  const counts = readReport(file, root)
  if (exitCode !== '0' && counts.failed === 0) {
    console.log(`${name}: ended with exit code ${exitCode} although no test failed`)
    counts.failed = 1
  }
  for (const failure of counts.failures) console.log(`failed in ${name}: ${failure}`)
  passed += counts.passed
  failed += counts.failed
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
