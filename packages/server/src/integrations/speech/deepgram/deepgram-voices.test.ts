import { expect, test } from 'vitest'
import { DEEPGRAM_VOICES } from './deepgram-voices.ts'

test('the voices have unique names in the vendor’s form, and descriptions', () => {
  expect(new Set(DEEPGRAM_VOICES.map(({ name }) => name)).size).toBe(DEEPGRAM_VOICES.length)
  expect(DEEPGRAM_VOICES).toHaveLength(90 + 36)
  for (const { name, language, description, model } of DEEPGRAM_VOICES) {
    expect(name).toMatch(new RegExp(`^${model}-[a-z]+-${language.slice(0, 2)}$`))
    expect(description).toMatch(/^[A-Z][a-z]+ and [a-z]+\.( [A-Z][a-z]+( American)? accent\.)?$/)
  }
  expect(DEEPGRAM_VOICES.find(({ name }) => name === 'aura-2-draco-en')).toEqual({
    name: 'aura-2-draco-en',
    label: 'draco',
    model: 'aura-2',
    gender: 'male',
    language: 'en-GB',
    accent: 'British',
    description: 'Warm and approachable. British accent.',
  })
  expect(DEEPGRAM_VOICES.find(({ name }) => name === 'flux-priya-en')).toMatchObject({
    gender: 'female',
    language: 'en-IN',
    description: 'Conversational and expressive. Indian accent.',
  })
})
