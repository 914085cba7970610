import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { ERROR_STATUS, type ErrorCode } from '@parley/contract/errors'

export interface UpgradeRefusal {
  readonly code: ErrorCode
  readonly message: string
  readonly retryAfterSeconds?: number
}

/** Answers a request for another protocol in the form of every other error, and closes its connection. */
export function refuseUpgrade(socket: Duplex, { code, message, retryAfterSeconds }: UpgradeRefusal): void {
  const status = ERROR_STATUS[code]
  const body = JSON.stringify({ error: message, code, status, details: [], requestId: '' })
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfterSeconds === undefined ? [] : [`retry-after: ${retryAfterSeconds}`]),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
