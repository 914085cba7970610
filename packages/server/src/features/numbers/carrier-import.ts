import type { NumberProvider } from '@parley/contract/phone-number'
import type { CarrierImport } from './number-ports.ts'

/** Their calls arrive without anybody being told. */
const NEEDS_NO_IMPORT: ReadonlySet<NumberProvider> = new Set(['loopback', 'sip'])

/**
 * Loopback numbers and SIP trunks need no import, and prove nothing about a number. No carrier is connected to this server
 * yet, and it says so.
 */
export function createCarrierImport(): CarrierImport {
  return {
    importNumber: async ({ provider }) => {
      if (NEEDS_NO_IMPORT.has(provider)) return { error: null, isConfirmed: false }
      const error = `This server has no connection to ${provider} yet, so calls to the number will not arrive.`
      return { error, isConfirmed: false }
    },
  }
}
