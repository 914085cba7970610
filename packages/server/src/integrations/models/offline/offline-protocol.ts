import type { ModelEvent, ModelRequest } from '@parley/engine/ports'

/** What the thread is asked; a signal cannot be sent to it. */
export type OfflineRequest = Omit<ModelRequest, 'signal'>

/** `ready` comes once; then one answer to each request, in order. `failed`: the model threw. */
export type OfflineMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'answer'; readonly events: readonly ModelEvent[] }
  | { readonly kind: 'failed' }
