/** Keys to services outside, as features use them; implemented by the provider-keys feature. */
export interface ServiceKey {
  readonly apiKey: string
  /** The service's own address when null. */
  readonly baseUrl: string | null
  /** Set by a customer and not by the operator: requests to `baseUrl` must pass the outbound guard. */
  readonly isStored: boolean
}

export type KeyedService = 'openai' | 'anthropic' | 'elevenlabs' | 'cartesia'

export interface ProviderKeys {
  /** The key of the workspace, else its tenant's, else its provider's, else the operator's; null without any. */
  keyFor(workspaceId: number, service: KeyedService): Promise<ServiceKey | null>
}
