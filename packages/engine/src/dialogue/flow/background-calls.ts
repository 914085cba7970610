import type { DialogueEvent } from '../conversation.ts'
import type { ToolCallPlan } from '../tools/plan-tool-call.ts'
import { runTools, type SettledCall } from '../tools/run-tools.ts'
import { settleCall } from '../tools/settle-call.ts'
import type { Turn } from '../turn.ts'

interface Running {
  readonly outcome: Promise<IteratorResult<SettledCall>>
  settled: IteratorResult<SettledCall> | null
}

/** Calls of tools that a turn goes on without, until they are done or the turn is about to end. */
export class BackgroundCalls {
  readonly #turn: Turn
  readonly #stop = new AbortController()
  #running: readonly Running[] = []

  constructor(turn: Turn) {
    this.#turn = turn
  }

  get isEmpty(): boolean {
    return this.#running.length === 0
  }

  /** Runs a call and does not wait for it. */
  start(plan: ToolCallPlan): void {
    const environment = this.#turn.toolEnvironment
    const signal = AbortSignal.any([environment.signal, this.#stop.signal])
    const outcome = runTools([plan], { ...environment, signal }).next()
    const running: Running = { outcome, settled: null }
    const note = (settled: IteratorResult<SettledCall>): void => {
      running.settled = settled
    }
    // Tools do not reject; the call then simply has no result.
    outcome.then(note, () => note({ done: true, value: undefined }))
    this.#running = [...this.#running, running]
  }

  /** Tells of the calls that are done by now. */
  async *tellDone(): AsyncGenerator<DialogueEvent> {
    const done = this.#running.filter(({ settled }) => settled !== null)
    this.#running = this.#running.filter(({ settled }) => settled === null)
    for (const { settled } of done) if (settled?.done === false) yield* settleCall(this.#turn, settled.value)
  }

  /** Waits for all calls and tells of them, in the order in which they began. */
  async *tellAll(): AsyncGenerator<DialogueEvent> {
    for (const { outcome } of this.#running) {
      const settled = await outcome
      if (settled.done !== true) yield* settleCall(this.#turn, settled.value)
    }
    this.#running = []
  }

  /** Cancels what still runs. */
  stop(): void {
    this.#stop.abort()
  }
}
