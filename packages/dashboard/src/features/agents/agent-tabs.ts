import type { SettingsTab } from '../../parts/agent/field-tabs.ts'

/** Parts of the settings of an agent, as the address names them. */
export const AGENT_TABS = [
  'prompt',
  'voice',
  'speech',
  'functions',
  'knowledge',
  'analysis',
  'webhooks',
  'more',
] as const satisfies readonly SettingsTab[]
export type AgentTab = (typeof AGENT_TABS)[number]

/** The part that is shown; the first one where the address names none. */
export function readAgentTab({ tab }: Readonly<Record<string, unknown>>): { readonly tab?: AgentTab } {
  const known = AGENT_TABS.find((name) => name === tab)
  return known === undefined ? {} : { tab: known }
}
