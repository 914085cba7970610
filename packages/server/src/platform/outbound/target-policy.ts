import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type AddressRange = ReturnType<typeof ipaddr.parseCIDR>

/** Target of a connection: the requested name and its resolved address. */
export interface Target {
  /** A host name or a literal address, without brackets. */
  readonly hostname: string
  readonly port: number
  readonly address: string
}

/** Decides which addresses requests to customer URLs can access. */
export interface TargetPolicy {
  allows(target: Target): boolean
}

/** An exception set by the operator: a name or address range, on one port or all ports. */
type AllowRule =
  | { readonly kind: 'name'; readonly hostname: string; readonly port: number | null }
  | { readonly kind: 'range'; readonly range: AddressRange; readonly port: number | null }

/** Global IPv6 unicast range (RFC 4291 §2.4). The word "unicast" alone would allow ::7f00:1 (IPv4-compatible). */
const GLOBAL_IPV6: AddressRange = ipaddr.parseCIDR('2000::/3')
/** IPv6 ranges with an IPv4 address in the last 32 bits: mapped, translated, NAT64 (RFC 4291, 6145, 6052). */
const IPV4_IN_LAST_BITS = ['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'].map((range) => ipaddr.parseCIDR(range))
/** 6to4 (RFC 3056) contains the IPv4 address after the first 16 bits. */
const SIX_TO_FOUR: AddressRange = ipaddr.parseCIDR('2002::/16')

/**
 * Whether an address is public. Returns false for loopback, private, link-local, shared, reserved and multicast addresses. Also
 * returns false for IPv6 addresses that embed such an address, and for text that is not an address.
 */
export function isPublicAddress(ip: string): boolean {
  const address = parseAddress(ip)
  if (address === null) return false
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || isInRange(address, GLOBAL_IPV6))
}

/**
 * Creates a policy that allows public addresses and the operator's entries: hosts (`tools.internal`), hosts with a port
 * (`localhost:4200`, `[::1]:4200`), addresses and ranges (`10.1.0.0/16`). Throws if an entry is invalid.
 */
export function createTargetPolicy(options: { readonly allowPrivateTargets: readonly string[] }): TargetPolicy {
  const rules = options.allowPrivateTargets.map((entry) => {
    const rule = parseRule(entry.trim().toLowerCase())
    if (rule === null) throw new Error(`"${entry}" is not a host, host:port, address or address range`)
    return rule
  })
  return {
    allows: (target) => isPublicAddress(target.address) || rules.some((rule) => matchesRule(rule, target)),
  }
}

function matchesRule(rule: AllowRule, target: Target): boolean {
  if (rule.port !== null && rule.port !== target.port) return false
  if (rule.kind === 'name') return rule.hostname === normalizeHostname(target.hostname)
  const address = parseAddress(target.address)
  return address !== null && isInRange(address, rule.range)
}

function parseRule(entry: string): AllowRule | null {
  if (ipaddr.isValidCIDR(entry)) return { kind: 'range', range: ipaddr.parseCIDR(entry), port: null }
  if (isIP(entry) !== 0) return createAddressRule(entry, null)
  const match = /^(?:\[([^\]]+)\]|([a-z0-9_.-]+))(?::(\d{1,5}))?$/.exec(entry)
  if (match === null) return null
  const port = match[3] === undefined ? null : Number(match[3])
  if (port !== null && (port < 1 || port > 65_535)) return null
  const hostname = match[1] ?? normalizeHostname(match[2] ?? '')
  if (isIP(hostname) !== 0) return createAddressRule(hostname, port)
  return match[1] === undefined && hostname !== '' ? { kind: 'name', hostname, port } : null
}

function createAddressRule(ip: string, port: number | null): AllowRule {
  const address = extractEmbeddedIpv4(ipaddr.parse(ip))
  return { kind: 'range', range: [address, address.kind() === 'ipv4' ? 32 : 128], port }
}

function parseAddress(ip: string): Address | null {
  // The parser would also accept "127.1" and "2130706433", but connection targets are always in full form.
  return isIP(ip) === 0 ? null : extractEmbeddedIpv4(ipaddr.parse(ip))
}

/** Returns the IPv4 address embedded in an IPv6 address. Returns other addresses unchanged. */
function extractEmbeddedIpv4(address: Address): Address {
  if (address.kind() === 'ipv4') return address
  const bytes = address.toByteArray()
  if (IPV4_IN_LAST_BITS.some((range) => isInRange(address, range))) return ipaddr.fromByteArray(bytes.slice(12))
  return isInRange(address, SIX_TO_FOUR) ? ipaddr.fromByteArray(bytes.slice(2, 6)) : address
}

function isInRange(address: Address, range: AddressRange): boolean {
  return address.kind() === range[0].kind() && address.match(range)
}

/** Converts a host name to lower case and removes the trailing dot of a fully qualified name. */
function normalizeHostname(hostname: string): string {
  return hostname.toLowerCase().replace(/\.$/, '')
}
