import type { NumberProvider } from '@parley/contract/phone-number'

/** A number to import at its carrier. */
interface CarriedNumber {
  readonly workspaceId: number
  readonly number: string
  readonly provider: NumberProvider
  readonly terminationUri: string | null
}

/** Configures carriers to route the calls of a number to this server. */
export interface CarrierImport {
  /**
   * Imports a number. Safe to repeat, and never rejects. `error` is a sentence for the customer, or null if calls arrive.
   * `isConfirmed` means that the carrier confirmed ownership by the account of the credentials.
   */
  importNumber(number: CarriedNumber): Promise<{ readonly error: string | null; readonly isConfirmed: boolean }>
}

/** Providers whose calls arrive without an import. */
const NEEDS_NO_IMPORT: ReadonlySet<NumberProvider> = new Set(['loopback', 'sip'])

/**
 * Creates the carrier import. Loopback numbers and SIP trunks need no import and prove no ownership. Other carriers are not
 * supported yet and return an error.
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
