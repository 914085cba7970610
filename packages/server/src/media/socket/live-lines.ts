import type { SocketLeg } from './socket-leg.ts'

/** The calls that this process holds lines of, by what finds them. */
export interface LiveLines {
  /** Legs that are joined or being joined. */
  readonly size: number
  all(): readonly SocketLeg[]
  add(leg: SocketLeg): void
  /** From now on it is found by the id of its call. */
  name(leg: SocketLeg, callId: string): void
  remove(leg: SocketLeg): void
  byCall(callId: string): SocketLeg | null
  /** A token that finds this leg. The one before stays good as well: its successor may have been lost with its connection. */
  makeToken(leg: SocketLeg): string
  /** `elsewhere`: another process made this token. */
  byToken(token: string): SocketLeg | 'elsewhere' | null
  /** Calls `listener` once nothing is left, at once when nothing is. */
  whenEmpty(listener: () => void): void
}

interface Entry {
  callId: string | null
  tokens: readonly string[]
}

const TOKENS_KEPT = 2

export interface LiveLinesOptions {
  /** Tells this process from others. */
  readonly processTag: string
  /** Text that nobody can guess, of letters and digits. */
  readonly makeSecret: () => string
}

export function createLiveLines({ processTag, makeSecret }: LiveLinesOptions): LiveLines {
  const entries = new Map<SocketLeg, Entry>()
  const byToken = new Map<string, SocketLeg>()
  const byCall = new Map<string, SocketLeg>()
  let waiting: (() => void)[] = []

  return {
    get size() {
      return entries.size
    },
    all: () => [...entries.keys()],
    add: (leg) => void entries.set(leg, { callId: null, tokens: [] }),
    name(leg, callId) {
      const entry = entries.get(leg)
      if (entry === undefined) return
      entry.callId = callId
      byCall.set(callId, leg)
    },
    remove(leg) {
      const entry = entries.get(leg)
      if (entry === undefined) return
      entries.delete(leg)
      for (const token of entry.tokens) byToken.delete(token)
      if (entry.callId !== null && byCall.get(entry.callId) === leg) byCall.delete(entry.callId)
      if (entries.size > 0) return
      const listeners = waiting
      waiting = []
      for (const listener of listeners) listener()
    },
    byCall: (callId) => byCall.get(callId) ?? null,
    makeToken(leg) {
      const token = `${processTag}.${makeSecret()}`
      const entry = entries.get(leg)
      if (entry === undefined) return token
      const tokens = [token, ...entry.tokens]
      for (const old of tokens.slice(TOKENS_KEPT)) byToken.delete(old)
      entry.tokens = tokens.slice(0, TOKENS_KEPT)
      byToken.set(token, leg)
      return token
    },
    byToken(token) {
      const leg = byToken.get(token)
      if (leg !== undefined) return leg
      return token.startsWith(`${processTag}.`) ? null : 'elsewhere'
    },
    whenEmpty(listener) {
      if (entries.size === 0) listener()
      else waiting.push(listener)
    },
  }
}
