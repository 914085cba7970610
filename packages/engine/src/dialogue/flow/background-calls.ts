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
  readonly #stop = new AbortController()
  #running: readonly RunningCall[] = []

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Names of the running tools. */
  get names(): readonly string[] {
    return this.#running.map(({ name }) => name)
  }

  /** Starts a call without waiting for it. */
  start(plan: ToolCallPlan): void {
    const environment = this.#turn.toolEnvironment
    const signal = AbortSignal.any([environment.signal, this.#stop.signal])
    const outcome = runCall(plan, { ...environment, signal })
    const running: RunningCall = { outcome, name: plan.call.name, isDone: false }
    const markDone = (): void => {
      running.isDone = true
    }
    running.outcome.then(markDone, markDone)
    this.#running = [...this.#running, running]
  }

  /** Emits the results of finished calls without waiting for others. */
  async *emitFinished(): AsyncGenerator<DialogueEvent> {
    const finishedCalls = this.#running.filter(({ isDone }) => isDone)
    this.#running = this.#running.filter(({ isDone }) => !isDone)
    for (const running of finishedCalls) yield* this.#emitResult(running)
  }

  /** Waits for all calls and emits their results in start order. */
  async *drain(): AsyncGenerator<DialogueEvent> {
    for (const running of this.#running) yield* this.#emitResult(running)
    this.#running = []
  }

  /** Cancels all running calls. */
  stop(): void {
    // Aborting creates an error with a stack trace, so skip it if nothing is running.
    if (this.#running.length > 0) this.#stop.abort()
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
