import type { HttpToolCall, HttpToolClient, HttpToolOutcome, JsonValue } from '../ports.ts'

/** An outcome, or a function that returns one, perhaps later. */
export type ScriptedOutcome = HttpToolOutcome | ((call: HttpToolCall) => HttpToolOutcome | Promise<HttpToolOutcome>)

/** A scripted client for HTTP tools and the calls it received. */
export interface ScriptedHttpTools {
  readonly client: HttpToolClient
  readonly calls: readonly HttpToolCall[]
  /** Throws unless each outcome was used and each call was scripted. */
  assertConsumed(): void
}

/** A successful outcome with a JSON body, or with plain text. */
export function answersWith(body: JsonValue, durationMs = 5): HttpToolOutcome {
  return { ok: true, status: 200, bodyText: typeof body === 'string' ? body : JSON.stringify(body), durationMs }
}

/** Answers calls by tool name with the next outcome of that tool. */
export function scriptedHttpTools(
  script: Readonly<Record<string, readonly ScriptedOutcome[]>> = {},
): ScriptedHttpTools {
  const calls: HttpToolCall[] = []
  const used = new Map<string, number>()
  const unexpected: string[] = []
  const client: HttpToolClient = {
    async call(call) {
      calls.push(call)
      const index = used.get(call.name) ?? 0
      used.set(call.name, index + 1)
      const outcome = script[call.name]?.[index]
      if (outcome === undefined) {
        unexpected.push(call.name)
        return { ok: false, reason: 'network', status: null, message: 'This call was not scripted.', durationMs: 0 }
      }
      return typeof outcome === 'function' ? outcome(call) : outcome
    },
  }
  const assertConsumed = (): void => {
    if (unexpected.length > 0) throw new Error(`Calls that were not expected: ${unexpected.join(', ')}.`)
    for (const [name, outcomes] of Object.entries(script)) {
      const left = outcomes.length - (used.get(name) ?? 0)
      if (left > 0) throw new Error(`${left} outcomes of ${name} were left over.`)
    }
  }
  return { client, calls, assertConsumed }
}
