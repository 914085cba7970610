import { connect, isIP, type LookupFunction, type Socket } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** Error for a connection target outside the loopback interface, which the guard under test should have rejected. */
class NonLoopbackTargetError extends Error {}

/**
 * Creates a connector that opens plain sockets only to 127.0.0.1. Guard tests use it instead of the real connector, so that a
 * broken guard fails its tests and never contacts the named addresses.
 */
export function createLoopbackConnector({ lookup }: { readonly lookup: LookupFunction }) {
  return (
    target: { readonly hostname: string; readonly port: string },
    callback: (...result: [null, Socket] | [Error, null]) => void,
  ): void => {
    if (isIP(target.hostname) !== 0 && target.hostname !== LOOPBACK) {
      queueMicrotask(() => callback(new NonLoopbackTargetError(), null))
      return
    }
    const socket = connect({
      host: target.hostname,
      port: Number(target.port || 80),
      lookup: restrictToLoopback(lookup),
      autoSelectFamily: true,
    })
    socket.once('connect', () => callback(null, socket))
    socket.once('error', (error) => callback(error, null))
  }
}

/** Wraps a lookup and rejects any result outside the loopback interface. */
function restrictToLoopback(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : address.map((entry) => entry.address)
      const isOutsideLoopback = error === null && addresses.some((entry) => entry !== LOOPBACK)
      callback(isOutsideLoopback ? new NonLoopbackTargetError() : error, address, family)
    })
}
