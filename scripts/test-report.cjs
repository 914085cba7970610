'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * Counts the tests in a vitest JSON report. A file that failed to load counts as one failure, and so does a missing or
 * unreadable report. `failures` lists failed tests; `skippedSuites` lists the file and outermost title of skipped tests.
 */
function readReport(file, root) {
  const results = readResults(file)
  if (results === null) return { passed: 0, failed: 1, failures: ['no readable report'], skippedSuites: [] }
  const counts = { passed: 0, failed: 0 }
  const failures = []
  const skipped = new Map()
  for (const { name, status, assertionResults } of results) {
    let failedInFile = 0
    for (const result of assertionResults) {
      if (result.status === 'passed') counts.passed += 1
      else if (result.status === 'failed') {
        failedInFile += 1
        failures.push(`${path.relative(root, name)} > ${[...result.ancestorTitles, result.title].join(' > ')}`)
      } else {
        const suite = `${path.relative(root, name)} > ${result.ancestorTitles.find(Boolean) ?? result.title}`
        skipped.set(suite, (skipped.get(suite) ?? 0) + 1)
      }
    }
    if (status === 'failed' && failedInFile === 0) failures.push(`${path.relative(root, name)} (could not be loaded)`)
    counts.failed += status === 'failed' ? Math.max(failedInFile, 1) : failedInFile
  }
  return { ...counts, failures, skippedSuites: [...skipped].map(([suite, tests]) => ({ suite, tests })) }
}

/**
 * Merges the reports of several runs. `runs` are `{ name, file, exitCode }`. A run without a report, or a failed run without a
 * failed test, counts as one failure.
 */
function mergeReports(runs, target) {
  const testResults = runs.flatMap(({ name, file, exitCode }) => {
    const results = readResults(file)
    const isExplained = results !== null && (exitCode === 0 || results.some(({ status }) => status === 'failed'))
    return isExplained ? results : [...(results ?? []), { name, status: 'failed', assertionResults: [] }]
  })
  fs.writeFileSync(target, JSON.stringify({ testResults }))
}

/** Returns the results of each file in a report, or null if the report is missing or unreadable. */
function readResults(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).testResults
  } catch {
    return null
  }
}

module.exports = { mergeReports, readReport }
