/** Tabs of the form that hold settings of agents. */
export type SettingTab = 'prompt' | 'voice' | 'speech' | 'analysis' | 'webhooks' | 'more'

interface SettingGroup {
  readonly tab: SettingTab
  readonly title: string
  readonly description?: string
}

/** Sections of the form of agents, in the order in which their tab shows them. */
export const SETTING_GROUPS = {
  general: { tab: 'prompt', title: 'General' },
  voice: { tab: 'voice', title: 'Voice' },
  'fallback-voices': {
    tab: 'voice',
    title: 'Voices that take over',
    description: 'In this order, when the voice does not answer in time: voices of other providers.',
  },
  ambience: { tab: 'voice', title: 'Background sound' },
  turns: { tab: 'speech', title: 'Taking turns' },
  attention: { tab: 'speech', title: 'While the caller speaks' },
  silence: { tab: 'speech', title: 'Silence and the end of calls' },
  hearing: { tab: 'speech', title: 'Hearing' },
  pronunciation: {
    tab: 'speech',
    title: 'Pronunciation',
    description: 'How words sound, for agents that speak English.',
  },
  keypad: { tab: 'speech', title: 'Keypad input (DTMF)' },
  analysis: {
    tab: 'analysis',
    title: 'Analysis',
    description: 'What is found out once a conversation is over. With an empty list, nothing is.',
  },
  storage: { tab: 'analysis', title: 'What is kept' },
  webhook: { tab: 'webhooks', title: 'Webhook' },
  fallback: { tab: 'more', title: 'When the model fails' },
  'chat-end': { tab: 'more', title: 'End of chats' },
} as const satisfies Readonly<Record<string, SettingGroup>>

export type SettingGroupName = keyof typeof SETTING_GROUPS
