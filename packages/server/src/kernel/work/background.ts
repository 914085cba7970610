import type { Clock } from '@parley/engine/ports'

/** Runs work in the background. Failures are logged, and a shutdown can wait for the work. */
export interface Background {
  /** Starts `work` immediately. Logs a rejection or a thrown error under `name`. */
  run(name: string, work: () => Promise<unknown>): void
  /** Waits until no work is running, at most `deadlineMs`. Returns the names of the work still running. */
  drain(deadlineMs: number): Promise<readonly string[]>
}

export interface BackgroundOptions {
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
}

export function createBackground({ clock, logError }: BackgroundOptions): Background {
  const runningTasks = new Map<Promise<void>, string>()

  const runSafely = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logError(name, error)
    }
  }

  // Finishing work can start more work.
  const waitForTasks = async (): Promise<void> => {
    while (runningTasks.size > 0) await Promise.all(runningTasks.keys())
  }

  return {
    run(name, work) {
      const task: Promise<void> = runSafely(name, work).finally(() => runningTasks.delete(task))
      runningTasks.set(task, name)
    },
    async drain(deadlineMs) {
      const deadline = Promise.withResolvers<void>()
      const cancel = clock.after(deadlineMs, deadline.resolve)
      await Promise.race([waitForTasks(), deadline.promise])
      cancel()
      return [...runningTasks.values()]
    },
  }
}

/** Log entries must not contain personal data, prompt text or secrets. */
export interface Logger {
  info(values: Record<string, unknown>, event: string): void
  warn(values: Record<string, unknown>, event: string): void
  error(values: Record<string, unknown>, event: string): void
}
