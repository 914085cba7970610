import type { ServerResponse } from 'node:http'

/** A server fault that replaces the response. */
export type McpFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly to: string; readonly status?: number }
  /** Accepts the request and never responds. */
  | { readonly kind: 'hang' }
  /** Starts an event stream, sends unrelated events, and then sends nothing. */
  | { readonly kind: 'quiet-events' }
  /** Sends unrelated events until the client disconnects. */
  | { readonly kind: 'endless-events' }
  /** Sends ping requests in one event after another. */
  | { readonly kind: 'ping-flood' }
  /** Ends the events before the response, either properly or by breaking the connection. */
  | { readonly kind: 'ended-events' | 'cut-events' }
  /** Responds outside the protocol. */
  | { readonly kind: 'no-json' | 'other-json' | 'other-id' }
  | { readonly kind: 'html' | 'accepted' | 'no-http' }
  /** Responds with a result of a different shape. */
  | { readonly kind: 'wrong-result' }
  /** Responds with a protocol error. */
  | { readonly kind: 'error'; readonly message: string }
  /** Sends an event ID and ends the stream. The response follows when the client resumes the stream. */
  | { readonly kind: 'resumed'; readonly text: string }

const QUIET_EVENT = 'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n\n'
const FLOOD_CHUNK = QUIET_EVENT.repeat(500)

/** Plays a fault; `id` is the ID of the affected request. */
export function playFault(response: ServerResponse, fault: McpFault, id: unknown): void {
  switch (fault.kind) {
    case 'hang':
      break
    case 'redirect':
      response.writeHead(fault.status ?? 307, { location: fault.to }).end()
      break
    case 'accepted':
      response.writeHead(202).end()
      break
    case 'no-http':
      response.socket?.end('I am no web server\r\n\r\n')
      break
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>')
      break
    case 'status':
    case 'no-json':
    case 'other-json':
    case 'other-id':
    case 'wrong-result':
    case 'error':
      response.writeHead(fault.kind === 'status' ? fault.status : 200, { 'content-type': 'application/json' })
      response.end(toJson(fault, id))
      break
    default:
      playEvents(response, fault, id)
  }
}

type JsonFault = Extract<
  McpFault,
  { kind: 'status' | 'no-json' | 'other-json' | 'other-id' | 'wrong-result' | 'error' }
>

function toJson(fault: JsonFault, id: unknown): string {
  switch (fault.kind) {
    case 'status':
      return '{"jsonrpc":"2.0","error":{"code":-32000,"message":"No."},"id":null}'
    case 'no-json':
      return '{"jsonrpc":'
    case 'other-json':
      return '{"hello":"world"}'
    case 'other-id':
      return '{"jsonrpc":"2.0","id":4711,"result":{}}'
    case 'wrong-result':
      return JSON.stringify({ jsonrpc: '2.0', id, result: { content: 'x', tools: 'y' } })
    case 'error':
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: fault.message } })
  }
}

type EventFault = Extract<
  McpFault,
  { kind: 'quiet-events' | 'endless-events' | 'ping-flood' | 'ended-events' | 'cut-events' | 'resumed' }
>

function playEvents(response: ServerResponse, fault: EventFault, id: unknown): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  switch (fault.kind) {
    case 'quiet-events':
      response.write(QUIET_EVENT)
      return
    case 'endless-events':
      flood(response)
      return
    case 'ping-flood':
      for (let number = 0; number < 3000; number++) {
        response.write(`data: {"jsonrpc":"2.0","id":"ping-${number}","method":"ping"}\n\n`)
      }
      return
    case 'ended-events':
      response.end(QUIET_EVENT)
      return
    case 'cut-events':
      response.write(QUIET_EVENT, () => response.destroy())
      return
    case 'resumed':
      response.end(`id: ${JSON.stringify(id)}\ndata: \n\n`)
  }
}

function flood(response: ServerResponse): void {
  if (response.destroyed) return
  response.write(FLOOD_CHUNK, () => flood(response))
}
