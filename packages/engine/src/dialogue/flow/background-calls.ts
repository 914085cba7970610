import type { DialogueEvent } from '../conversation.ts'
import type { ToolCallPlan } from '../tools/plan-tool-call.ts'
import { runTools, type SettledCall, type ToolEnvironment } from '../tools/run-tools.ts'
import { settleCall } from '../tools/settle-call.ts'
import type { Turn } from '../turn.ts'

interface Running {
  /** `null`: cancelled before its outcome was known. */
  readonly outcome: Promise<SettledCall | null>
  readonly name: string
  isDone: boolean
}

/** Calls of tools that a turn goes on without, until they are done or the turn is about to end. */
export class BackgroundCalls {
  readonly #turn: Turn
  readonly #stop = new AbortController()
  #running: readonly Running[] = []

  constructor(turn: Turn) {
    this.#turn = turn
  }

  /** Of the tools that still run. */
  get names(): readonly string[] {
    return this.#running.map(({ name }) => name)
  }

  /** Runs a call and does not wait for it. */
  start(plan: ToolCallPlan): void {
    const environment = this.#turn.toolEnvironment
    const signal = AbortSignal.any([environment.signal, this.#stop.signal])
    const outcome = runOne(plan, { ...environment, signal })
    const running: Running = { outcome, name: plan.call.name, isDone: false }
    const note = (): void => {
      running.isDone = true
    }
    running.outcome.then(note, note)
    this.#running = [...this.#running, running]
  }

  /** Tells of the calls that are done by now. */
  async *emitFinished(): AsyncGenerator<DialogueEvent> {
    const done = this.#running.filter(({ isDone }) => isDone)
    this.#running = this.#running.filter(({ isDone }) => !isDone)
    for (const running of done) yield* this.#emitResult(running)
  }

  /** Waits for all calls and tells of them, in the order in which they began. */
  async *drain(): AsyncGenerator<DialogueEvent> {
    for (const running of this.#running) yield* this.#emitResult(running)
    this.#running = []
  }

  /** Cancels what still runs. */
  stop(): void {
    // An abort makes an error with its stack, which turns without such calls need not pay for.
    if (this.#running.length > 0) this.#stop.abort()
  }

  async *#emitResult({ outcome }: Running): AsyncGenerator<DialogueEvent> {
    const settled = await outcome
    if (settled !== null) yield* settleCall(this.#turn, settled)
  }
}

async function runOne(plan: ToolCallPlan, environment: ToolEnvironment): Promise<SettledCall | null> {
  for await (const settled of runTools([plan], environment)) return settled
  return null
}
