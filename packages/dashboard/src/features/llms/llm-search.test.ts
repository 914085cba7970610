import { describe, expect, test } from 'vitest'
import { countProblemsByTab, readLlmSearch } from './llm-search.ts'

describe('the editor URL', () => {
  test('accepts only known tabs', () => {
    expect(readLlmSearch({ tab: 'states' })).toEqual({ tab: 'states' })
    expect(readLlmSearch({ tab: 'nothing' })).toEqual({})
    expect(readLlmSearch({})).toEqual({})
  })
})

test('counts problems by tab', () => {
  const paths = ['general_tools[0].url', 'general_tools[1].name', 'mcps[0].url', 'states[0].tools[0].name', 'model', '']
  expect(countProblemsByTab(paths.map((path) => ({ path })))).toEqual({
    prompt: 0,
    model: 1,
    tools: 3,
    knowledge: 0,
    states: 1,
  })
})
