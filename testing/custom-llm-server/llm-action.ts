import type { WebSocket } from 'ws'

/** An action that a scripted server performs on a connection. */
export type LlmAction =
  /** Text of an answer, by default to the current request. */
  | {
      readonly kind: 'response'
      readonly content: string
      readonly complete: boolean
      readonly endCall?: boolean
      readonly responseId?: number
    }
  /** An arbitrary frame. */
  | { readonly kind: 'frame'; readonly frame: unknown }
  /** A text message that is sent unchanged, or a binary message. */
  | { readonly kind: 'raw'; readonly data: string | Buffer }
  | { readonly kind: 'close'; readonly code: number }
  /** Breaks the connection without a close frame. */
  | { readonly kind: 'drop' }
  /** Repeats the same message until the peer disconnects. */
  | { readonly kind: 'flood'; readonly data: string }

/** Returns an answer in chunks, of which the last one is complete. */
export function createCompleteResponse(...chunks: readonly string[]): readonly LlmAction[] {
  return chunks.map((content, index) => ({ kind: 'response', content, complete: index === chunks.length - 1 }))
}

/** Returns chunks of an incomplete answer. */
export function createPartialResponse(...chunks: readonly string[]): readonly LlmAction[] {
  return chunks.map((content) => ({ kind: 'response', content, complete: false }))
}

/** Returns a configuration frame from the server to its client. */
export function createConfigFrame(config: Readonly<Record<string, boolean>>): LlmAction {
  return { kind: 'frame', frame: { response_type: 'config', config } }
}

/** Performs one action. */
export function playAction(socket: WebSocket, action: LlmAction, responseId: number): void {
  switch (action.kind) {
    case 'response':
      sendJson(socket, {
        response_type: 'response',
        response_id: action.responseId ?? responseId,
        content: action.content,
        content_complete: action.complete,
        ...(action.endCall === undefined ? {} : { end_call: action.endCall }),
      })
      return
    case 'frame':
      sendJson(socket, action.frame)
      return
    case 'raw':
      socket.send(action.data)
      return
    case 'close':
      socket.close(action.code)
      return
    case 'drop':
      socket.terminate()
      return
    case 'flood':
      flood(socket, action.data)
  }
}

function sendJson(socket: WebSocket, frame: unknown): void {
  socket.send(JSON.stringify(frame))
}

function flood(socket: WebSocket, data: string): void {
  if (socket.readyState !== socket.OPEN) return
  for (let count = 0; count < 1_000; count += 1) socket.send(data)
  setImmediate(flood, socket, data)
}
