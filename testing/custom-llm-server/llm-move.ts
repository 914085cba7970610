import type { WebSocket } from 'ws'

/** Something that a scripted server does on a connection. */
export type LlmMove =
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
  /** A text message as it is, or a binary one. */
  | { readonly kind: 'raw'; readonly data: string | Buffer }
  | { readonly kind: 'close'; readonly code: number }
  /** Cuts the connection without a word. */
  | { readonly kind: 'drop' }
  /** Sends the same message until the other side has gone. */
  | { readonly kind: 'flood'; readonly data: string }

/** An answer in the given pieces, the last one complete. */
export function says(...pieces: readonly string[]): readonly LlmMove[] {
  return pieces.map((content, index) => ({ kind: 'response', content, complete: index === pieces.length - 1 }))
}

/** Pieces of an answer that is not complete. */
export function begins(...pieces: readonly string[]): readonly LlmMove[] {
  return pieces.map((content) => ({ kind: 'response', content, complete: false }))
}

/** What a server wants of the other side. */
export function configures(config: Readonly<Record<string, boolean>>): LlmMove {
  return { kind: 'frame', frame: { response_type: 'config', config } }
}

/** Does one thing. */
export function play(socket: WebSocket, move: LlmMove, responseId: number): void {
  switch (move.kind) {
    case 'response':
      sendJson(socket, {
        response_type: 'response',
        response_id: move.responseId ?? responseId,
        content: move.content,
        content_complete: move.complete,
        ...(move.endCall === undefined ? {} : { end_call: move.endCall }),
      })
      return
    case 'frame':
      sendJson(socket, move.frame)
      return
    case 'raw':
      socket.send(move.data)
      return
    case 'close':
      socket.close(move.code)
      return
    case 'drop':
      socket.terminate()
      return
    case 'flood':
      flood(socket, move.data)
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
