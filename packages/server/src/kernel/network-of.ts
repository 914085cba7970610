import { isIPv6 } from 'node:net'

const V4_MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i
const GROUPS = 8
/** A customer of an access provider is given this many of the eight groups and chooses the rest. */
const NETWORK_GROUPS = 4
/** No address is longer; a proxy may hand on what is none. */
const LONGEST_ADDRESS = 64

/**
 * Whom an address stands for, where limits hold against somebody: an IPv4 address for itself, an IPv6 address for its /64, of
 * which one customer has all. What is no address stands for itself, cut.
 */
export function networkOf(ip: string): string {
  const mapped = V4_MAPPED.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  const [address = ''] = ip.split('%', 1)
  if (!isIPv6(address)) return ip.slice(0, LONGEST_ADDRESS)
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''))
  // An IPv4 address at the end stands for two groups.
  const tailGroups = tail.length + (tail.at(-1)?.includes('.') === true ? 1 : 0)
  const zeros = Array.from({ length: Math.max(0, GROUPS - head.length - tailGroups) }, () => '0')
  const groups = [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS)
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}
