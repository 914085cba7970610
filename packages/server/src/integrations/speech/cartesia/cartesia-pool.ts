import type { SpeechSocketTarget } from '../vendor-socket.ts'
import { CartesiaConnection } from './cartesia-connection.ts'

/** An unreserved socket closes after this time without contexts. Cartesia closes idle sockets after 5 minutes. */
const IDLE_CLOSE_MS = 60_000

/** The sockets of one key. Opens them when needed, and keeps one open while it is reserved. */
export class CartesiaPool {
  readonly #target: SpeechSocketTarget
  /** Idle timeouts by connection, in the order of opening. */
  readonly #connections = new Map<CartesiaConnection, (() => void) | null>()
  readonly #startedAt: string
  #contextCount = 0
  #reservationCount = 0

  constructor(target: SpeechSocketTarget) {
    this.#target = target
    this.#startedAt = target.clock.now().toString(36)
  }

  /** Creates an ID that no other context of the sockets has. A context cannot be continued after its end. */
  createContextId(): string {
    this.#contextCount += 1
    return `${this.#startedAt}-${this.#contextCount}`
  }

  /** Returns a socket with capacity, which may still be opening. */
  getConnection(): CartesiaConnection {
    for (const connection of this.#connections.keys()) {
      if (!connection.hasCapacity) continue
      this.#cancelIdleTimeout(connection)
      return connection
    }
    return this.#open()
  }

  /** Opens a socket if there is none, and keeps it open until the returned function is called. */
  reserve(): () => void {
    this.#reservationCount += 1
    if (![...this.#connections.keys()].some(({ hasCapacity }) => hasCapacity)) this.#open()
    this.#updateIdleTimeouts()
    let isReserved = true
    return () => {
      if (!isReserved) return
      isReserved = false
      this.#reservationCount -= 1
      this.#updateIdleTimeouts()
    }
  }

  #open(): CartesiaConnection {
    const connection = new CartesiaConnection(this.#target, (changed) => {
      if (changed.isClosed) this.#remove(changed)
      this.#updateIdleTimeouts()
    })
    this.#connections.set(connection, null)
    return connection
  }

  #remove(connection: CartesiaConnection): void {
    this.#cancelIdleTimeout(connection)
    this.#connections.delete(connection)
  }

  #updateIdleTimeouts(): void {
    const [reserved] =
      this.#reservationCount > 0 ? [...this.#connections.keys()].filter(({ hasCapacity }) => hasCapacity) : []
    for (const [connection, idleTimeout] of this.#connections) {
      if (!connection.isEmpty || connection === reserved) this.#cancelIdleTimeout(connection)
      else if (idleTimeout === null) this.#startIdleTimeout(connection)
    }
  }

  #startIdleTimeout(connection: CartesiaConnection): void {
    const cancel = this.#target.clock.after(IDLE_CLOSE_MS, () => connection.close())
    this.#connections.set(connection, cancel)
  }

  #cancelIdleTimeout(connection: CartesiaConnection): void {
    this.#connections.get(connection)?.()
    this.#connections.set(connection, null)
  }
}
