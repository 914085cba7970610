import { ClientMessage } from '@parley/contract/live'

/** A text message of a browser, as it is understood. */
export type ReadMessage =
  | { readonly kind: 'message'; readonly message: ClientMessage }
  /** Of a newer browser perhaps: to be ignored. */
  | { readonly kind: 'unknown' }
  /** Of a known type, but not as it must be. */
  | { readonly kind: 'invalid'; readonly problem: string }
  /** Not JSON, or no object with a type. */
  | { readonly kind: 'garbage' }

const TYPES: ReadonlySet<string> = new Set(ClientMessage.options.map(({ shape }) => shape.type.value))

/** Never throws. */
export function readMessage(text: string): ReadMessage {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'garbage' }
  const { type } = value as { readonly type?: unknown }
  if (typeof type !== 'string') return { kind: 'garbage' }
  if (!TYPES.has(type)) return { kind: 'unknown' }
  const { success, data, error } = ClientMessage.safeParse(value)
  if (success) return { kind: 'message', message: data }
  const [issue] = error.issues
  return { kind: 'invalid', problem: `${type}.${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}` }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
