import type { WebCall } from './web-call.ts'

/** The web calls of this process by resume token. */
export interface WebCallDirectory {
  /** Running and starting calls, including those that wait for their caller. */
  readonly size: number
  all(): readonly WebCall[]
  add(call: WebCall): void
  remove(call: WebCall): void
  /** Creates a resume token. The previous one stays valid, since its successor may have been lost with the connection. */
  makeToken(call: WebCall): string
  /** `elsewhere`: another process created this token. */
  byToken(token: string): WebCall | 'elsewhere' | null
  /** Calls `listener` once no call is left, possibly at once. */
  whenEmpty(listener: () => void): void
}

const TOKENS_KEPT = 2

export interface WebCallDirectoryOptions {
  /** Identifies this process in tokens. */
  readonly processTag: string
  /** Returns an unguessable alphanumeric text. */
  readonly makeSecret: () => string
}

export function createWebCallDirectory({ processTag, makeSecret }: WebCallDirectoryOptions): WebCallDirectory {
  /** Calls with their tokens, newest first. */
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
