import type { CodeOutcome, JsonObject } from '@parley/engine/ports'
import { systemClock } from '../../platform/system.ts'
import { type CodeRunnerOptions, type CodeRunners, createCodeRunner } from './code-runner.ts'

export interface TestRun {
  readonly workspaceId?: number
  readonly variables?: Readonly<Record<string, string>>
  readonly metadata?: JsonObject
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface TestRunner extends AsyncDisposable {
  readonly codeRunners: CodeRunners
  /** Runs code in workspace 1 without arguments. The default timeout allows for a busy machine. */
  run(code: string, run?: TestRun): Promise<CodeOutcome>
  /** Runs code and returns the outcome without its duration. */
  getOutcome(code: string, run?: TestRun): Promise<Omit<CodeOutcome, 'durationMs'>>
  /** Runs code and returns the resulting text. Fails the test if the code fails. */
  getResult(code: string, run?: TestRun): Promise<string>
}

/** Opens a runner with real threads, in real time by default. */
export function openCodeRunner(options: Partial<CodeRunnerOptions> = {}): TestRunner {
  const codeRunners = createCodeRunner({ clock: systemClock, ...options })
  const run: TestRunner['run'] = (code, { workspaceId = 1, ...runOptions } = {}) =>
    codeRunners.forWorkspace(workspaceId).run({
      code,
      variables: {},
      metadata: {},
      timeoutMs: 15_000,
      signal: new AbortController().signal,
      ...runOptions,
    })
  return {
    codeRunners,
    run,
    async getOutcome(code, runOptions) {
      const { durationMs: _durationMs, ...outcome } = await run(code, runOptions)
      return outcome
    },
    async getResult(code, runOptions) {
      const outcome = await run(code, runOptions)
      if (!outcome.ok) throw new Error(`${outcome.reason}: ${outcome.message}`)
      return outcome.resultText
    },
    [Symbol.asyncDispose]: () => codeRunners.close(),
  }
}
