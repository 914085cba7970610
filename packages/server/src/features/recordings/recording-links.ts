import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'

/** Links to recordings that need no token. */
export interface RecordingLinks {
  /**
   * What makes links, from now on for the time of one answer. They are good for 24 hours at least and 25 at most, and the same
   * within an hour, so that browsers keep what they loaded.
   */
  signer(): Promise<(callId: string) => string>
  /** Whether this is the signature of a link that is still good. Compares in constant time. */
  isValid(callId: string, expires: string, signature: string): Promise<boolean>
}

export interface RecordingLinksOptions {
  /** Of the installation: all nodes sign with the same. */
  readonly key: () => Promise<Uint8Array>
  readonly clock: Omit<SharedClock, 'after'>
  /** Where this API is reached from outside. */
  readonly baseUrl: () => string
}

const HOUR_MS = 3_600_000
const VALID_FOR_MS = 24 * HOUR_MS

export function createRecordingLinks({ key, clock, baseUrl }: RecordingLinksOptions): RecordingLinks {
  /** The word before it keeps signatures of other things apart. */
  const sign = (secret: Uint8Array, callId: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`recording.${callId}.${expires}`).digest()

  return {
    async signer() {
      const secret = await key()
      const expires = String((Math.floor((clock.now() + VALID_FOR_MS) / HOUR_MS) + 1) * HOUR_MS)
      return (callId) => {
        const signature = sign(secret, callId, expires).toString('base64url')
        return `${baseUrl()}/api/v1/calls/${callId}/recording?expires=${expires}&signature=${signature}`
      }
    },
    async isValid(callId, expires, signature) {
      const expected = sign(await key(), callId, expires)
      const given = Buffer.from(signature, 'base64url')
      return given.length === expected.length && timingSafeEqual(given, expected) && Number(expires) > clock.now()
    },
  }
}
