export const FLOW_TABS = ['nodes', 'settings', 'json'] as const
export type FlowTab = (typeof FLOW_TABS)[number]

export interface FlowSearch {
  /** Defaults to the nodes. */
  readonly tab?: FlowTab
  /** Path in the document that the JSON editor displays. */
  readonly at?: string
}

export function readFlowSearch({ tab, at }: Readonly<Record<string, unknown>>): FlowSearch {
  const knownTab = FLOW_TABS.find((name) => name === tab)
  return { ...(knownTab !== undefined && { tab: knownTab }), ...(typeof at === 'string' && at !== '' && { at }) }
}
