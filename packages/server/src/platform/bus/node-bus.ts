import type { Bus } from '../../kernel/work/bus.ts'

/** A bus as whoever starts and stops the process sees it. */
export interface NodeBus extends Bus {
  /** Null while other nodes can be reached; else a sentence for operators, without addresses or secrets. */
  status(): string | null
  /** Sends what waits, for a moment at most, and lets go of its connections. Local handlers go on hearing. */
  close(): Promise<void>
}
