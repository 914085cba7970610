import type { Dispatcher } from 'undici'
import type { Clock } from '../../packages/engine/src/ports.ts'
import type { SpeechSocketTarget } from '../../packages/server/src/integrations/speech/vendor-socket.ts'
import type { OpenGuardedSocket } from '../../packages/server/src/platform/outbound/guarded-socket.ts'
import type { WireLog } from './wire-log.ts'

/** One assumption about a vendor's API. The name states the assumption. */
export interface Check {
  readonly name: string
  /** Estimated cost in US dollars. */
  readonly costUsd: number
  /** Time limit, 30 seconds by default. */
  readonly limitMs?: number
  /** Rejects with a `CheckError` if the assumption is wrong. */
  run(signal: AbortSignal): Promise<void>
}

/** A wrong assumption. The message contains no key and no spoken text. */
export class CheckError extends Error {}

/** Throws a `CheckError` unless the condition is true. */
export function verify(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new CheckError(problem)
}

/** The vendor under test, and clients that write to the log. */
export interface VendorAccess {
  readonly http: Dispatcher
  readonly openSocket: OpenGuardedSocket
  readonly clock: Clock
  readonly baseUrl: string
  readonly apiKey: string
  readonly log: WireLog
  /** Model or voice that the operator chose instead of the default. */
  readonly model: string | null
  readonly voice: string | null
  /** Time between two frames of audio. */
  readonly frameIntervalMs: number
  /** Returns `SENTENCE` at 16 kHz, spoken by a built-in voice. */
  readonly getSpokenSentence: () => Promise<Int16Array>
}

/** A key in the vendor's format that does not exist. */
export const WRONG_KEY = 'sk-parley-verify-0123456789abcdef'

/** Returns the target of a speech client. */
export function toSocketTarget(access: VendorAccess, apiKey = access.apiKey): SpeechSocketTarget {
  const { openSocket, clock, baseUrl } = access
  return { openSocket, clock, baseUrl, apiKey }
}
