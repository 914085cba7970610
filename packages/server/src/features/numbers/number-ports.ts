import type { NumberProvider } from '@parley/contract/phone-number'

/** What the numbers need of others, beside the bindings of agents in the kernel. */

/** A number as its carrier has to know it. */
export interface CarriedNumber {
  readonly workspaceId: number
  readonly number: string
  readonly provider: NumberProvider
  readonly terminationUri: string | null
}

/** Makes carriers send the calls of a number to this server. */
export interface CarrierImport {
  /**
   * May be asked again for the same number. Never rejects: `error` is a sentence for the customer, null when calls arrive.
   * `isConfirmed`: the carrier has confirmed that the number belongs to the account of the credentials.
   */
  importNumber(number: CarriedNumber): Promise<{ readonly error: string | null; readonly isConfirmed: boolean }>
}
