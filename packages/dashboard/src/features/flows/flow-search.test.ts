import { expect, test } from 'vitest'
import { readFlowSearch } from './flow-search.ts'

test('an address says which part is shown and which place of it', () => {
  expect(readFlowSearch({ tab: 'json', at: 'nodes[0]', other: 1 })).toEqual({ tab: 'json', at: 'nodes[0]' })
  expect(readFlowSearch({ tab: 'canvas', at: 7 })).toEqual({})
})
