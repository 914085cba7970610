import type { SpeechSocketTarget } from '../vendor-socket.ts'
import { SpeakConnection, type SpeakProtocol } from './speak-connection.ts'

/** What a connection speaks. Connections with the same URL are interchangeable. */
export interface SpeakRoute {
  readonly url: URL
  readonly protocol: SpeakProtocol
}

interface IdleConnection {
  readonly connection: SpeakConnection
  cancelTimeout: () => void
}

/** Time for which an unused connection is kept. The vendor closes connections after one minute. */
const IDLE_TIMEOUT_MS = 50_000
/** Maximum number of unused connections per route and in total. */
const MAX_IDLE_PER_ROUTE = 8
const MAX_IDLE = 100
/** A reserved connection that lasted for less is not replaced, because the vendor refuses it. */
const MIN_LIFETIME_MS = 10_000

const noop = (): void => {}

/** The unused connections of a synthesizer, by route. */
export class SpeakPool {
  readonly #target: SpeechSocketTarget
  readonly #idle = new Map<string, IdleConnection[]>()
  /** Number of reservations by route. */
  readonly #reservations = new Map<string, number>()

  constructor(target: SpeechSocketTarget) {
    this.#target = target
  }

  /** Takes an unused connection, or returns null. */
  take({ url }: SpeakRoute): SpeakConnection | null {
    const connections = this.#idle.get(url.href) ?? []
    const entry = connections.findLast(({ connection }) => connection.hasFlushesLeft)
    if (entry === undefined) return null
    this.#remove(url.href, entry)
    return entry.connection
  }

  /** Opens a connection. It enters the pool whenever it has nothing to speak. */
  open(route: SpeakRoute): SpeakConnection {
    const key = route.url.href
    const connection: SpeakConnection = new SpeakConnection({
      ...this.#target,
      ...route,
      onIdle: () => this.#add(key, connection),
      onEnd: () => this.#handleEnd(route, connection),
    })
    return connection
  }

  /** Keeps a connection open until the returned function is called. */
  reserve(route: SpeakRoute): () => void {
    const key = route.url.href
    this.#reservations.set(key, this.#countReservations(key) + 1)
    this.#openReserved(route)
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      const count = this.#countReservations(key) - 1
      if (count > 0) this.#reservations.set(key, count)
      else this.#reservations.delete(key)
    }
  }

  #countReservations(key: string): number {
    return this.#reservations.get(key) ?? 0
  }

  #add(key: string, connection: SpeakConnection): void {
    const connections = this.#idle.get(key) ?? []
    const idleCount = [...this.#idle.values()].reduce((sum, { length }) => sum + length, 0)
    if (connections.length >= MAX_IDLE_PER_ROUTE || idleCount >= MAX_IDLE) {
      connection.close()
      return
    }
    const entry: IdleConnection = { connection, cancelTimeout: noop }
    connections.push(entry)
    this.#idle.set(key, connections)
    this.#startTimeout(key, entry)
  }

  #startTimeout(key: string, entry: IdleConnection): void {
    entry.cancelTimeout = this.#target.clock.after(IDLE_TIMEOUT_MS, () => {
      const idleCount = this.#idle.get(key)?.length ?? 0
      if (idleCount > this.#countReservations(key)) entry.connection.close()
      else this.#startTimeout(key, entry)
    })
  }

  #handleEnd(route: SpeakRoute, connection: SpeakConnection): void {
    const key = route.url.href
    const entry = this.#idle.get(key)?.find((idle) => idle.connection === connection)
    if (entry === undefined) return
    this.#remove(key, entry)
    const hasLasted = this.#target.clock.now() - connection.openedAtMs >= MIN_LIFETIME_MS
    if (hasLasted) this.#openReserved(route)
  }

  #openReserved(route: SpeakRoute): void {
    const key = route.url.href
    const idleCount = this.#idle.get(key)?.length ?? 0
    const reservedCount = Math.min(MAX_IDLE_PER_ROUTE, this.#countReservations(key))
    if (idleCount < reservedCount) this.#add(key, this.open(route))
  }

  #remove(key: string, entry: IdleConnection): void {
    entry.cancelTimeout()
    const connections = this.#idle.get(key)?.filter((other) => other !== entry) ?? []
    if (connections.length > 0) this.#idle.set(key, connections)
    else this.#idle.delete(key)
  }
}
