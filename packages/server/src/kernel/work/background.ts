import type { Clock } from '@parley/engine/ports'

/** The only way to start work that nobody awaits: its failure is logged and a stop can wait for it. */
export interface Background {
  /** Starts `work` now. A rejection or a throw is logged under `name` and goes no further. */
  run(name: string, work: () => Promise<unknown>): void
  /** Waits until nothing runs, at most `deadlineMs`; returns the names of what still runs then. */
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

  // Work may start further work while it ends, so one round of waiting is not enough.
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

/** What features may log: an event in words and values that hold no personal data, prompt text or secret. */
export interface Logger {
  info(values: Record<string, unknown>, event: string): void
  warn(values: Record<string, unknown>, event: string): void
  error(values: Record<string, unknown>, event: string): void
}
