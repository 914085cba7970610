import { expect, test } from 'vitest'
import { addWorkspace } from './hooks.ts'
import { buildUrl } from './request.ts'

test('escapes IDs in paths and omits empty values from queries', () => {
  expect(buildUrl('getNumber', { path: { number: '+49 30/1' }, query: { workspaceId: 1, version: undefined } })).toBe(
    '/api/numbers/%2B49%2030%2F1?workspaceId=1',
  )
  expect(buildUrl('listAgents', { query: { paginationKey: '', limit: 5 } })).toBe('/api/agents?limit=5')
})

test('adds the current workspace unless the caller provides one or the operation accepts none', () => {
  expect(addWorkspace('listAgents', {}, 7)).toEqual({ query: { workspaceId: 7 } })
  expect(addWorkspace('listAgents', { query: { workspaceId: 8 } }, 7)).toEqual({ query: { workspaceId: 8 } })
  expect(addWorkspace('publishLlm', { path: { llmId: 'llm_1' }, body: { title: 'x' } }, 7)).toEqual({
    path: { llmId: 'llm_1' },
    body: { workspaceId: 7, title: 'x' },
  })
  expect(addWorkspace('listWorkspaces', {}, 7)).toEqual({})
  expect(addWorkspace('listAgents', {}, null)).toEqual({})
})
