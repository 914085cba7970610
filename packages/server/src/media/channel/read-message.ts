import { ClientMessage, countsAsReceived } from '@parley/contract/live'

/** A text message of a browser, as it is understood. */
export type ReadMessage =
  | { readonly kind: 'message'; readonly message: ClientMessage }
  /** Of a newer browser perhaps: to be ignored. */
  | { readonly kind: 'unknown' }
  /** Of a known type, but not as it must be; `counts`: among those that were received, all the same. */
  | { readonly kind: 'invalid'; readonly problem: string; readonly counts: boolean }
  /** Not JSON, or no object with a type. */
  | { readonly kind: 'garbage' }

const TYPES: ReadonlySet<string> = new Set(ClientMessage.options.map(({ shape }) => shape.type.value))

/** Never throws. */
export function readMessage(text: string): ReadMessage {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'garbage' }
  const { type, stage } = value as { readonly type?: unknown; readonly stage?: unknown }
  if (typeof type !== 'string') return { kind: 'garbage' }
  if (!TYPES.has(type)) return { kind: 'unknown' }
  const { success, data, error } = ClientMessage.safeParse(value)
  if (success) return { kind: 'message', message: data }
  const [issue] = error.issues
  const problem = `${type}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`
  return { kind: 'invalid', problem, counts: countsAsReceived({ type, stage }) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
