import type { DialogueEvent } from '../conversation.ts'
import type { ToolCallPlan } from '../tools/plan-tool-call.ts'
import { type FinishedCall, runTools, type ToolEnvironment } from '../tools/run-tools.ts'
import { recordFinishedCall } from '../tools/settle-call.ts'
import type { Turn } from '../turn.ts'

interface RunningCall {
  /** The finished call, or `null` if it was canceled before a result arrived. */
  readonly outcome: Promise<FinishedCall | null>
  readonly name: string
  isDone: boolean
}

/** Tool calls that run while the turn continues. */
export class BackgroundCalls {
  readonly #turn: Turn
  readonly #abortController = new AbortController()
  #runningCalls: readonly RunningCall[] = []

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Names of the running tools. */
  get names(): readonly string[] {
    return this.#runningCalls.map(({ name }) => name)
  }

  /** Starts a call without waiting for it. */
  start(plan: ToolCallPlan): void {
    const environment = this.#turn.toolEnvironment
    const signal = AbortSignal.any([environment.signal, this.#abortController.signal])
    const outcome = runCall(plan, { ...environment, signal })
    const runningCall: RunningCall = { outcome, name: plan.call.name, isDone: false }
    const markDone = (): void => {
      runningCall.isDone = true
    }
    runningCall.outcome.then(markDone, markDone)
    this.#runningCalls = [...this.#runningCalls, runningCall]
  }

  /** Emits the results of finished calls without waiting for others. */
  async *emitFinished(): AsyncGenerator<DialogueEvent> {
    const finishedCalls = this.#runningCalls.filter(({ isDone }) => isDone)
    this.#runningCalls = this.#runningCalls.filter(({ isDone }) => !isDone)
    for (const runningCall of finishedCalls) yield* this.#emitResult(runningCall)
  }

  /** Waits for all calls and emits their results in start order. */
  async *drain(): AsyncGenerator<DialogueEvent> {
    for (const runningCall of this.#runningCalls) yield* this.#emitResult(runningCall)
    this.#runningCalls = []
  }

  /** Cancels all running calls. */
  stop(): void {
    // Aborting creates an error with a stack trace, so skip it if nothing is running.
    if (this.#runningCalls.length > 0) this.#abortController.abort()
  }

  async *#emitResult({ outcome }: RunningCall): AsyncGenerator<DialogueEvent> {
    const finishedCall = await outcome
    if (finishedCall !== null) yield* recordFinishedCall(this.#turn, finishedCall)
  }
}

async function runCall(plan: ToolCallPlan, environment: ToolEnvironment): Promise<FinishedCall | null> {
  for await (const finishedCall of runTools([plan], environment)) return finishedCall
  return null
}
