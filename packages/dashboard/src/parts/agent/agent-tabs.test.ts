import { expect, test } from 'vitest'
import { AGENT_TABS } from './agent-search.ts'
import { findFieldTab, findTabToOpen, listProblemTabs } from './agent-tabs.tsx'

test('a field path leads to the tab of its field', () => {
  expect(findFieldTab('webhook_url')).toBe('general')
  expect(findFieldTab('general_tools[0].url')).toBe('tools')
  expect(findFieldTab('response_engine.llm_id')).toBe('general')
  expect(findFieldTab('post_call_analysis_data[2].choices[0]')).toBe('analysis')
  expect(findFieldTab('fallback_voice_ids[1]')).toBe('voice')
})

test('an unknown path has no tab', () => {
  expect(findFieldTab('')).toBeNull()
  expect(findFieldTab('workspaceId')).toBeNull()
  expect(findFieldTab('webhook_urls')).toBeNull()
  expect(findFieldTab('toString')).toBeNull()
  expect(findFieldTab('states[0].name')).toBeNull()
})

test('lists each tab with problems once, in the order of the problems', () => {
  const details = [{ path: 'webhook_url' }, { path: 'model' }, { path: 'webhook_timeout_ms' }, { path: 'workspaceId' }]
  expect(listProblemTabs(details, AGENT_TABS.agent)).toEqual(['general', 'model'])
  expect(listProblemTabs([{ path: 'voice_speed' }], AGENT_TABS['chat-agent'])).toEqual([])
})

test('opens the tab of the first problem unless the open tab has a problem', () => {
  expect(findTabToOpen(['general', 'prompt'], 'voice')).toBe('general')
  expect(findTabToOpen(['general', 'prompt'], 'prompt')).toBeNull()
  expect(findTabToOpen([], 'prompt')).toBeNull()
})
