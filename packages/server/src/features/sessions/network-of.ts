const V4_MAPPED = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i
/** A customer of an access provider is given this many of the eight groups and chooses the rest. */
const NETWORK_GROUPS = 4

/** Whom an address stands for: an IPv4 address for itself, an IPv6 address for its /64, of which one customer has all. */
export function networkOf(ip: string): string {
  const mapped = V4_MAPPED.exec(ip)?.[1]
  if (mapped !== undefined) return mapped
  if (!ip.includes(':')) return ip
  const [address = ''] = ip.split('%', 1)
  const [head = '', tail] = address.split('::')
  const left = groupsOf(head)
  const right = tail === undefined ? [] : groupsOf(tail)
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => '0')
  const groups = [...left, ...zeros, ...right].map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''))
  return `${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}
