import { SCOPES } from '@parley/contract/access'
import { createManualClock } from '@parley/engine/testing/manual-clock'
import { describe, expect, test } from 'vitest'
import { seedWorkspaces } from '../../../../../testing/seed-workspaces.ts'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { disposeAll, openRoutes } from '../route-test-kit.ts'
import { createVoiceCatalog } from './voice-catalog.ts'
import type { Preview, PreviewOutcome, SampleOutcome, VendorVoice } from './voice-ports.ts'
import { createVoicePreviewService } from './voice-preview-service.ts'
import { registerVoicePreviewRoutes } from './voice-routes.ts'
import { insertVoice } from './voice-store.ts'

const ALLOY: VendorVoice = { provider: 'openai', name: 'alloy', gender: 'neutral', description: 'Balanced.' }

/** A voice whose preview is replaced. */
const NORA = {
  ...{ voiceId: 'voice_nora', provider: 'elevenlabs', providerVoiceId: 'nora', accountVoiceId: 'nora' },
  ...{ publicUserId: null, name: 'Nora', gender: 'female', language: 'en', accent: null, description: '', tags: [] },
  ...{ previewUrl: null, playbackOverrideUrl: 'https://samples.example/own.mp3', now: 1 },
}

async function openPreviews(maxCacheBytes?: number) {
  const database = await temporaryDatabase()
  await seedWorkspaces(database)
  const { clock } = createManualClock()
  const state = {
    providers: [ALLOY] as readonly VendorVoice[],
    outcome: null as PreviewOutcome | null,
    sample: { ok: true, contentType: 'audio/mpeg', bytes: Buffer.from('"sample"') } as SampleOutcome,
  }
  const loadedUrls: string[] = []
  const asked: Preview[] = []
  const catalog = createVoiceCatalog(database, {
    listVoices: async () => state.providers,
    listKnownVoices: async () => state.providers,
  })
  const previews = createVoicePreviewService({
    catalog,
    speaker: {
      async preview(_workspaceId, preview) {
        asked.push(preview)
        return state.outcome ?? { ok: true, wav: wavOf(preview.text) }
      },
    },
    loadSample: async (url) => {
      loadedUrls.push(url)
      return state.sample
    },
    ...(maxCacheBytes !== undefined && { maxCacheBytes }),
  })
  const routes = openRoutes({ database, clock, makeId: (prefix) => `${prefix}_1` }, (api) =>
    registerVoicePreviewRoutes(api, previews),
  )
  return {
    ...{ database, state, asked, loadedUrls, catalog, previews, actAs: routes.actAs },
    send: (voiceId: string, body: object = {}) =>
      routes.send(`POST /api/voices/${voiceId}/preview`, { workspaceId: 1, ...body }),
    get: (voiceId: string, headers: Readonly<Record<string, string>> = {}) =>
      routes.send(`GET /api/voices/${voiceId}/preview?workspaceId=1`, undefined, headers),
    [Symbol.asyncDispose]: disposeAll(routes, database),
  }
}

/** The route kit parses responses as JSON, so this audio is valid JSON. */
const wavOf = (text: string): Buffer => Buffer.from(JSON.stringify(`sound of ${text}`))

describe('a preview', () => {
  test('returns playable audio of the voice', async () => {
    await using voices = await openPreviews()
    const answer = await voices.send('voice_builtin_slt', { text: 'Good morning.', voiceSpeed: 1.5 })
    expect(answer).toMatchObject({ status: 200, body: 'sound of Good morning.' })
    expect(answer.headers['content-type']).toBe('audio/wav')
    expect(voices.asked).toEqual([
      {
        voice: { provider: 'builtin', vendorVoice: 'slt', gender: 'female' },
        text: 'Good morning.',
        language: 'en-US',
        model: null,
        speed: 1.5,
        temperature: 1,
        emotion: null,
      },
    ])
  })

  test('says a sentence in its language by default', async () => {
    await using voices = await openPreviews()
    await voices.send('voice_openai_alloy', { language: 'de-AT' })
    await voices.send('voice_openai_alloy')
    await voices.send('voice_openai_alloy', { language: 'tlh' })
    expect(voices.asked.map(({ text }) => text.split(' ')[0])).toEqual(['Hallo,', 'Hello,', 'Hello,'])
    expect(voices.asked[0]?.voice).toEqual({ provider: 'openai', vendorVoice: 'alloy', gender: 'neutral' })
  })

  test('is synthesized once for concurrent and later requests, and again after eviction', async () => {
    await using voices = await openPreviews(wavOf('Hi there').length * 2)
    const hear = (text: string) => voices.send('voice_builtin_slt', { text })
    await Promise.all([hear('Hi there'), hear('Hi there')])
    await hear('Hi there')
    expect(voices.asked).toHaveLength(1)
    await hear('Hi then.')
    await hear('Hi there')
    await hear('Hi three')
    expect(voices.asked).toHaveLength(3)
    await hear('Hi there')
    expect(voices.asked).toHaveLength(3)
    await hear('Hi then.')
    expect(voices.asked).toHaveLength(4)
  })
})

describe('the preview at the URL of a voice', () => {
  test('is the default preview, for everyone who can read the voice', async () => {
    await using voices = await openPreviews()
    voices.actAs({ scopes: new Set(['read']) })
    for (const voiceId of ['voice_builtin_slt', 'voice_openai_alloy']) {
      const answer = await voices.get(voiceId)
      expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^sound of Hello, /) })
      expect(answer.headers['content-type']).toBe('audio/wav')
      const { etag = '' } = answer.headers
      expect((await voices.get(voiceId, { 'if-none-match': etag })).status).toBe(304)
    }
    expect(voices.asked).toHaveLength(2)
    voices.actAs({ scopes: new Set(SCOPES) })
    await voices.send('voice_builtin_slt')
    expect(voices.asked).toHaveLength(2)
    expect(await voices.get('voice_unknown')).toMatchObject({ status: 404 })
  })

  test('is the sample that replaces it', async () => {
    await using voices = await openPreviews()
    await voices.database.transaction((transaction) => insertVoice(transaction, { ...NORA, workspaceId: 1 }))
    const answer = await voices.get('voice_nora')
    expect(answer).toMatchObject({ status: 200, body: 'sample' })
    expect(answer.headers['content-type']).toBe('audio/mpeg')
    expect((await voices.get('voice_nora', { 'if-none-match': answer.headers.etag ?? '' })).status).toBe(304)
    expect(voices.loadedUrls).toEqual([NORA.playbackOverrideUrl, NORA.playbackOverrideUrl])
    expect(voices.asked).toEqual([])
    // A text of one's own is always spoken.
    expect(await voices.send('voice_nora', { text: 'Hi' })).toMatchObject({ body: 'sound of Hi' })
    for (const [reason, status] of [
      ['failed', 502],
      ['timeout', 504],
    ] as const) {
      voices.state.sample = { ok: false, reason, message: 'It is gone.' }
      expect(await voices.get('voice_nora')).toMatchObject({ status, body: { error: 'It is gone.' } })
    }
  })
})

describe('errors', () => {
  test.each([
    ['not-connected', 422, 'provider_not_configured'],
    ['key-unusable', 422, 'provider_not_configured'],
    ['failed', 502, 'provider_error'],
    ['timeout', 504, 'provider_timeout'],
  ] as const)('%s is reported and not cached', async (reason, status, code) => {
    await using voices = await openPreviews()
    voices.state.outcome = { ok: false, reason, message: 'It did not speak.' }
    expect(await voices.send('voice_builtin_slt')).toMatchObject({ status, body: { code, error: 'It did not speak.' } })
    voices.state.outcome = null
    expect(await voices.send('voice_builtin_slt')).toMatchObject({ status: 200 })
  })

  test('rejects unknown voices, long texts and viewers', async () => {
    await using voices = await openPreviews()
    for (const unknown of ['voice_unknown', 'voice_openai_bogus']) {
      expect(await voices.send(unknown)).toMatchObject({ status: 404, body: { code: 'not_found' } })
    }
    const wrong = await voices.send('voice_builtin_slt', { text: 'x'.repeat(501), voiceSpeed: 9, language: 'no tag' })
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
    expect(wrong.body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'language',
      'text',
      'voiceSpeed',
    ])
    voices.actAs({ scopes: new Set(['read']) })
    expect(await voices.send('voice_builtin_slt')).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect(voices.asked).toEqual([])
  })

  test('a voice of a disconnected vendor is reported by the synthesizer', async () => {
    await using voices = await openPreviews()
    voices.state.providers = []
    voices.state.outcome = { ok: false, reason: 'not-connected', message: 'OpenAI is not connected.' }
    expect(await voices.send('voice_openai_alloy')).toMatchObject({ status: 422 })
    expect(voices.asked).toHaveLength(1)
  })

  test('an unreadable catalog is an error rather than a voice without language', async () => {
    const asked: Preview[] = []
    const previews = createVoicePreviewService({
      catalog: {
        get: () => Promise.reject(new Error('The disk is gone.')),
        resolveVoice: async () => ({ provider: 'builtin', vendorVoice: 'slt', gender: null }),
        hasVendorVoices: async () => true,
      },
      speaker: {
        async preview(_workspaceId, preview) {
          asked.push(preview)
          return { ok: true, wav: wavOf(preview.text) }
        },
      },
      loadSample: () => Promise.reject(new Error('Nothing is loaded.')),
    })
    const body = {
      text: 'Hi',
      language: null,
      voiceModel: null,
      voiceSpeed: 1,
      voiceTemperature: 1,
      voiceEmotion: null,
    }
    await expect(previews.preview(1, 'voice_builtin_slt', body)).rejects.toThrow('The disk is gone.')
    expect(asked).toEqual([])
  })
})

describe('vendor voices', () => {
  test('are in the catalog while the vendor is connected, between built-in and added ones', async () => {
    await using voices = await openPreviews()
    const { items } = await voices.catalog.list(1, { limit: 100, after: null })
    expect(items.map(({ voiceId }) => voiceId).slice(-1)).toEqual(['voice_openai_alloy'])
    expect(await voices.catalog.get(1, 'voice_openai_alloy')).toMatchObject({ name: 'Alloy', provider: 'openai' })
    voices.state.providers = []
    expect(await voices.catalog.has(1, 'voice_openai_alloy')).toBe(false)
    // An agent may still use the voice, so the vendor is requested by name.
    expect(await voices.catalog.resolveVoice(1, 'voice_openai_alloy')).toEqual({
      provider: 'openai',
      vendorVoice: 'alloy',
      gender: null,
    })
    expect(await voices.catalog.resolveVoice(1, 'voice_unknown')).toBeNull()
  })

  test('are paginated like the others', async () => {
    await using voices = await openPreviews()
    const { items: all } = await voices.catalog.list(1, { limit: 100, after: null })
    const seen: string[] = []
    let after: Parameters<typeof voices.catalog.list>[1]['after'] = null
    do {
      const page = await voices.catalog.list(1, { limit: 2, after })
      seen.push(...page.items.map(({ voiceId }) => voiceId))
      after = page.next
    } while (after !== null)
    expect(seen).toEqual(all.map(({ voiceId }) => voiceId))
  })
})
