import { isIP } from 'node:net'
import type { AllowedTargets } from './webhook-ports.ts'

const LOOPBACK = '127.0.0.1'

/**
 * Sentences about an address that will be refused as it stands. What a name leads to is only known when it is used, so that
 * nothing is said about names beside those of this machine.
 */
export function addressWarnings(url: string, targets: AllowedTargets): string[] {
  const { hostname: printed, port, protocol } = new URL(url)
  const hostname = printed.replace(/^\[|\]$/g, '')
  const address = isIP(hostname) !== 0 ? hostname : isLocalhost(hostname) ? LOOPBACK : null
  if (address === null) return []
  if (targets.allows({ hostname, port: portOf(port, protocol), address })) return []
  return [`The address ${hostname} is not public: deliveries to it are refused, unless the operator allows it.`]
}

function isLocalhost(hostname: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(hostname)
}

function portOf(port: string, protocol: string): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}
