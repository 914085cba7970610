'use strict'

/** The parts of the slow tiers: which of them a command runs, and the summary of what was skipped. Decides, does nothing. */

/** Each is a run of vitest with `TIER` set to its name. */
const PARTS = ['full', 'postgres']
const ALL_PARTS = ['full', 'acceptance', 'postgres-all']

const POSTGRES_SUITE = 'tests on PostgreSQL'

const isOnPostgres = (part) => part.startsWith('postgres')

/**
 * Which parts `arguments` ask for, and what is for vitest: `--all` runs every test that there is, `--only postgres` runs that part
 * alone. `problem` is a sentence when there is no such part, else null. Filters that match the files of one part must not fail
 * another.
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
 * The last lines: what was skipped and why. `runs` are `{ part, skippedSuites }`, with `skippedSuites` null for a part that
 * did not run; `missing` are the programs that the machine lacks. `isComplete` is false when something was skipped that
 * the machine could have run. What a suite leaves out on PostgreSQL is about another database: named, but not missing.
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
