import { expect, test } from 'vitest'
import { readFlowSearch } from './flow-search.ts'

test('reads the tab and the position from the URL', () => {
  expect(readFlowSearch({ tab: 'json', at: 'nodes[0]', other: 1 })).toEqual({ tab: 'json', at: 'nodes[0]' })
  expect(readFlowSearch({ tab: 'canvas', at: 7 })).toEqual({})
})
