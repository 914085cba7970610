import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type ToolReply, writeReply } from '../tool-server/tool-reply.ts'
import { replyAsCartesia } from './cartesia-replies.ts'
import { replyAsElevenLabs } from './elevenlabs-replies.ts'
import type { VoiceServerRequest, VoiceServerState } from './voice-exchange.ts'
import { SHARED_VOICES, type SharedVoice } from './voice-library.ts'

/** Key that the server accepts on every API. */
export const VOICE_KEY = 'sk_test_0123456789abcdef'

/** Voice providers on the loopback interface, with both wire formats under one address. */
export interface VoiceServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, the base URL of both providers. */
  readonly url: string
  readonly port: number
  /** All received requests, in the form `GET /voices?q=a`. */
  readonly requests: readonly string[]
  readonly state: VoiceServerState
  /** Adds replies for the next requests, in order; `null` is a regular reply. */
  script(...replies: readonly (ToolReply | null)[]): void
  /** Resolves when `count` requests have been received. */
  received(count: number): Promise<void>
  close(): Promise<void>
}

/** Starts a server on a free loopback port. */
export async function startVoiceServer(voices: readonly SharedVoice[] = SHARED_VOICES): Promise<VoiceServer> {
  const state: VoiceServerState = { apiKey: VOICE_KEY, voices, added: new Map() }
  const requests: string[] = []
  const scriptedReplies: (ToolReply | null)[] = []
  const watchers = new Set<{ readonly count: number; readonly resolve: () => void }>()

  async function handleRequest(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    requests.push(`${request.method} ${request.url.pathname}${request.url.search}`)
    for (const watcher of watchers) {
      if (requests.length < watcher.count) continue
      watchers.delete(watcher)
      watcher.resolve()
    }
    const reply = scriptedReplies.shift() ?? replyAsElevenLabs(request, state) ?? replyAsCartesia(request, state)
    writeReply(response, reply ?? { kind: 'json', status: 404, body: { detail: 'Not Found' } })
  }

  const server = createServer((incoming, response) => {
    // A client that disconnects while it is still sending requires no response.
    handleRequest(incoming, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    state,
    script: (...replies) => scriptedReplies.push(...replies),
    received: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve()
        else watchers.add({ count, resolve })
      }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function readRequest(incoming: IncomingMessage): Promise<VoiceServerRequest> {
  const chunks = await Array.fromAsync(incoming as AsyncIterable<Buffer>)
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value ?? '')])
  return {
    method: incoming.method ?? '',
    url: new URL(incoming.url ?? '/', 'http://127.0.0.1'),
    headers: Object.fromEntries(headers),
    body: parseObject(Buffer.concat(chunks).toString('utf8')),
  }
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
