import { expect, test } from 'vitest'
import { AGENT_TABS } from './agent-search.ts'
import { refusedTabs, tabOfField, tabToOpen } from './agent-tabs.tsx'

test('a path leads to the tab that its field stands in', () => {
  expect(tabOfField('webhook_url')).toBe('general')
  expect(tabOfField('general_tools[0].url')).toBe('tools')
  expect(tabOfField('response_engine.llm_id')).toBe('general')
  expect(tabOfField('post_call_analysis_data[2].choices[0]')).toBe('analysis')
  expect(tabOfField('fallback_voice_ids[1]')).toBe('voice')
})

test('what stands in no field has no tab', () => {
  expect(tabOfField('')).toBeNull()
  expect(tabOfField('workspaceId')).toBeNull()
  expect(tabOfField('webhook_urls')).toBeNull()
  expect(tabOfField('toString')).toBeNull()
  expect(tabOfField('states[0].name')).toBeNull()
})

test('each refused tab is told once, in the order of the objections, and only tabs that are there', () => {
  const details = [{ path: 'webhook_url' }, { path: 'model' }, { path: 'webhook_timeout_ms' }, { path: 'workspaceId' }]
  expect(refusedTabs(details, AGENT_TABS.agent)).toEqual(['general', 'model'])
  expect(refusedTabs([{ path: 'voice_speed' }], AGENT_TABS['chat-agent'])).toEqual([])
})

test('the tab of the first refused field opens, unless the one that is shown has one itself', () => {
  expect(tabToOpen(['general', 'prompt'], 'voice')).toBe('general')
  expect(tabToOpen(['general', 'prompt'], 'prompt')).toBeNull()
  expect(tabToOpen([], 'prompt')).toBeNull()
})
