'use strict'

const fs = require('node:fs')
const path = require('node:path')

/**
 * Counts in a JSON report of vitest. A file that could not be loaded counts as one failure, since its tests are unknown;
 * so does a report that is missing or unreadable. `failures` names each failed test; `skippedSuites` names file and outermost
 * title of what was skipped.
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
 * Writes the reports of several runs as one, to be counted together. `runs` are `{ name, file, exitCode }`; one without a
 * report, or that failed without a failed test, counts as one failure.
 */
function mergeReports(runs, target) {
  const testResults = runs.flatMap(({ name, file, exitCode }) => {
    const results = readResults(file)
    const isExplained = results !== null && (exitCode === 0 || results.some(({ status }) => status === 'failed'))
    return isExplained ? results : [...(results ?? []), { name, status: 'failed', assertionResults: [] }]
  })
  fs.writeFileSync(target, JSON.stringify({ testResults }))
}

/** What a report tells of each file; null when it is missing or unreadable. */
function readResults(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).testResults
  } catch {
    return null
  }
}

module.exports = { mergeReports, readReport }
