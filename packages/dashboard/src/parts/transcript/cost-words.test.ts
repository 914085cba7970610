import { expect, test } from 'vitest'
import { productWord, unitWord } from './cost-words.ts'

test.each([
  ['llm', 'input-token', 'Language model', 'tokens read'],
  ['llm', 'cached-input-token', 'Language model', 'cached tokens read'],
  ['analysis', 'output-token', 'Analysis', 'tokens written'],
  ['transcription', 'second', 'Speech recognition', 'seconds'],
  ['synthesis', 'character', 'Voice', 'characters'],
])('%s in %s has words for people', (product, unit, productName, unitName) => {
  expect([productWord(product), unitWord(unit)]).toEqual([productName, unitName])
})

test('words that are not known have none', () => {
  expect([productWord('toString'), unitWord('parsec'), productWord('')]).toEqual([null, null, null])
})
