/** Parts of the page, as its address names them. */
export const WORKSPACES_TABS = ['workspaces', 'tenants', 'providers'] as const
export type WorkspacesTab = (typeof WORKSPACES_TABS)[number]

/** The part that an address names; the first one where it names none. */
export function readTab(tab: unknown): WorkspacesTab {
  return WORKSPACES_TABS.find((name) => name === tab) ?? 'workspaces'
}
