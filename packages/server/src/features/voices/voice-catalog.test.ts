import { Voice } from '@parley/contract/voice'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryDatabase } from '../../../../../testing/temporary-database.ts'
import { BUILT_IN_VOICES, isBuiltInVoiceId } from './built-in-voices.ts'
import { createVoiceCatalog, sharedVoicesAfter } from './voice-catalog.ts'
import { openVoices } from './voice-test-kit.ts'

const idsOf = (voices: readonly Voice[]): readonly string[] => voices.map(({ voiceId }) => voiceId)

test('every workspace has the built-in voices', async () => {
  await using database = await temporaryDatabase()
  const catalog = createVoiceCatalog(database)
  const all = await catalog.list(1, { limit: 1000, after: null })
  expect(all).toEqual({ items: BUILT_IN_VOICES, next: null })
  for (const voice of all.items) {
    expect(Voice.parse(voice)).toEqual(voice)
    expect(isBuiltInVoiceId(voice.voiceId)).toBe(true)
    expect(await catalog.has(7, voice.voiceId)).toBe(true)
    expect(await catalog.get(7, voice.voiceId)).toEqual(voice)
  }
  expect(await catalog.has(1, 'voice_unknown')).toBe(false)
  await expect(catalog.get(1, 'voice_unknown')).rejects.toMatchObject({ code: 'not_found' })
})

describe('the list of built-in and added voices', () => {
  test('has the built-in ones first, then the added ones, newest first', async () => {
    await using voices = await openVoices()
    const first = await voices.addVoice('a')
    const second = await voices.addVoice('b')
    await voices.time.advance(1)
    const third = await voices.addVoice('c')
    await voices.addVoice('d', 2)
    const { body } = await voices.send('GET /api/voices?workspaceId=1')
    expect(idsOf(body)).toEqual([...idsOf(BUILT_IN_VOICES), third, second, first])
  })

  test('is paged to its end without loss or repetition, however long a page is', async () => {
    await using voices = await openVoices()
    for (let index = 0; index < 9; index += 1) {
      await voices.addVoice(`voice${index}`)
      // Some share their millisecond, and some are older than the built-in ones.
      if (index % 3 === 2) await voices.time.advance(90 * 24 * 60 * 60 * 1000)
    }
    const { body: all } = await voices.send('GET /api/voices?workspaceId=1')
    expect(all).toHaveLength(13)
    for (let limit = 1; limit <= 14; limit += 1) {
      const seen: Voice[] = []
      let key: string | undefined = ''
      while (key !== undefined) {
        const from: string = key === '' ? '' : `&paginationKey=${key}`
        const page = await voices.send(`GET /api/voices?workspaceId=1&limit=${limit}${from}`)
        expect(page.body.length).toBeGreaterThan(0)
        expect(page.body.length).toBeLessThanOrEqual(limit)
        seen.push(...page.body)
        key = page.next === undefined ? undefined : String(page.next)
      }
      expect(seen).toEqual(all)
    }
  })

  test('goes on behind a built-in voice that this version does not have', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 0, max: 2 ** 45 }), (name, at) => {
        const rest = sharedVoicesAfter(BUILT_IN_VOICES, { at, id: `voice_builtin_${name}` })
        expect(BUILT_IN_VOICES.slice(BUILT_IN_VOICES.length - rest.length)).toEqual(rest)
      }),
    )
  })
})
