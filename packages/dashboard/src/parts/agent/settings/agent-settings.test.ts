import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import type { Agent } from '@parley/contract/agent'
import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { copyDefaults, type SettingList } from '@parley/contract/agent-settings/setting'
import { SETTING_GROUPS, type SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { ChatAgent } from '@parley/contract/chat-agent'
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, expect, test } from 'vitest'
import { AgentSettings, ChatAgentSettings } from './agent-settings.tsx'

/** Excludes the voice picker, which needs a session; the browser tests cover it. */
const TABS: readonly SettingTab[] = ['general', 'model', 'turns', 'calls', 'analysis']
const partProps = { onChange: () => {}, disabled: false }
/** Makes every dependent field visible. */
const DEPENDENCIES = {
  pronunciation_dictionary: [{ word: 'Parley', alphabet: 'ipa', phoneme: 'x' }],
  stt_mode: 'custom',
  pii_config: { mode: 'post_call', categories: [] },
}

beforeAll(() => i18n.loadAndActivate({ locale: 'en', messages: {} }))

function render(element: ReactElement): string {
  return renderToStaticMarkup(createElement(I18nProvider, { i18n }, element))
}

/** Lists the settings whose field is missing from all tabs. Analyses display their items instead of one field. */
function listMissingFields(settings: SettingList, text: string): string[] {
  const settingsInTabs = Object.entries(settings).filter(([, { group }]) => TABS.includes(SETTING_GROUPS[group].tab))
  return settingsInTabs.flatMap(([name, { type, label }]) => {
    if (name.endsWith('_analysis_data')) return text.includes(name) ? [] : [name]
    const hasField = type === 'switch' ? text.includes(`>${label}<`) : text.includes(`data-field="${name}`)
    return hasField ? [] : [name]
  })
}

test('every setting has a field in a tab', () => {
  const value = { ...copyDefaults(AGENT_SETTINGS), ...DEPENDENCIES, voice_id: 'voice_1' } as unknown as Agent
  const html = TABS.map((tab) => render(createElement(AgentSettings, { ...partProps, value, tab }))).join('')
  expect(listMissingFields(AGENT_SETTINGS, html)).toEqual([])
  const titles = Object.values(SETTING_GROUPS).filter(({ tab }) => TABS.includes(tab))
  for (const { title } of titles) expect(html).toContain(`>${title}</h2>`)
})

test('every chat agent setting has a field in a tab', () => {
  const value = { ...copyDefaults(CHAT_AGENT_SETTINGS), ...DEPENDENCIES } as unknown as ChatAgent
  const html = TABS.map((tab) => render(createElement(ChatAgentSettings, { ...partProps, value, tab }))).join('')
  expect(listMissingFields(CHAT_AGENT_SETTINGS, html)).toEqual([])
  expect(html).not.toContain('data-field="stt_mode"')
})

test('a field has the limits of its setting in the displayed unit, and is disabled while its switch is off', () => {
  const value = { ...copyDefaults(AGENT_SETTINGS), voice_id: 'voice_1' } as unknown as Agent
  const tabs = ['turns', 'calls'] as const
  const html = tabs.map((tab) => render(createElement(AgentSettings, { ...partProps, value, tab }))).join('')
  const getFieldHtml = (name: string) => html.slice(html.indexOf(`data-field="${name}"`)).split('data-field=')[1] ?? ''
  expect(getFieldHtml('end_call_after_silence_ms')).toMatch(/min="10" max="7200".* value="600"/)
  expect(getFieldHtml('backchannel_frequency')).toMatch(/disabled=""/)
  expect(getFieldHtml('reminder_max_count')).not.toMatch(/disabled=""/)
})
