import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { MUTATIONS } from './all-mutations.ts'
import { judgeMutation, type MutationEnvironment, type Stage } from './judge-mutation.ts'
import { AREAS, applyChange, type Mutation, selectChange } from './mutation.ts'
import type { TestResult } from './run-tests.ts'

const ROOT = path.join(import.meta.dirname, '../..')

test.for(MUTATIONS)('$id can be planted in this checkout', (mutation) => {
  const change = selectChange(mutation, 'after')
  const text = readFileSync(path.join(ROOT, change.file), 'utf8')
  expect(applyChange(text, change)).not.toBe(text)
})

test('every area has at least six faults with unique names', () => {
  expect(new Set(MUTATIONS.map(({ id }) => id)).size).toBe(MUTATIONS.length)
  for (const area of AREAS)
    expect(MUTATIONS.filter((mutation) => mutation.area === area).length).toBeGreaterThanOrEqual(6)
})

test('a text is replaced only where it occurs exactly once', () => {
  const change = { file: 'a.ts', find: 'b', replace: '' }
  expect(applyChange('abc', change)).toBe('ac')
  expect(() => applyChange('ac', change)).toThrow('does not contain')
  expect(() => applyChange('abcb', change)).toThrow('more than once')
})

describe('the verdict', () => {
  const mutation: Mutation = {
    id: 'one',
    area: 'flow',
    behavior: '',
    before: { file: 'a.ts', find: 'a', replace: 'b' },
  }
  const passed: TestResult = { type: 'passed', files: ['a.test.ts'] }
  const failed: TestResult = { type: 'failed', file: 'a.test.ts', test: 'a', files: [] }

  /** Creates an environment in which tests return one result with the fault and another without it. */
  function createEnvironment(withFault: TestResult, clean: TestResult, again = withFault) {
    let isApplied = false
    const runs: string[] = []
    const getResult = (): TestResult => (isApplied ? withFault : clean)
    const stage: Stage = {
      run: async (seen) => {
        runs.push(seen.join())
        return runs.length > 1 && isApplied && withFault.type !== 'passed' ? again : getResult()
      },
      runFile: async () => (isApplied ? again : clean),
    }
    const applyFault = (): (() => void) => {
      isApplied = true
      return () => {
        isApplied = false
      }
    }
    const environment: MutationEnvironment = { applyChange: applyFault, getStages: () => [stage, stage] }
    return { environment, runs, isApplied: () => isApplied }
  }

  test.for([
    ['missed', createEnvironment(passed, passed)],
    ['caught', createEnvironment(failed, passed)],
    ['hung', createEnvironment({ type: 'hung' }, passed)],
    ['flaky', createEnvironment(failed, passed, passed)],
    ['error', createEnvironment(failed, failed)],
    ['error', createEnvironment({ type: 'broken', output: '' }, passed)],
  ] as const)('is "%s"', async ([outcome, { environment, isApplied }]) => {
    expect((await judgeMutation(environment, mutation, 'before')).outcome).toBe(outcome)
    expect(isApplied()).toBe(false)
  })

  test('comes after all stages, and no stage repeats passed tests', async () => {
    const { environment, runs } = createEnvironment(passed, passed)
    await judgeMutation(environment, mutation, 'before')
    expect(runs).toEqual(['', 'a.test.ts'])
  })
})
