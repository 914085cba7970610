export const FLOW_TABS = ['nodes', 'settings', 'json'] as const
export type FlowTab = (typeof FLOW_TABS)[number]

export interface FlowSearch {
  /** Defaults to the nodes. */
  readonly tab?: FlowTab
  /** Path in the document that the JSON editor displays. */
  readonly at?: string
}

export function readFlowSearch({ tab, at }: Readonly<Record<string, unknown>>): FlowSearch {
  const known = FLOW_TABS.find((name) => name === tab)
  return { ...(known !== undefined && { tab: known }), ...(typeof at === 'string' && at !== '' && { at }) }
}
