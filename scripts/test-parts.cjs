'use strict'

/** Parses the arguments of the slow tiers and formats the summary of skipped tests. */

/** Parts of the slow tier. Each part is a vitest run with `TIER` set to the name of the part. */
const PARTS = ['full', 'postgres']
const ALL_PARTS = ['full', 'acceptance', 'postgres-all']

const POSTGRES_SUITE = 'tests on PostgreSQL'

const isOnPostgres = (part) => part.startsWith('postgres')

/**
 * Returns the requested parts and the arguments for vitest: `--all` selects every part, and `--only postgres` selects one.
 * `problem` is a sentence about an unknown part, or null. Filters that match files of only one part do not fail the other
 * parts.
 */
function readArguments(commandArguments) {
  const wantsAll = commandArguments.includes('--all')
  const otherArguments = commandArguments.filter((argument) => argument !== '--all')
  const index = otherArguments.findIndex((argument) => argument === '--only' || argument.startsWith('--only='))
  if (index === -1) {
    const vitestArguments = otherArguments.length > 0 ? ['--passWithNoTests', ...otherArguments] : []
    return { parts: wantsAll ? ALL_PARTS : PARTS, vitestArguments, problem: null }
  }
  const isJoined = otherArguments[index].startsWith('--only=')
  const name = isJoined ? otherArguments[index].slice('--only='.length) : (otherArguments[index + 1] ?? '')
  const vitestArguments = otherArguments.toSpliced(index, isJoined ? 1 : 2)
  const partNames = [...new Set([...PARTS, ...ALL_PARTS])]
  if (partNames.includes(name)) return { parts: [name], vitestArguments, problem: null }
  return { parts: [], vitestArguments, problem: `Unknown part "${name}". Available: ${partNames.join(', ')}.` }
}

/**
 * Returns the final lines: skipped tests and the reasons. `runs` are `{ part, skippedSuites }`, with null for a part that did
 * not run; `missing` are the missing programs. `isComplete` is false if a test was skipped because of a missing program. Tests
 * of other databases that are skipped on PostgreSQL are listed but do not count as missing.
 */
function formatSummary({ runs, missing }) {
  const lines = runs.flatMap(({ part, skippedSuites }) => {
    if (skippedSuites === null) return [`skipped: ${POSTGRES_SUITE}`]
    const label = isOnPostgres(part) ? 'skipped on PostgreSQL' : 'skipped'
    return skippedSuites.map(({ suite, tests }) => `${label}: ${suite} (${tests} ${tests === 1 ? 'test' : 'tests'})`)
  })
  const reasons = lines.length === 0 ? [] : missing
  const isComplete = runs.every(({ part, skippedSuites }) => {
    return skippedSuites !== null && (isOnPostgres(part) || skippedSuites.length === 0)
  })
  return {
    lines: [
      ...lines,
      ...reasons.map(({ program, debianPackage }) => {
        return `not found: ${program} (Debian: apt-get install ${debianPackage})`
      }),
    ],
    isComplete,
  }
}

module.exports = { isOnPostgres, formatSummary, readArguments }
