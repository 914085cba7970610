import { createManualClock } from '@parley/engine/testing/manual-clock'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { createSequentialIds } from '../features-test-kit.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import type { VendorKey } from '../vendor-keys/vendor-key-store.ts'
import { createCommunityVoiceService } from './community-voice-service.ts'
import { createVoiceCatalog } from './voice-catalog.ts'
import type { AccountVoice, VoiceDirectories, VoiceFailure, VoiceSearchResult } from './voice-ports.ts'
import { registerVoiceRoutes } from './voice-routes.ts'

/** The scripted vendor's description of every voice. */
const ACCOUNT_VOICE: Omit<AccountVoice, 'accountVoiceId'> = {
  gender: 'female',
  language: 'en',
  accent: 'british',
  description: 'Calm narrator.',
  previewUrl: 'https://samples.example/nora.mp3',
  tags: ['calm'],
}

/** Serves the voice routes on a database with workspaces 1 and 2. `state` controls the scripted vendors. */
export async function openVoices(directories?: VoiceDirectories) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const time = createManualClock()
  const state = {
    key: { apiKey: 'sk_operator', baseUrl: null, isStored: false, isShared: true } as VendorKey | null,
    /** The vendors' failure, if any. */
    failure: null as VoiceFailure | null,
    found: [] as readonly VoiceSearchResult[],
    /** Called while a vendor adds a voice. */
    whileAdding: async (): Promise<void> => undefined,
    speakers: [] as readonly { readonly id: string; readonly name: string }[],
    asked: [] as string[],
  }
  const makeId = createSequentialIds()
  const catalog = createVoiceCatalog(database)
  const community = createCommunityVoiceService({
    database,
    clock: time.clock,
    makeId,
    keys: {
      findKey: async (workspaceId, service) => {
        state.asked.push(`key of ${service} for ${workspaceId}`)
        return state.key
      },
    },
    directories: directories ?? scriptDirectories(state),
    users: { findVoiceUsers: async () => state.speakers },
  })
  const routes = openRoutes({ database, clock: time.clock, makeId }, (api) =>
    registerVoiceRoutes(api, { catalog, community, getBaseUrl: () => 'https://parley.example' }),
  )
  return {
    database,
    time,
    state,
    catalog,
    send: routes.send,
    actAs: routes.actAs,
    /** Adds a voice and returns its id. */
    addVoice: async (providerVoiceId: string, workspaceId = 1): Promise<string> => {
      const body = { workspaceId, voiceProvider: 'cartesia', providerVoiceId, name: `Voice ${providerVoiceId}` }
      return (await routes.send('POST /api/voices', body)).body.voiceId
    },
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

interface Script {
  readonly failure: VoiceFailure | null
  readonly found: readonly VoiceSearchResult[]
  readonly whileAdding: () => Promise<void>
  readonly asked: string[]
}

function scriptDirectories(script: Script): VoiceDirectories {
  const directoryOf = (provider: string): VoiceDirectories['cartesia'] => ({
    list: async () => ({ ok: true, value: [] }),
    async search(key, query) {
      script.asked.push(`${provider} for "${query}" with ${key.apiKey}`)
      return script.failure ?? { ok: true, value: script.found }
    },
    async add(key, { providerVoiceId, publicUserId, name }) {
      script.asked.push(`${provider} to add ${providerVoiceId} of ${publicUserId} as "${name}" with ${key.apiKey}`)
      await script.whileAdding()
      return script.failure ?? { ok: true, value: { ...ACCOUNT_VOICE, accountVoiceId: `account-${providerVoiceId}` } }
    },
  })
  return { elevenlabs: directoryOf('elevenlabs'), cartesia: directoryOf('cartesia') }
}
