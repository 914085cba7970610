import { expect, test } from 'vitest'
import { AGENT_TABS } from './agent-search.ts'
import { tabOfField, tabsWithProblems, tabToOpen } from './agent-tabs.tsx'

test('a field path leads to the tab of its field', () => {
  expect(tabOfField('webhook_url')).toBe('general')
  expect(tabOfField('general_tools[0].url')).toBe('tools')
  expect(tabOfField('response_engine.llm_id')).toBe('general')
  expect(tabOfField('post_call_analysis_data[2].choices[0]')).toBe('analysis')
  expect(tabOfField('fallback_voice_ids[1]')).toBe('voice')
})

test('an unknown path has no tab', () => {
  expect(tabOfField('')).toBeNull()
  expect(tabOfField('workspaceId')).toBeNull()
  expect(tabOfField('webhook_urls')).toBeNull()
  expect(tabOfField('toString')).toBeNull()
  expect(tabOfField('states[0].name')).toBeNull()
})

test('lists each tab with problems once, in the order of the problems', () => {
  const details = [{ path: 'webhook_url' }, { path: 'model' }, { path: 'webhook_timeout_ms' }, { path: 'workspaceId' }]
  expect(tabsWithProblems(details, AGENT_TABS.agent)).toEqual(['general', 'model'])
  expect(tabsWithProblems([{ path: 'voice_speed' }], AGENT_TABS['chat-agent'])).toEqual([])
})

test('opens the tab of the first problem unless the shown tab has one', () => {
  expect(tabToOpen(['general', 'prompt'], 'voice')).toBe('general')
  expect(tabToOpen(['general', 'prompt'], 'prompt')).toBeNull()
  expect(tabToOpen([], 'prompt')).toBeNull()
})
