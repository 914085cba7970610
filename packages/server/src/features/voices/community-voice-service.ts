import type {
  CommunityVoice,
  CreateVoiceBody,
  SearchVoicesBody,
  UpdateVoiceBody,
  VoiceProvider,
} from '@parley/contract/voice'
import type { Clock, MakeId } from '@parley/engine/ports'
import { notFound } from '../../kernel/errors.ts'
import type { Database } from '../../kernel/storage/database.ts'
import type { VendorKey, VendorKeys } from '../vendor-keys/public.ts'
import { BUILT_IN_VOICES } from './voice-catalog.ts'
import type { CatalogVoice, VoiceDirectories, VoiceDirectory, VoiceOutcome, VoiceUsers } from './voice-ports.ts'
import {
  createBuiltInVoiceError,
  createVendorNotConfiguredError,
  createVoiceAddedError,
  createVoiceInUseError,
  toVendorError,
} from './voice-preview-service.ts'
import { findVoice, insertVoice, isVoiceAdded, removeVoice, updateStoredVoice } from './voice-store.ts'

interface CommunityVoiceDependencies {
  readonly database: Database
  readonly clock: Omit<Clock, 'after'>
  readonly makeId: MakeId
  readonly keys: VendorKeys
  readonly directories: VoiceDirectories
  readonly users: VoiceUsers
}

/** Searches, adds and removes vendors' community voices. */
export interface CommunityVoiceService {
  search(workspaceId: number, body: SearchVoicesBody): Promise<readonly CommunityVoice[]>
  create(workspaceId: number, body: CreateVoiceBody): Promise<CatalogVoice>
  /** Throws `not_found` for voices that were not added to the workspace. */
  update(workspaceId: number, voiceId: string, body: UpdateVoiceBody): Promise<CatalogVoice>
  /**
   * Removes a voice from the workspace. The vendor account keeps the voice, because other workspaces may use the same key.
   */
  remove(workspaceId: number, voiceId: string): Promise<void>
}

export function createCommunityVoiceService(dependencies: CommunityVoiceDependencies): CommunityVoiceService {
  const { database, clock, makeId, keys, directories, users } = dependencies

  /** Calls a vendor with the workspace's key. Throws an error if the request fails. */
  async function requestFromVendor<Value>(
    workspaceId: number,
    provider: VoiceProvider,
    request: (directory: VoiceDirectory, key: VendorKey) => Promise<VoiceOutcome<Value>>,
  ): Promise<Value> {
    const key = await keys.findKey(workspaceId, provider)
    if (key === null) throw createVendorNotConfiguredError(provider)
    const outcome = await request(directories[provider], key)
    if (!outcome.ok) throw toVendorError(provider, outcome)
    return outcome.value
  }

  return {
    async search(workspaceId, { voiceProvider, searchQuery }) {
      const communityVoices = await requestFromVendor(workspaceId, voiceProvider, (directory, key) =>
        directory.search(key, searchQuery),
      )
      return communityVoices.map((communityVoice) => ({ ...communityVoice, voiceProvider }))
    },

    async create(workspaceId, body) {
      const { voiceProvider: provider, providerVoiceId, publicUserId, name, playbackOverrideUrl } = body
      // Checked first, because each added voice takes up one of the vendor account's voice slots.
      if (await isVoiceAdded(database.read, workspaceId, { provider, providerVoiceId })) {
        throw createVoiceAddedError(provider, providerVoiceId)
      }
      const sharedVoice = { providerVoiceId, publicUserId, name }
      const accountVoice = await requestFromVendor(workspaceId, provider, (directory, key) =>
        directory.add(key, sharedVoice),
      )
      const voice = {
        ...sharedVoice,
        ...accountVoice,
        provider,
        playbackOverrideUrl,
        workspaceId,
        voiceId: makeId('voice'),
        now: clock.now(),
      }
      const storedVoice = await database.transaction((transaction) => insertVoice(transaction, voice))
      if (storedVoice === null) throw createVoiceAddedError(provider, providerVoiceId)
      return storedVoice
    },

    async update(workspaceId, voiceId, body) {
      rejectBuiltInVoice(voiceId)
      const position = { workspaceId, voiceId, now: clock.now() }
      const voice = await database.transaction((transaction) => updateStoredVoice(transaction, position, body))
      if (voice === null) throw notFound('voice', voiceId)
      return voice
    },

    async remove(workspaceId, voiceId) {
      rejectBuiltInVoice(voiceId)
      await database.transaction(async (transaction) => {
        if ((await findVoice(transaction, workspaceId, voiceId)) === null) throw notFound('voice', voiceId)
        const agents = await users.findVoiceUsers(transaction, workspaceId, voiceId)
        if (agents.length > 0) throw createVoiceInUseError(voiceId, agents)
        await removeVoice(transaction, workspaceId, voiceId)
      })
    },
  }
}

function rejectBuiltInVoice(voiceId: string): void {
  if (BUILT_IN_VOICES.some((voice) => voice.voiceId === voiceId)) throw createBuiltInVoiceError(voiceId)
}
