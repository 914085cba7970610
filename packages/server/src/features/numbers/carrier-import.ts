import type { NumberProvider } from '@parley/contract/phone-number'

/** A number to configure at its carrier. */
interface CarrierNumber {
  readonly workspaceId: number
  readonly number: string
  readonly provider: NumberProvider
  readonly terminationUri: string | null
}

/** Configures a carrier to route a number's calls to this server. */
export interface CarrierImporter {
  /**
   * Imports a number. Can be repeated safely and never rejects. `error` is a message for the customer, or null on success.
   * `isConfirmed` means that the carrier confirmed the ownership of the number.
   */
  importNumber(number: CarrierNumber): Promise<{ readonly error: string | null; readonly isConfirmed: boolean }>
}

/** Providers that need no import. */
const PROVIDERS_WITHOUT_IMPORT: ReadonlySet<NumberProvider> = new Set(['loopback', 'sip'])

/**
 * Creates the importer. Loopback numbers and SIP trunks need no import, and their ownership is not confirmed. Other carriers are
 * not supported yet and return an error.
 */
export function createCarrierImporter(): CarrierImporter {
  return {
    importNumber: async ({ provider }) => {
      if (PROVIDERS_WITHOUT_IMPORT.has(provider)) return { error: null, isConfirmed: false }
      const error = `This server has no connection to ${provider} yet, so calls to the number will not arrive.`
      return { error, isConfirmed: false }
    },
  }
}
