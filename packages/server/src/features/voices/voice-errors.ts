import type { VoiceProvider } from '@parley/contract/voice'
import { AppError, invalidField } from '../../kernel/errors.ts'
import type { PreviewOutcome, VoiceFailure } from './voice-ports.ts'

/** How each provider is spoken of, and the setting that holds the operator's key. */
const VENDORS: Readonly<Record<VoiceProvider, { readonly label: string; readonly setting: string }>> = {
  elevenlabs: { label: 'ElevenLabs', setting: 'ELEVENLABS_API_KEY' },
  cartesia: { label: 'Cartesia', setting: 'CARTESIA_API_KEY' },
}

/** Nobody gave the workspace a key to the provider. */
export function vendorNotConfigured(provider: VoiceProvider): AppError {
  const { label, setting } = VENDORS[provider]
  return new AppError(
    'provider_not_configured',
    `There is no key for ${label}. Store one at /api/provider-keys, or set ${setting} on the server.`,
  )
}

/** The answer to what went wrong at a provider. */
export function vendorFailed(provider: VoiceProvider, { reason, message }: VoiceFailure): AppError {
  switch (reason) {
    case 'key-unusable': {
      const { setting } = VENDORS[provider]
      const remedy = `Store another key at /api/provider-keys, or set ${setting} on the server.`
      return new AppError('provider_not_configured', `${message} ${remedy}`)
    }
    case 'unknown-voice':
      return invalidField('providerVoiceId', message)
    case 'failed':
      return new AppError('provider_error', message)
    case 'timeout':
      return new AppError('provider_timeout', message)
  }
}

export function voiceAlreadyAdded(provider: VoiceProvider, providerVoiceId: string): AppError {
  const { label } = VENDORS[provider]
  return new AppError('id_taken', `The workspace has the voice "${providerVoiceId}" of ${label} already.`)
}

export function builtInVoiceNotRemovable(voiceId: string): AppError {
  return new AppError('forbidden', `Voice "${voiceId}" is built in: every workspace has it and none can remove it.`)
}

export function voiceInUse(
  voiceId: string,
  users: readonly { readonly id: string; readonly name: string }[],
): AppError {
  const named = users.map(({ id, name }) => (name === '' ? id : `"${name}" (${id})`))
  return new AppError(
    'in_use',
    `Voice "${voiceId}" is spoken by ${named.join(', ')}. Delete those agents or give them another voice first.`,
    { details: named.map((user) => ({ path: '', message: `used by ${user}` })) },
  )
}

/** The answer to a preview that was not spoken. */
export function previewFailed({ reason, message }: Extract<PreviewOutcome, { ok: false }>): AppError {
  switch (reason) {
    case 'not-connected':
    case 'key-unusable':
      return new AppError('provider_not_configured', message)
    case 'failed':
      return new AppError('provider_error', message)
    case 'timeout':
      return new AppError('provider_timeout', message)
  }
}
