import type { Duplex } from 'node:stream'
import type { Connection, Submittable } from 'pg'

/** What of the connection a batch uses: the messages of the extended protocol. */
interface WireConnection {
  readonly stream: Pick<Duplex, 'cork' | 'uncork'>
  /** Names that this connection has parsed, with their texts. */
  readonly parsedStatements: Record<string, string>
  parse(message: { readonly name: string; readonly text: string }): void
  bind(message: {
    readonly statement: string
    readonly values: readonly unknown[]
    readonly valueMapper: (value: unknown) => unknown
  }): void
  execute(message: Record<string, never>): void
  sync(): void
}

/** A statement as it goes over the wire. */
export interface WireStatement {
  readonly name: string
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Several statements in one round trip and one transaction: what stands between two `Sync` messages is committed as a whole,
 * or not at all (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). Resolves when it is.
 */
export class BatchQuery implements Submittable {
  readonly #statements: readonly WireStatement[]
  readonly #done = Promise.withResolvers<void>()
  #finished = 0
  #isRefused = false
  /** Set by the driver, which watches the time with it. */
  callback: ((error: unknown) => void) | null = null

  constructor(statements: readonly WireStatement[]) {
    this.#statements = statements
    this.#done.promise.catch(() => undefined)
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  /** Index of the statement that was refused, once `done` has rejected. */
  get failedAt(): number {
    return this.#finished
  }

  submit(connection: Connection): void {
    // The declared type leaves out what a query of one's own is made of.
    const wire = connection as unknown as WireConnection
    wire.stream.cork()
    // Named texts first: whatever statement is refused then, the server knows all of them.
    for (const { name, text } of this.#statements) {
      if (name === '' || wire.parsedStatements[name] !== undefined) continue
      wire.parse({ name, text })
      wire.parsedStatements[name] = text
    }
    for (const { name, text, values } of this.#statements) {
      if (name === '') wire.parse({ name, text })
      wire.bind({ statement: name, values, valueMapper: toWire })
      wire.execute({})
    }
    wire.sync()
    wire.stream.uncork()
  }

  handleCommandComplete(): void {
    this.#finished += 1
  }

  handleError(error: unknown): void {
    if (this.#isRefused) return
    this.#isRefused = true
    // Rejects before the connection is ready again, which is told to nobody: the next query waits for it by itself.
    this.#done.reject(error)
    this.callback?.(error)
  }

  handleReadyForQuery(): void {
    this.#done.resolve()
    this.callback?.(null)
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
}

/**
 * Calls the function that refuses to go on when another number of rows was changed than expected. That number and the place in
 * the batch are two more parameters, so that a statement is the same text wherever it stands.
 */
export function expecting(text: string, parameters: number): string {
  const expected = `$${parameters + 1}, $${parameters + 2}`
  return `with changed as (${text} returning 1) select parley_expect(count(*), ${expected}) from changed`
}

function toWire(value: unknown): string | Uint8Array | null {
  if (value === null || value === undefined) return null
  return value instanceof Uint8Array ? value : String(value)
}
