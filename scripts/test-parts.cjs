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
  const given = commandArguments.filter((argument) => argument !== '--all')
  const index = given.findIndex((argument) => argument === '--only' || argument.startsWith('--only='))
  if (index === -1) {
    const forVitest = given.length > 0 ? ['--passWithNoTests', ...given] : []
    return { parts: wantsAll ? ALL_PARTS : PARTS, forVitest, problem: null }
  }
  const isJoined = given[index].startsWith('--only=')
  const name = isJoined ? given[index].slice('--only='.length) : (given[index + 1] ?? '')
  const forVitest = given.toSpliced(index, isJoined ? 1 : 2)
  const known = [...new Set([...PARTS, ...ALL_PARTS])]
  if (known.includes(name)) return { parts: [name], forVitest, problem: null }
  return { parts: [], forVitest, problem: `There is no part "${name}". There are: ${known.join(', ')}.` }
}

/**
 * Returns the final lines: skipped tests and the reasons. `runs` are `{ part, skippedSuites }`, with null for a part that did
 * not run; `missing` are the missing programs. `isComplete` is false if a test was skipped because of a missing program. Tests
 * of other databases that are skipped on PostgreSQL are listed but do not count as missing.
 */
function formatSummary({ runs, missing }) {
  const lines = runs.flatMap(({ part, skippedSuites }) => {
    if (skippedSuites === null) return [`skipped: ${POSTGRES_SUITE}`]
    const where = isOnPostgres(part) ? 'skipped on PostgreSQL' : 'skipped'
    return skippedSuites.map(({ suite, tests }) => `${where}: ${suite} (${tests} ${tests === 1 ? 'test' : 'tests'})`)
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
