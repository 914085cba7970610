import type { WebSocket } from 'ws'

/** Something that a scripted server does on a connection. */
export type LlmAction =
  /** Text of an answer; to the request under way unless a number is given. */
  | {
      readonly kind: 'response'
      readonly content: string
      readonly complete: boolean
      readonly endCall?: boolean
      readonly responseId?: number
    }
  /** Any frame. */
  | { readonly kind: 'frame'; readonly frame: unknown }
  /** A text message, unchanged, or a binary one. */
  | { readonly kind: 'raw'; readonly data: string | Buffer }
  | { readonly kind: 'close'; readonly code: number }
  /** Cuts the connection without a word. */
  | { readonly kind: 'drop' }
  /** Repeats the same message until the peer disconnects. */
  | { readonly kind: 'flood'; readonly data: string }

/** An answer in the given pieces, the last one complete. */
export function completeResponse(...chunks: readonly string[]): readonly LlmAction[] {
  return chunks.map((content, index) => ({ kind: 'response', content, complete: index === chunks.length - 1 }))
}

/** Pieces of an answer that is not complete. */
export function partialResponse(...chunks: readonly string[]): readonly LlmAction[] {
  return chunks.map((content) => ({ kind: 'response', content, complete: false }))
}

/** A request of a server to its client. */
export function configFrame(config: Readonly<Record<string, boolean>>): LlmAction {
  return { kind: 'frame', frame: { response_type: 'config', config } }
}

/** Does one thing. */
export function play(socket: WebSocket, action: LlmAction, responseId: number): void {
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
