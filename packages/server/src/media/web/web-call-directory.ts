import type { WebCall } from './web-call.ts'

/** The web calls of this process, by the tokens that resume them. */
export interface WebCallDirectory {
  /** Calls that run or are being started, those that wait for their caller to come back included. */
  readonly size: number
  all(): readonly WebCall[]
  add(call: WebCall): void
  remove(call: WebCall): void
  /** A token that finds this call. The one before stays good as well: its successor may have been lost with its connection. */
  makeToken(call: WebCall): string
  /** `elsewhere`: another process made this token. */
  byToken(token: string): WebCall | 'elsewhere' | null
  /** Calls `listener` once nothing is left, at once when nothing is. */
  whenEmpty(listener: () => void): void
}

const TOKENS_KEPT = 2

export interface WebCallDirectoryOptions {
  /** Tells this process from others. */
  readonly processTag: string
  /** Text that nobody can guess, of letters and digits. */
  readonly makeSecret: () => string
}

export function createWebCallDirectory({ processTag, makeSecret }: WebCallDirectoryOptions): WebCallDirectory {
  /** With their tokens, the newest first. */
  const calls = new Map<WebCall, readonly string[]>()
  const byToken = new Map<string, WebCall>()
  let waiting: (() => void)[] = []

  return {
    get size() {
      return calls.size
    },
    all: () => [...calls.keys()],
    add: (call) => void calls.set(call, []),
    remove(call) {
      for (const token of calls.get(call) ?? []) byToken.delete(token)
      if (!calls.delete(call) || calls.size > 0) return
      const listeners = waiting
      waiting = []
      for (const listener of listeners) listener()
    },
    makeToken(call) {
      const token = `${processTag}.${makeSecret()}`
      const before = calls.get(call)
      if (before === undefined) return token
      const tokens = [token, ...before]
      for (const old of tokens.slice(TOKENS_KEPT)) byToken.delete(old)
      calls.set(call, tokens.slice(0, TOKENS_KEPT))
      byToken.set(token, call)
      return token
    },
    byToken(token) {
      const call = byToken.get(token)
      if (call !== undefined) return call
      return token.startsWith(`${processTag}.`) ? null : 'elsewhere'
    },
    whenEmpty(listener) {
      if (calls.size === 0) listener()
      else waiting.push(listener)
    },
  }
}
