import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { MUTATIONS } from './all-mutations.ts'
import { judgeMutation, type Stage, type Workshop } from './judge-mutation.ts'
import { AREAS, changeOf, type Mutation, plant } from './mutation.ts'
import type { TestResult } from './run-tests.ts'

const ROOT = path.join(import.meta.dirname, '../..')

test.for(MUTATIONS)('$id can be planted in this checkout', (mutation) => {
  const change = changeOf(mutation, 'after')
  const text = readFileSync(path.join(ROOT, change.file), 'utf8')
  expect(plant(text, change)).not.toBe(text)
})

test('every area has at least six faults, each with a name of its own', () => {
  expect(new Set(MUTATIONS.map(({ id }) => id)).size).toBe(MUTATIONS.length)
  for (const area of AREAS) expect(MUTATIONS.filter((one) => one.area === area).length).toBeGreaterThanOrEqual(6)
})

test('a text is replaced only where it occurs exactly once', () => {
  const change = { file: 'a.ts', find: 'b', replace: '' }
  expect(plant('abc', change)).toBe('ac')
  expect(() => plant('ac', change)).toThrow('does not contain')
  expect(() => plant('abcb', change)).toThrow('more than once')
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

  /** Tests that give one result with the fault and another without it. */
  function workshop(withFault: TestResult, clean: TestResult, again = withFault) {
    let isPlanted = false
    const runs: string[] = []
    const result = (): TestResult => (isPlanted ? withFault : clean)
    const stage: Stage = {
      run: async (seen) => {
        runs.push(seen.join())
        return runs.length > 1 && isPlanted && withFault.type !== 'passed' ? again : result()
      },
      runFile: async () => (isPlanted ? again : clean),
    }
    const plantFault = (): (() => void) => {
      isPlanted = true
      return () => {
        isPlanted = false
      }
    }
    const made: Workshop = { plant: plantFault, stagesFor: () => [stage, stage] }
    return { made, runs, isPlanted: () => isPlanted }
  }

  test.for([
    ['missed', workshop(passed, passed)],
    ['caught', workshop(failed, passed)],
    ['hung', workshop({ type: 'hung' }, passed)],
    ['flaky', workshop(failed, passed, passed)],
    ['error', workshop(failed, failed)],
    ['error', workshop({ type: 'broken', output: '' }, passed)],
  ] as const)('is "%s"', async ([outcome, { made, isPlanted }]) => {
    expect((await judgeMutation(made, mutation, 'before')).outcome).toBe(outcome)
    expect(isPlanted()).toBe(false)
  })

  test('comes after all stages, of which none repeats what passed before', async () => {
    const { made, runs } = workshop(passed, passed)
    await judgeMutation(made, mutation, 'before')
    expect(runs).toEqual(['', 'a.test.ts'])
  })
})
