import type { Clock, CustomLlmClient, CustomLlmEvent, CustomLlmRequest, ModelFailure } from '../ports.ts'

/** What a scripted server does: an event, a pause, nothing more until it is aborted, or a throw that must not happen. */
export type ScriptedServerEvent =
  | CustomLlmEvent
  | { readonly type: 'delay'; readonly delayMs: number }
  | { readonly type: 'hang' }
  | { readonly type: 'throw' }

/** A scripted server of a customer and what it was asked. */
export interface ScriptedCustomLlm {
  readonly client: CustomLlmClient
  readonly requests: readonly CustomLlmRequest[]
  /** Throws when an answer was left over or one was asked for that is not there. */
  assertConsumed(): void
}

/** An answer in the given pieces. */
export function serverSays(...chunks: readonly string[]): readonly ScriptedServerEvent[] {
  return [...serverStreams(...chunks), { type: 'complete', endCall: false }]
}

/** Pieces of an answer without its end. */
export function serverStreams(...chunks: readonly string[]): readonly ScriptedServerEvent[] {
  return chunks.map((text) => ({ type: 'text-delta', text }))
}

/** A failure, by default one that may be retried, after what came before it. */
export function serverFails(
  failure: Partial<ModelFailure> = {},
  ...before: readonly ScriptedServerEvent[]
): readonly ScriptedServerEvent[] {
  const complete = { kind: 'unavailable', message: 'The server is unavailable.', retryable: true, ...failure } as const
  return [...before, { type: 'failed', failure: complete }]
}

/** A tool that the server called itself, under an id of its own. */
export function serverCalls(id: string, name: string, argumentsText = '{}'): ScriptedServerEvent {
  return { type: 'tool-call', call: { id, name, argumentsText } }
}

/** Plays one list of events for each request. Delays need `clock`. */
export function scriptedCustomLlm(
  answers: readonly (readonly ScriptedServerEvent[])[],
  options: { readonly clock?: Clock } = {},
): ScriptedCustomLlm {
  const requests: CustomLlmRequest[] = []
  const client: CustomLlmClient = {
    respond(request) {
      const answer = answers[requests.length] ?? serverFails({ kind: 'protocol', retryable: false })
      requests.push(request)
      return play(answer, request.signal, options.clock)
    },
  }
  const assertConsumed = (): void => {
    if (requests.length !== answers.length)
      throw new Error(`${requests.length} requests for ${answers.length} answers.`)
  }
  return { client, requests, assertConsumed }
}

async function* play(
  events: readonly ScriptedServerEvent[],
  signal: AbortSignal,
  clock: Clock | undefined,
): AsyncGenerator<CustomLlmEvent> {
  for (const event of events) {
    if (signal.aborted) return
    if (event.type === 'throw') throw new Error('scripted failure of the client')
    if (event.type === 'delay') await waitFor(signal, { clock, delayMs: event.delayMs })
    else if (event.type === 'hang') await waitFor(signal, { clock: undefined, delayMs: 0 })
    else yield event
  }
}

/** Without a clock it waits for the signal alone. */
function waitFor(
  signal: AbortSignal,
  { clock, delayMs }: { clock: Clock | undefined; delayMs: number },
): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      cancel?.()
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock?.after(delayMs, finish)
    signal.addEventListener('abort', finish, { once: true })
  })
}
