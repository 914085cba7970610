/** Tabs of the agent editor. */
export type SettingTab = 'general' | 'model' | 'voice' | 'turns' | 'calls' | 'analysis'

interface SettingGroup {
  readonly tab: SettingTab
  readonly title: string
  readonly description?: string
}

/** Sections of the agent editor, in order of appearance within their tabs. */
export const SETTING_GROUPS = {
  general: { tab: 'general', title: 'General' },
  fallback: { tab: 'model', title: 'Fallback' },
  voice: { tab: 'voice', title: 'Voice' },
  'fallback-voices': {
    tab: 'voice',
    title: 'Fallback voices',
    description: 'Used in this order when the voice does not respond in time. Choose voices of other vendors.',
  },
  ambience: { tab: 'voice', title: 'Background sound' },
  pronunciation: {
    tab: 'voice',
    title: 'Pronunciation',
    description: 'Pronunciation of words, for agents that speak English.',
  },
  turns: { tab: 'turns', title: 'Turn-taking' },
  attention: { tab: 'turns', title: 'Backchannel' },
  hearing: { tab: 'calls', title: 'Speech recognition' },
  silence: { tab: 'calls', title: 'Silence and duration' },
  keypad: { tab: 'calls', title: 'Keypad input (DTMF)' },
  analysis: {
    tab: 'analysis',
    title: 'Analysis',
    description: 'Runs after each conversation. An empty list turns it off.',
  },
  storage: { tab: 'analysis', title: 'Data retention' },
  'chat-end': { tab: 'general', title: 'Chats' },
  webhook: { tab: 'general', title: 'Webhook' },
} as const satisfies Readonly<Record<string, SettingGroup>>

export type SettingGroupName = keyof typeof SETTING_GROUPS
