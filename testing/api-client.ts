/** A small API client for tests, which returns responses unchanged. */

const TIMEOUT_MS = 15_000

export interface CallOptions {
  /** Body, sent as JSON. A string is sent unchanged. */
  readonly body?: unknown
  readonly query?: Readonly<Record<string, string | number>>
  /** Headers that replace the client's headers, such as `authorization`. An empty value removes a header. */
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface ApiResponse<Body = Record<string, unknown>> {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON, or the text if it is not JSON. */
  readonly body: Body
}

/** A server-sent event. */
export interface StreamedEvent {
  /** ID of the event, or 0 if it has none. */
  readonly id: number
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface StreamedResponse {
  readonly status: number
  readonly headers: Headers
  /** Events in order of arrival. Leaving the loop closes the connection. */
  readonly events: AsyncGenerator<StreamedEvent, void>
}

export interface ApiClient {
  /** Sends a request. Rejects if there is no response, and for status 500, which no request is allowed to cause. */
  call<Body = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<ApiResponse<Body>>
  /** Requests an event stream. Rejects if the response is not an event stream. */
  stream(method: string, path: string, options?: CallOptions): Promise<StreamedResponse>
}

export interface ApiClientOptions {
  readonly token: string
  /** Returns details to add to failure messages, such as the server's output. */
  readonly explain?: () => string
}

/** Creates a client that sends `token` with every request. Each request has a deadline. */
export function createApiClient(url: string, { token, explain = () => '' }: ApiClientOptions): ApiClient {
  async function send(method: string, path: string, options: CallOptions): Promise<Response> {
    const { body, query = {}, signal } = options
    const target = new URL(url + path)
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, String(value))
    const headers = new Headers({ authorization: `Bearer ${token}` })
    if (body !== undefined) headers.set('content-type', 'application/json')
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      if (value === '') headers.delete(name)
      else headers.set(name, value)
    }
    const deadline = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return await fetch(target, {
        method,
        headers,
        body: body === undefined || typeof body === 'string' ? (body ?? null) : JSON.stringify(body),
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      })
    } catch (cause) {
      throw new Error(`${method} ${path} failed.\n${explain()}`, { cause })
    }
  }

  return {
    async call<Body>(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse<Body>> {
      const response = await send(method, path, options)
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
      if (response.status === 500) throw new Error(`${method} ${path} returned 500: ${text}\n${explain()}`)
      const body = (isJson ? JSON.parse(text) : text) as Body
      return { status: response.status, headers: response.headers, body }
    },

    async stream(method, path, options = {}) {
      const headers = { accept: 'text/event-stream', ...options.headers }
      const response = await send(method, path, { ...options, headers })
      const { status } = response
      if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
        throw new Error(`${method} ${path} returned ${status} without a stream: ${await response.text()}\n${explain()}`)
      }
      // The body is locked immediately, because fetch cancels the body of a garbage-collected response.
      return { status, headers: response.headers, events: readEvents(response.body?.values()) }
    },
  }
}

async function* readEvents(body: AsyncIterable<Uint8Array> | undefined): AsyncGenerator<StreamedEvent, void> {
  if (body === undefined) return
  const decoder = new TextDecoder()
  let buffered = ''
  for await (const chunk of body) {
    buffered += decoder.decode(chunk, { stream: true })
    const frames = buffered.split('\n\n')
    buffered = frames.pop() ?? ''
    for (const frame of frames) {
      const event = parseFrame(frame)
      if (event !== null) yield event
    }
  }
  if (buffered !== '') throw new Error(`The stream ended in the middle of a frame: ${JSON.stringify(buffered)}`)
}

/** Parses a frame, or returns `null` for a comment. */
function parseFrame(frame: string): StreamedEvent | null {
  if (frame.startsWith(':')) return null
  const match = /^(?:id: (\d+)\n)?event: (\S+)\ndata: (.*)$/.exec(frame)
  if (match === null) throw new Error(`Not a frame of the API: ${JSON.stringify(frame)}`)
  return {
    id: Number(match[1] ?? 0),
    event: match[2] ?? '',
    data: JSON.parse(match[3] ?? '') as Record<string, unknown>,
  }
}
