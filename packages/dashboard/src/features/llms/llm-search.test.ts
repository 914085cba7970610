import { describe, expect, test } from 'vitest'
import { problemCounts, readLlmSearch } from './llm-search.ts'

describe('the address of the editor', () => {
  test('names a part that there is', () => {
    expect(readLlmSearch({ tab: 'states' })).toEqual({ tab: 'states' })
    expect(readLlmSearch({ tab: 'nothing' })).toEqual({})
    expect(readLlmSearch({})).toEqual({})
  })
})

test('problems are counted where their fields are', () => {
  const paths = ['general_tools[0].url', 'general_tools[1].name', 'mcps[0].url', 'states[0].tools[0].name', 'model', '']
  expect(problemCounts(paths.map((path) => ({ path })))).toEqual({
    prompt: 0,
    model: 1,
    tools: 3,
    knowledge: 0,
    states: 1,
  })
})
