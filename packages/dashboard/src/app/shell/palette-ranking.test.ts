import { expect, test } from 'vitest'
import { rankItems } from './palette-ranking.ts'

const ITEMS = [
  { id: '/$workspaceId/branding', label: 'Branding' },
  { id: '/$workspaceId/agents', label: 'Agents' },
  { id: 'new-agent', label: 'New agent' },
  { id: 'agent_robx', label: 'Front desk' },
  { id: 'agent_1', label: 'Robin (demo)' },
  { id: 'agent_2', label: 'Probe' },
  { id: 'agent_3', label: 'Night Robin' },
]

const rankLabels = (query: string): string[] => rankItems(ITEMS, query).map(({ label }) => label)

test.each([
  ['rob', ['Robin (demo)', 'Night Robin', 'Probe']],
  ['ROBIN', ['Robin (demo)', 'Night Robin']],
  ['agent', ['Agents', 'New agent']],
  ['demo rob', ['Robin (demo)']],
  ['agent_robx', ['Front desk']],
  ['$workspaceId', []],
  ['bran', ['Branding']],
  ['nothing like it', []],
])('ranks the matches of "%s"', (query, labels) => {
  expect(rankLabels(query)).toEqual(labels)
})

test('returns all items for an empty query', () => {
  expect(rankItems(ITEMS, ' ')).toEqual(ITEMS)
})
