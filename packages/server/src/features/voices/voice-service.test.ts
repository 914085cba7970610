import { Voice } from '@parley/contract/voice'
import { expect, test } from 'vitest'
import { createVoiceService } from './voice-service.ts'

test('every workspace has the built-in voices, page by page without a gap', async () => {
  const voices = createVoiceService()
  const all = await voices.list(1, { limit: 1000, after: null })
  expect(all.next).toBeNull()
  expect(all.items).toHaveLength(4)
  for (const voice of all.items) {
    expect(Voice.parse(voice)).toEqual(voice)
    expect(await voices.has(7, voice.voiceId)).toBe(true)
  }
  const first = await voices.list(1, { limit: 3, after: null })
  const second = await voices.list(1, { limit: 3, after: first.next })
  expect([...first.items, ...second.items]).toEqual(all.items)
  expect(second.next).toBeNull()
  expect(await voices.has(1, 'voice_unknown')).toBe(false)
})
