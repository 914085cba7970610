import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

const RANGES: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.1/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Resolves the client address of a raw request. `trustProxy` is `true` to trust every `X-Forwarded-For`, `false` for
 * none, or a list of proxy addresses, networks and range names.
 */
export function createClientAddress(trustProxy: boolean | string): (request: IncomingMessage) => string {
  const isTrusted = trustProxy === true ? () => true : trustProxy === false ? () => false : trustOf(trustProxy)
  return ({ socket, headers }) => {
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map((address) => address.trim())
      .filter((address) => address !== '')
    let address = plain(socket.remoteAddress ?? '')
    // From the nearest proxy outward: the first untrusted address is the client.
    for (let next = forwarded.pop(); next !== undefined && isTrusted(address); next = forwarded.pop()) {
      address = plain(next)
    }
    return address
  }
}

function trustOf(setting: string): (address: string) => boolean {
  const trusted = new BlockList()
  for (const item of setting.split(',').flatMap((word) => RANGES[word.trim()] ?? [word.trim()])) {
    const [network = '', bits] = item.split('/')
    const version = isIP(network)
    if (version === 0) continue
    const family = version === 4 ? 'ipv4' : 'ipv6'
    trusted.addSubnet(network, bits === undefined ? (version === 4 ? 32 : 128) : Number(bits), family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && trusted.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}

/** Unwraps IPv4-mapped IPv6 addresses. */
function plain(address: string): string {
  const match = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return match?.[1] ?? address
}
