'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * Counts in a JSON report of vitest. A file that could not be loaded counts as one failure, since its tests are unknown;
 * so does a report that is missing or unreadable. `skippedSuites` names file and outermost title of what was skipped.
 */
function readReport(file, root) {
  let report
  try {
    report = JSON.parse(fs.readFileSync(file, 'utf8'))
  } catch {
    return { passed: 0, failed: 1, skippedSuites: [] }
  }
  const counts = { passed: 0, failed: 0 }
  const skipped = new Map()
  for (const { name, status, assertionResults } of report.testResults) {
    let failedInFile = 0
    for (const result of assertionResults) {
      if (result.status === 'passed') counts.passed += 1
      else if (result.status === 'failed') failedInFile += 1
      else {
        const suite = `${path.relative(root, name)} > ${result.ancestorTitles.find(Boolean) ?? result.title}`
        skipped.set(suite, (skipped.get(suite) ?? 0) + 1)
      }
    }
    counts.failed += status === 'failed' ? Math.max(failedInFile, 1) : failedInFile
  }
  return { ...counts, skippedSuites: [...skipped].map(([suite, tests]) => ({ suite, tests })) }
}

module.exports = { readReport }
