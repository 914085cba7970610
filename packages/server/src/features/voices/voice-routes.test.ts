import { describe, expect, test } from 'vitest'
import { openVoices } from './voice-test-kit.ts'

const NORA = { voiceProvider: 'elevenlabs', providerVoiceId: 'nora', publicUserId: 'owner', name: ' Nora ' }

describe('searching', () => {
  test("queries the vendor with the workspace's key, whatever the case of its name", async () => {
    await using voices = await openVoices()
    voices.state.found = [{ providerVoiceId: 'nora', name: 'Nora', description: '', publicUserId: null }]
    const body = { workspace_id: 2, voice_provider: ' Cartesia', search_query: ' calm ' }
    const answer = await voices.send('POST /api/voices/search', body)
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({
      voices: [
        { providerVoiceId: 'nora', name: 'Nora', description: '', publicUserId: null, voiceProvider: 'cartesia' },
      ],
    })
    expect(voices.state.asked).toEqual(['key of cartesia for 2', 'cartesia for "calm" with sk_operator'])
  })

  test('needs only the right to read', async () => {
    await using voices = await openVoices()
    voices.actAs({ scopes: new Set(['read']) })
    const query = { workspaceId: 1, voiceProvider: 'elevenlabs', searchQuery: 'calm' }
    expect((await voices.send('POST /api/v1/voices/search', query)).status).toBe(200)
    expect((await voices.send('POST /api/voices', { workspaceId: 1, ...NORA })).status).toBe(403)
  })

  test('reports all problems of a body at once', async () => {
    await using voices = await openVoices()
    const unknown = { workspaceId: 1, voiceProvider: 'acme', searchQuery: ' ' }
    expect(await voices.send('POST /api/voices/search', unknown)).toMatchObject({
      status: 400,
      body: {
        details: [
          { path: 'voiceProvider', message: 'must be one of "elevenlabs", "cartesia"' },
          { path: 'searchQuery', message: 'must have at least 1 character' },
        ],
      },
    })
    const long = { workspaceId: 1, voiceProvider: 'elevenlabs', searchQuery: 'x'.repeat(201) }
    expect(await voices.send('POST /api/voices/search', long)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'searchQuery' }] },
    })
    expect(voices.state.asked).toEqual([])
  })

  test.each([
    ['elevenlabs', 'ELEVENLABS_API_KEY'],
    ['cartesia', 'CARTESIA_API_KEY'],
  ])('explains where to store a missing key of %s', async (voiceProvider, setting) => {
    await using voices = await openVoices()
    voices.state.key = null
    const query = { workspaceId: 1, voiceProvider, searchQuery: 'calm' }
    const answer = await voices.send('POST /api/voices/search', query)
    expect(answer).toMatchObject({ status: 422, body: { code: 'provider_not_configured' } })
    expect(answer.body.error).toContain(setting)
    expect(answer.body.error).toContain('/api/provider-keys')
    expect(voices.state.asked).toHaveLength(1)
  })

  test.each([
    ['key-unusable', 422, 'provider_not_configured'],
    ['failed', 502, 'provider_error'],
    ['timeout', 504, 'provider_timeout'],
  ] as const)('reports a vendor failure: %s', async (reason, status, code) => {
    await using voices = await openVoices()
    voices.state.failure = { ok: false, reason, message: 'It went wrong.' }
    const query = { workspaceId: 1, voiceProvider: 'elevenlabs', searchQuery: 'calm' }
    const answer = await voices.send('POST /api/voices/search', query)
    expect(answer).toMatchObject({ status, body: { code } })
    expect(answer.body.error).toMatch(/^It went wrong\./)
  })
})

describe('adding', () => {
  test("stores the vendor's description and adds the voice to the catalog", async () => {
    await using voices = await openVoices()
    const created = await voices.send('POST /api/voices', { workspaceId: 1, ...NORA })
    expect(created.status).toBe(201)
    expect(created.body).toEqual({
      voiceId: expect.stringMatching(/^voice_[0-9a-f]{26}$/),
      name: 'Nora',
      gender: 'female',
      language: 'en',
      accent: 'british',
      description: 'Calm narrator.',
      provider: 'elevenlabs',
      previewUrl: 'https://samples.example/nora.mp3',
      playbackOverrideUrl: null,
      tags: ['calm'],
      createdAt: '2026-01-05T12:00:00.000Z',
      updatedAt: '2026-01-05T12:00:00.000Z',
    })
    expect(voices.state.asked.at(-1)).toBe('elevenlabs to add nora of owner as "Nora" with sk_operator')
    const { voiceId } = created.body
    expect(await voices.send(`GET /api/voices/${voiceId}?workspaceId=1`)).toMatchObject({
      status: 200,
      body: created.body,
    })
    expect((await voices.send(`GET /api/voices/${voiceId}?workspaceId=2`)).status).toBe(404)
    expect(await voices.catalog.has(1, voiceId)).toBe(true)
    expect(await voices.catalog.has(2, voiceId)).toBe(false)
    const row = await voices.database.read.selectFrom('voices').selectAll().executeTakeFirstOrThrow()
    expect(row).toMatchObject({ account_voice_id: 'account-nora', provider_voice_id: 'nora', public_user_id: 'owner' })
  })

  test('reports all problems of a body at once', async () => {
    await using voices = await openVoices()
    const bad = { workspaceId: 1, voiceProvider: 'elevenlabs', providerVoiceId: '../user', name: '' }
    const { status, body } = await voices.send('POST /api/voices', bad)
    expect(status).toBe(400)
    expect(body.details.map(({ path }: { path: string }) => path).sort()).toEqual([
      'name',
      'providerVoiceId',
      'publicUserId',
    ])
    const noUser = { workspaceId: 1, ...NORA, publicUserId: null }
    expect(await voices.send('POST /api/voices', noUser)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'publicUserId', message: 'is required for voices of elevenlabs' }] },
    })
    const cartesia = { workspaceId: 1, ...NORA, publicUserId: undefined, voiceProvider: 'CARTESIA' }
    expect(await voices.send('POST /api/voices', cartesia)).toMatchObject({ status: 201 })
  })

  test('reports an unknown vendor voice as a problem of its id', async () => {
    await using voices = await openVoices()
    voices.state.failure = { ok: false, reason: 'unknown-voice', message: 'There is none.' }
    expect(await voices.send('POST /api/voices', { workspaceId: 1, ...NORA })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', details: [{ path: 'providerVoiceId', message: 'There is none.' }] },
    })
    expect((await voices.send('GET /api/voices?workspaceId=1')).body).toHaveLength(4)
  })

  test('rejects a duplicate before calling the vendor, but not in other workspaces', async () => {
    await using voices = await openVoices()
    await voices.addVoice('nora')
    const asked = voices.state.asked.length
    const again = { workspaceId: 1, voiceProvider: 'cartesia', providerVoiceId: 'nora', name: 'Other' }
    expect(await voices.send('POST /api/voices', again)).toMatchObject({ status: 422, body: { code: 'id_taken' } })
    expect(voices.state.asked).toHaveLength(asked)
    expect((await voices.send('POST /api/voices', { ...again, workspaceId: 2 })).status).toBe(201)
    expect((await voices.send('POST /api/voices', { workspaceId: 1, ...NORA })).status).toBe(201)
  })

  test('rejects one of two concurrent requests for the same voice', async () => {
    await using voices = await openVoices()
    const both = Promise.withResolvers<void>()
    let waiting = 0
    voices.state.whileAdding = () => {
      waiting += 1
      if (waiting === 2) both.resolve()
      return both.promise
    }
    const body = { workspaceId: 1, ...NORA }
    const answers = await Promise.all([voices.send('POST /api/voices', body), voices.send('POST /api/voices', body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
    expect((await voices.send('GET /api/voices?workspaceId=1')).body).toHaveLength(5)
  })
})

describe('updating', () => {
  const OVERRIDE = 'https://samples.example/own.mp3'

  test('changes the name and the sample that replaces the preview, and keeps omitted fields', async () => {
    await using voices = await openVoices()
    const voiceId = await voices.addVoice('nora')
    await voices.time.advance(1_000)
    const update = (body: object, workspaceId = 1) =>
      voices.send(`PATCH /api/voices/${voiceId}`, { workspaceId, ...body })
    const named = await update({ name: ' Front desk ' })
    expect(named).toMatchObject({
      status: 200,
      body: { name: 'Front desk', playbackOverrideUrl: null, updatedAt: '2026-01-05T12:00:01.000Z' },
    })
    const replaced = await update({ playbackOverrideUrl: OVERRIDE })
    expect(replaced.body).toMatchObject({ name: 'Front desk', playbackOverrideUrl: OVERRIDE })
    expect((await voices.send(`GET /api/voices/${voiceId}?workspaceId=1`)).body).toEqual(replaced.body)
    expect((await update({ playbackOverrideUrl: null })).body).toMatchObject({ playbackOverrideUrl: null })
    expect((await update({ name: 'Other' }, 2)).status).toBe(404)
  })

  test.each(['ftp://samples.example/a.mp3', 'https://user:pass@samples.example/a.mp3', 'https://', 'a.mp3'])(
    'rejects the URL %s',
    async (playbackOverrideUrl) => {
      await using voices = await openVoices()
      const voiceId = await voices.addVoice('nora')
      const expected = { status: 400, body: { details: [{ path: 'playbackOverrideUrl' }] } }
      const body = { workspaceId: 1, playbackOverrideUrl }
      expect(await voices.send(`PATCH /api/voices/${voiceId}`, body)).toMatchObject(expected)
      expect(await voices.send('POST /api/voices', { ...NORA, ...body })).toMatchObject(expected)
    },
  )

  test('rejects voices that were not added', async () => {
    await using voices = await openVoices()
    for (const [voiceId, status] of [
      ['voice_builtin_slt', 403],
      ['voice_openai_alloy', 404],
    ])
      expect((await voices.send(`PATCH /api/voices/${voiceId}`, { workspaceId: 1, name: 'A' })).status).toBe(status)
  })
})

test('every voice has the URL of a preview: its public sample, or one on this server', async () => {
  await using voices = await openVoices()
  await voices.send('POST /api/voices', { workspaceId: 1, ...NORA })
  const { body } = await voices.send('GET /api/voices?workspaceId=1')
  expect(body.map(({ previewUrl }: { previewUrl: string }) => previewUrl)).toEqual([
    ...['slt', 'rms', 'kal', 'awb'].map(
      (name) => `https://parley.example/api/voices/voice_builtin_${name}/preview?workspaceId=1`,
    ),
    'https://samples.example/nora.mp3',
  ])
  expect((await voices.send('GET /api/voices/voice_builtin_rms?workspaceId=1')).body).toMatchObject(body[1])
})

describe('removing', () => {
  test('removes the voice from the catalog', async () => {
    await using voices = await openVoices()
    const voiceId = await voices.addVoice('nora')
    expect((await voices.send(`DELETE /api/voices/${voiceId}?workspaceId=2`)).status).toBe(404)
    expect(await voices.send(`DELETE /api/voices/${voiceId}?workspaceId=1`)).toMatchObject({ status: 204, body: null })
    expect((await voices.send(`DELETE /api/voices/${voiceId}?workspaceId=1`)).status).toBe(404)
    expect(await voices.catalog.has(1, voiceId)).toBe(false)
    expect(await voices.addVoice('nora')).not.toBe(voiceId)
  })

  test('rejects a built-in voice as forbidden', async () => {
    await using voices = await openVoices()
    const answer = await voices.send('DELETE /api/voices/voice_builtin_slt?workspaceId=1')
    expect(answer).toMatchObject({ status: 403, body: { code: 'forbidden' } })
    expect((await voices.send('DELETE /api/voices/voice_builtin_no?workspaceId=1')).status).toBe(404)
  })

  test('rejects a voice in use and names its agents', async () => {
    await using voices = await openVoices()
    const voiceId = await voices.addVoice('nora')
    voices.state.speakers = [
      { id: 'agent_1', name: 'Desk' },
      { id: 'agent_2', name: '' },
    ]
    expect(await voices.send(`DELETE /api/voices/${voiceId}?workspaceId=1`)).toMatchObject({
      status: 422,
      body: {
        code: 'in_use',
        error: expect.stringContaining('"Desk" (agent_1), agent_2'),
        details: [{ message: 'used by "Desk" (agent_1)' }, { message: 'used by agent_2' }],
      },
    })
    expect(await voices.catalog.has(1, voiceId)).toBe(true)
  })
})
