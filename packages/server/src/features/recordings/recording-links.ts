import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SharedClock } from '../../kernel/work/shared-clock.ts'

/** Links to recordings that need no token. */
export interface RecordingLinks {
  /**
   * Returns a function that creates links for one response. They are valid for 24 to 25 hours and stay equal within an
   * hour, so that browsers can cache.
   */
  signer(): Promise<(callId: string) => string>
  /** Whether the signature belongs to an unexpired link. Compares in constant time. */
  isValid(callId: string, expires: string, signature: string): Promise<boolean>
}

interface RecordingLinksOptions {
  /** Installation key: all nodes sign with the same one. */
  readonly key: () => Promise<Uint8Array>
  readonly clock: Omit<SharedClock, 'after'>
  /** Public base URL of this API. */
  readonly baseUrl: () => string
}

const HOUR_MS = 3_600_000
const VALID_FOR_MS = 24 * HOUR_MS

export function createRecordingLinks({ key, clock, baseUrl }: RecordingLinksOptions): RecordingLinks {
  /** The prefix separates these signatures from others. */
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
