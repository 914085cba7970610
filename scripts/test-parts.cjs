'use strict'

/** Parses the arguments of the slow tiers and formats the summary of skipped tests. */

/** Each is a run of vitest with `TIER` set to its name. */
const PARTS = ['full', 'postgres']
const ALL_PARTS = ['full', 'acceptance', 'postgres-all']

const POSTGRES_SUITE = 'tests on PostgreSQL'

const isOnPostgres = (part) => part.startsWith('postgres')

/**
 * The requested parts and the arguments for vitest: `--all` selects every part, `--only postgres` one. `problem` is a sentence for
 * an unknown part, otherwise null. Filters that match files of one part do not fail another part.
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
 * The last lines: skipped tests and the reasons. `runs` are `{ part, skippedSuites }`, with null for a part that did not run;
 * `missing` are the missing programs. `isComplete` is false when a test was skipped for want of a program. Tests of other databases
 * that are skipped on PostgreSQL are listed, but not missing.
 */
function summaryLines({ runs, missing }) {
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

module.exports = { isOnPostgres, summaryLines, readArguments }
