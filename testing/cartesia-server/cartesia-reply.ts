/** The server's response to one request on a socket. */
export type CartesiaReply =
  /** Sends the audio in chunks of this many bytes, 3,200 by default. */
  | { readonly kind: 'normal'; readonly chunkBytes?: number }
  /** Sends this many chunks and waits. A cancellation releases one more chunk, which was already being generated. */
  | { readonly kind: 'stall'; readonly afterChunks: number }
  /** Sends this many chunks and then an error. Without a context, the error concerns the connection. */
  | {
      readonly kind: 'error'
      readonly status: number
      readonly errorCode?: string
      readonly afterChunks?: number
      readonly hasContext?: boolean
    }
  /** Sends this many chunks and breaks the connection, without the closing handshake. */
  | { readonly kind: 'cut'; readonly afterChunks: number }
  /** Sends this many chunks and closes its side of the connection. */
  | { readonly kind: 'half-close'; readonly afterChunks: number }
  /** Sends a message that is not valid, followed by the regular response. */
  | { readonly kind: 'raw'; readonly message: string | Buffer }
  /** Sends a message in the context, followed by the regular response. */
  | { readonly kind: 'message'; readonly fields: Readonly<Record<string, unknown>> }
  /** Ends the context without audio. */
  | { readonly kind: 'empty' }

/** The server's response to the next handshake. */
export type CartesiaHandshake = { readonly status: number } | 'hang'

export interface CartesiaServerOptions {
  /** If set, other keys are rejected. */
  readonly apiKey?: string
  /** Maximum number of contexts that generate at the same time. */
  readonly maxContexts?: number
  /** Reply to requests without a scripted reply, if it is not the regular response. */
  readonly replyTo?: (request: CartesiaRequest) => CartesiaReply | null
}

/** A received message of a client. */
export interface CartesiaRequest {
  /** Index of the socket, in the order of opening. */
  readonly socketIndex: number
  readonly fields: Readonly<Record<string, unknown>>
}
