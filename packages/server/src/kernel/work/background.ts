import type { Clock } from '@parley/engine/ports'

/** Starts work that nobody awaits: failures are logged and a shutdown can wait for it. */
export interface Background {
  /** Starts `work` now. Logs a rejection or a throw under `name`. */
  run(name: string, work: () => Promise<unknown>): void
  /** Waits until nothing runs, at most `deadlineMs`; returns the names of running work. */
  drain(deadlineMs: number): Promise<readonly string[]>
}

export interface BackgroundOptions {
  readonly clock: Clock
  readonly logError: (name: string, error: unknown) => void
}

export function createBackground({ clock, logError }: BackgroundOptions): Background {
  const running = new Map<Promise<void>, string>()

  const guard = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      logError(name, error)
    }
  }

  // Work may start more work while it ends.
  const settle = async (): Promise<void> => {
    while (running.size > 0) await Promise.all(running.keys())
  }

  return {
    run(name, work) {
      const task: Promise<void> = guard(name, work).finally(() => running.delete(task))
      running.set(task, name)
    },
    async drain(deadlineMs) {
      const deadline = Promise.withResolvers<void>()
      const cancel = clock.after(deadlineMs, deadline.resolve)
      await Promise.race([settle(), deadline.promise])
      cancel()
      return [...running.values()]
    },
  }
}

/** Log entries must not contain personal data, prompt text or secrets. */
export interface Logger {
  info(values: Record<string, unknown>, event: string): void
  warn(values: Record<string, unknown>, event: string): void
  error(values: Record<string, unknown>, event: string): void
}
