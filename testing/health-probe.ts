import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const PROGRAM = fileURLToPath(new URL('./health-probe-process.ts', import.meta.url))

/** Measurements of a server between two reports, in milliseconds. */
export interface ProbeReport {
  readonly count: number
  readonly p50Ms: number
  readonly maxMs: number
}

/** Polls the health of a server from a separate process every 20 ms. */
export class HealthProbe implements AsyncDisposable {
  readonly #child: ChildProcess

  private constructor(child: ChildProcess) {
    this.#child = child
  }

  static async start(serverUrl: string): Promise<HealthProbe> {
    const probe = new HealthProbe(fork(PROGRAM, [`${serverUrl}/healthz`], { execArgv: [] }))
    await probe.report()
    return probe
  }

  /** Returns the response times since the last report. Waits for the pending request. */
  async report(): Promise<ProbeReport> {
    const answered = once(this.#child, 'message')
    this.#child.send('report')
    const [report] = (await answered) as [ProbeReport]
    return report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, 'exit')
    this.#child.disconnect()
    await exited
  }
}
