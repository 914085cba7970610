import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'

/**
 * Restricts a process to the local machine: `NODE_OPTIONS=--import=…/testing/loopback-only/main.ts`. It neither resolves names
 * of other machines nor connects to other addresses, regardless of the test data.
 */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/

function createRejection(host: string): Error {
  return Object.assign(new Error(`Cannot connect to ${host}: this process can only reach the local machine.`), {
    code: 'ENOTFOUND',
  })
}

const { lookup } = dns
const { lookup: lookupAsync } = dns.promises
const { connect } = Socket.prototype

type AnyFunction = (...given: unknown[]) => unknown

dns.lookup = Object.assign((host: string, ...rest: unknown[]) => {
  const callback = rest.at(-1) as (error: Error) => void
  if (LOOPBACK.test(host)) (lookup as AnyFunction)(host, ...rest)
  else queueMicrotask(() => callback(createRejection(host)))
}, lookup) as unknown as typeof lookup

dns.promises.lookup = (async (host: string, ...rest: unknown[]) => {
  if (LOOPBACK.test(host)) return await (lookupAsync as AnyFunction)(host, ...rest)
  throw createRejection(host)
}) as typeof lookupAsync

Socket.prototype.connect = function (this: Socket, ...connectArguments: unknown[]) {
  // `net.connect` passes a list within a list.
  const options = (Array.isArray(connectArguments[0]) ? connectArguments[0][0] : connectArguments[0]) as
    | { host?: string }
    | undefined
  const host = typeof options === 'object' ? (options.host ?? 'localhost') : 'localhost'
  if (LOOPBACK.test(host)) return (connect as AnyFunction).apply(this, connectArguments) as Socket
  queueMicrotask(() => this.destroy(createRejection(host)))
  return this
} as typeof connect

syncBuiltinESMExports()
