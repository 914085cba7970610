import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'

/**
 * Keeps a process on its own machine: `NODE_OPTIONS=--import=…/testing/loopback-only/main.ts`. Names of other machines are
 * not looked up and no other address is connected to, whatever the data of a test names.
 */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/

function refusal(host: string): Error {
  return Object.assign(new Error(`No way to ${host}: this process keeps to the loopback.`), { code: 'ENOTFOUND' })
}

const { lookup } = dns
const { lookup: lookupAsync } = dns.promises
const { connect } = Socket.prototype

type AnyFunction = (...given: unknown[]) => unknown

dns.lookup = Object.assign((host: string, ...rest: unknown[]) => {
  const done = rest.at(-1) as (error: Error) => void
  if (LOOPBACK.test(host)) (lookup as AnyFunction)(host, ...rest)
  else queueMicrotask(() => done(refusal(host)))
}, lookup) as unknown as typeof lookup

dns.promises.lookup = (async (host: string, ...rest: unknown[]) => {
  if (LOOPBACK.test(host)) return await (lookupAsync as AnyFunction)(host, ...rest)
  throw refusal(host)
}) as typeof lookupAsync

Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
  // `net.connect` passes a list in a list.
  const options = (Array.isArray(given[0]) ? given[0][0] : given[0]) as { host?: string } | undefined
  const host = typeof options === 'object' ? (options.host ?? 'localhost') : 'localhost'
  if (LOOPBACK.test(host)) return (connect as AnyFunction).apply(this, given) as Socket
  queueMicrotask(() => this.destroy(refusal(host)))
  return this
} as typeof connect

syncBuiltinESMExports()
