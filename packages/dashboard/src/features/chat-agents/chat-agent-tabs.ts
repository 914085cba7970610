import type { SettingsTab } from '../../parts/agent/field-tabs.ts'

/** Parts of the settings of a chat agent, as the address names them. */
export const CHAT_AGENT_TABS = [
  'prompt',
  'functions',
  'knowledge',
  'analysis',
  'webhooks',
  'more',
] as const satisfies readonly SettingsTab[]
export type ChatAgentTab = (typeof CHAT_AGENT_TABS)[number]

/** The part that is shown; the first one where the address names none. */
export function readChatAgentTab({ tab }: Readonly<Record<string, unknown>>): { readonly tab?: ChatAgentTab } {
  const known = CHAT_AGENT_TABS.find((name) => name === tab)
  return known === undefined ? {} : { tab: known }
}
