import { findProblems, randomCall } from '@parley/engine/voice/turn-machine/random-call-test-kit'
import fc from 'fast-check'
import { test } from 'vitest'

/** Set `SCHEDULES` and `SEED` to repeat a run. */
const SCHEDULES = Number(process.env.SCHEDULES ?? 100_000)
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

test(`${SCHEDULES} random calls follow the turn rules (SEED=${seed})`, { timeout: 600_000 }, () => {
  fc.assert(
    fc.property(randomCall, (call) => {
      const problems = findProblems(call)
      if (problems.length > 0) throw new Error(problems.slice(0, 3).join('\n'))
    }),
    { numRuns: SCHEDULES, seed },
  )
})
