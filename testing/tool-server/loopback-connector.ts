import { connect, isIP, type LookupFunction, type Socket } from 'node:net'

const LOOPBACK = '127.0.0.1'

/** What the connection was asked for when it left the loopback; the guard under test should have refused it before. */
class NonLoopbackTargetError extends Error {}

/**
 * Opens plain sockets to 127.0.0.1 and nowhere else. Tests of a guard use it in place of the real connector, so that a
 * guard that is broken fails its tests instead of reaching the addresses that they name.
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
      lookup: confine(lookup),
      autoSelectFamily: true,
    })
    socket.once('connect', () => callback(null, socket))
    socket.once('error', (error) => callback(error, null))
  }
}

/** A lookup whose answer must not name anything but the loopback. */
function confine(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) =>
    lookup(hostname, options, (error, address, family) => {
      const addresses = typeof address === 'string' ? [address] : address.map((entry) => entry.address)
      const isOutsideLoopback = error === null && addresses.some((entry) => entry !== LOOPBACK)
      callback(isOutsideLoopback ? new NonLoopbackTargetError() : error, address, family)
    })
}
