import type { KeyedVendor } from '../../packages/server/src/features/vendor-keys/public.ts'
import { createAnthropicChecks } from './anthropic-checks.ts'
import { createCartesiaChecks } from './cartesia-checks.ts'
import type { Check, VendorAccess } from './check.ts'
import { createDeepgramChecks } from './deepgram-checks.ts'
import { createElevenLabsChecks } from './elevenlabs-checks.ts'
import { createOpenAiChecks } from './openai-checks.ts'

/** The checks of every vendor that has a key. */
export const VENDOR_CHECKS: Readonly<Record<KeyedVendor, (access: VendorAccess) => readonly Check[]>> = {
  openai: createOpenAiChecks,
  anthropic: createAnthropicChecks,
  deepgram: createDeepgramChecks,
  elevenlabs: createElevenLabsChecks,
  cartesia: createCartesiaChecks,
}

export function isVendor(name: string): name is KeyedVendor {
  return Object.hasOwn(VENDOR_CHECKS, name)
}
