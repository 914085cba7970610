'use strict'

/** The parts of the slow tier: which of them a command runs, and what is said of them in the end. Decides, does nothing. */

/** Each is a run of vitest with `TIER` set to its name. */
const PARTS = ['full', 'postgres']

const POSTGRES_SUITE = 'feature suite on PostgreSQL'

/**
 * Which parts `arguments` ask for, and what is for vitest: `--only postgres` runs that part alone. `problem` is a sentence
 * when there is no such part, else null. Filters that fit the files of one part must not fail the other.
 */
function readArguments(commandArguments) {
  const index = commandArguments.findIndex((argument) => argument === '--only' || argument.startsWith('--only='))
  if (index === -1) {
    const forVitest = commandArguments.length > 0 ? ['--passWithNoTests', ...commandArguments] : []
    return { parts: PARTS, forVitest, problem: null }
  }
  const isJoined = commandArguments[index].startsWith('--only=')
  const name = isJoined ? commandArguments[index].slice('--only='.length) : (commandArguments[index + 1] ?? '')
  const forVitest = commandArguments.toSpliced(index, isJoined ? 1 : 2)
  if (PARTS.includes(name)) return { parts: [name], forVitest, problem: null }
  return { parts: [], forVitest, problem: `There is no part "${name}". There are: ${PARTS.join(', ')}.` }
}

/**
 * The last lines: what was skipped and why. `runs` are `{ part, skippedSuites }`, with `skippedSuites` null for a part that
 * did not run; `missing` are the programs that the machine lacks. `isComplete` is false when something was skipped that
 * the machine could have run. What a suite leaves out on PostgreSQL is about another database: named, but not missing.
 */
function summaryLines({ runs, missing }) {
  const lines = runs.flatMap(({ part, skippedSuites }) => {
    if (skippedSuites === null) return [`skipped: ${POSTGRES_SUITE}`]
    const where = part === 'postgres' ? 'skipped on PostgreSQL' : 'skipped'
    return skippedSuites.map(({ suite, tests }) => `${where}: ${suite} (${tests} ${tests === 1 ? 'test' : 'tests'})`)
  })
  const reasons = lines.length === 0 ? [] : missing
  const isComplete = runs.every(({ part, skippedSuites }) => {
    return skippedSuites !== null && (part === 'postgres' || skippedSuites.length === 0)
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

module.exports = { summaryLines, readArguments }
