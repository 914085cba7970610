import { type Change, changeOf, type Mutation, type Variant } from './mutation.ts'
import type { TestResult } from './run-tests.ts'

/** `hung`: a test run did not end in time, which counts as caught. */
export type Outcome = 'caught' | 'hung' | 'missed' | 'flaky' | 'error'

/** What became of one planted fault. */
export interface Verdict {
  readonly outcome: Outcome
  /** The first failing test and its file; `null` where no test is to blame. */
  readonly test: string | null
  readonly file: string | null
  readonly note?: string
}

/** A part of the tests. */
export interface Stage {
  /** Runs it without the files that passed before. */
  run(seen: readonly string[]): Promise<TestResult>
  runFile(file: string): Promise<TestResult>
}

/** What judging needs of the checkout. */
export interface MutationEnvironment {
  /** Changes a file; the returned function restores it. */
  applyChange(change: Change): () => void
  /** The tests to run for a fault, nearest first. */
  stagesFor(mutation: Mutation, change: Change): readonly Stage[]
}

/** Plants a fault, runs tests until one fails twice, and restores the file. What fails must pass on the restored file. */
export async function judgeMutation(
  environment: MutationEnvironment,
  mutation: Mutation,
  variant: Variant,
): Promise<Verdict> {
  const change = changeOf(mutation, variant)
  const undo = environment.applyChange(change)
  let found: Found | null
  try {
    found = await findFailure(environment.stagesFor(mutation, change))
  } finally {
    undo()
  }
  if (found === null) return { outcome: 'missed', test: null, file: null }
  const { result, stage } = found
  if (result.type === 'broken') return { outcome: 'error', test: null, file: null, note: result.output }
  const [test, file] = result.type === 'failed' ? [result.test, result.file] : [null, null]
  if (!found.isRepeated) return { outcome: 'flaky', test, file, note: 'It did not fail again with the fault.' }
  const clean = file === null ? await stage.run([]) : await stage.runFile(file)
  if (clean.type !== 'passed') return { outcome: 'error', test, file, note: 'It fails without the fault as well.' }
  return { outcome: result.type === 'hung' ? 'hung' : 'caught', test, file }
}

interface Found {
  readonly result: Exclude<TestResult, { type: 'passed' }>
  readonly stage: Stage
  readonly isRepeated: boolean
}

async function findFailure(stages: readonly Stage[]): Promise<Found | null> {
  const seen: string[] = []
  for (const stage of stages) {
    const result = await stage.run(seen)
    if (result.type === 'passed') {
      seen.push(...result.files)
      continue
    }
    if (result.type !== 'failed') return { result, stage, isRepeated: true }
    const { file } = result
    const again = file === null ? null : await stage.runFile(file)
    // A test may fail only behind others of its stage.
    const isRepeated = (again !== null && again.type !== 'passed') || (await stage.run(seen)).type !== 'passed'
    return { result, stage, isRepeated }
  }
  return null
}
