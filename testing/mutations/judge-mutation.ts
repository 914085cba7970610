import { type Change, type Mutation, selectChange, type Variant } from './mutation.ts'
import type { TestResult } from './run-tests.ts'

/** Result of judging a mutation. `hung`: a test run did not end in time, which counts as caught. */
export type Outcome = 'caught' | 'hung' | 'missed' | 'flaky' | 'error'

/** Result of one planted fault. */
export interface Verdict {
  readonly outcome: Outcome
  /** First failing test and its file, or `null` if no test failed. */
  readonly test: string | null
  readonly file: string | null
  readonly note?: string
}

/** A group of tests that run together. */
export interface Stage {
  /** Runs the stage without the files that have already passed. */
  run(seen: readonly string[]): Promise<TestResult>
  runFile(file: string): Promise<TestResult>
}

/** Dependencies of `judgeMutation` on the checkout. */
export interface MutationEnvironment {
  /** Changes a file. Returns a function that restores it. */
  applyChange(change: Change): () => void
  /** Returns the tests to run for a fault, nearest first. */
  getStages(mutation: Mutation, change: Change): readonly Stage[]
}

/** Plants a fault, runs tests until one fails twice, and restores the file. Failing tests must pass on the restored file. */
export async function judgeMutation(
  environment: MutationEnvironment,
  mutation: Mutation,
  variant: Variant,
): Promise<Verdict> {
  const change = selectChange(mutation, variant)
  const undo = environment.applyChange(change)
  let failure: Failure | null
  try {
    failure = await findFailure(environment.getStages(mutation, change))
  } finally {
    undo()
  }
  if (failure === null) return { outcome: 'missed', test: null, file: null }
  const { result, stage } = failure
  if (result.type === 'broken') return { outcome: 'error', test: null, file: null, note: result.output }
  const [test, file] = result.type === 'failed' ? [result.test, result.file] : [null, null]
  if (!failure.isRepeated) return { outcome: 'flaky', test, file, note: 'The test did not fail again with the fault.' }
  const cleanResult = file === null ? await stage.run([]) : await stage.runFile(file)
  if (cleanResult.type !== 'passed')
    return { outcome: 'error', test, file, note: 'The test also fails without the fault.' }
  return { outcome: result.type === 'hung' ? 'hung' : 'caught', test, file }
}

interface Failure {
  readonly result: Exclude<TestResult, { type: 'passed' }>
  readonly stage: Stage
  readonly isRepeated: boolean
}

async function findFailure(stages: readonly Stage[]): Promise<Failure | null> {
  const passedFiles: string[] = []
  for (const stage of stages) {
    const result = await stage.run(passedFiles)
    if (result.type === 'passed') {
      passedFiles.push(...result.files)
      continue
    }
    if (result.type !== 'failed') return { result, stage, isRepeated: true }
    const { file } = result
    const repeatedResult = file === null ? null : await stage.runFile(file)
    // Some tests fail only after other tests of the same stage.
    const isRepeated =
      (repeatedResult !== null && repeatedResult.type !== 'passed') || (await stage.run(passedFiles)).type !== 'passed'
    return { result, stage, isRepeated }
  }
  return null
}
