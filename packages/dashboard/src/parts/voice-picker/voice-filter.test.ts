import type { Voice } from '@parley/contract/voice'
import { describe, expect, test } from 'vitest'
import { ALL_VOICES, filterVoices, isFiltered, listPropertyValues } from './voice-filter.ts'

const createVoice = (voiceId: string, fields: Partial<Voice>): Voice => ({
  voiceId,
  name: voiceId,
  gender: null,
  language: null,
  accent: null,
  description: '',
  provider: null,
  previewUrl: `https://parley.example/api/voices/${voiceId}/preview?workspaceId=1`,
  playbackOverrideUrl: null,
  tags: [],
  createdAt: '2026-04-20T00:00:00.000Z',
  updatedAt: '2026-04-20T00:00:00.000Z',
  ...fields,
})

const VOICES = [
  createVoice('nora', { gender: 'female', language: 'en-GB', provider: 'elevenlabs', description: 'Calm narrator' }),
  createVoice('sam', { gender: 'male', language: 'en-US', provider: 'builtin', tags: ['calm'] }),
  createVoice('kim', { provider: 'speech' }),
]
const findVoiceIds = (filter: Partial<typeof ALL_VOICES>): string[] =>
  filterVoices(VOICES, { ...ALL_VOICES, ...filter }).map(({ voiceId }) => voiceId)

describe('the voice filter', () => {
  test('is initially empty', () => {
    expect(findVoiceIds({})).toEqual(['nora', 'sam', 'kim'])
    expect(isFiltered(ALL_VOICES)).toBe(false)
    expect(isFiltered({ ...ALL_VOICES, accent: 'Scottish' })).toBe(true)
  })

  test('finds voices that contain all search terms in any field', () => {
    expect(findVoiceIds({ search: 'CALM' })).toEqual(['nora', 'sam'])
    expect(findVoiceIds({ search: 'calm gb' })).toEqual(['nora'])
    expect(findVoiceIds({ search: 'calm nobody' })).toEqual([])
  })

  test('combines properties', () => {
    expect(findVoiceIds({ gender: 'male' })).toEqual(['sam'])
    expect(findVoiceIds({ gender: 'male', language: 'en-GB' })).toEqual([])
  })

  test('offers existing values only', () => {
    expect(listPropertyValues(VOICES, 'language')).toEqual(['en-GB', 'en-US'])
    expect(listPropertyValues(VOICES, 'accent')).toEqual([])
  })
})
