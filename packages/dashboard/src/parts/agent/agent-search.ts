export const AGENT_TABS = {
  agent: ['prompt', 'general', 'model', 'voice', 'turns', 'calls', 'tools', 'knowledge', 'analysis'],
  'chat-agent': ['prompt', 'general', 'model', 'tools', 'knowledge', 'analysis'],
} as const
export type AgentTab = (typeof AGENT_TABS)['agent'][number]

export interface AgentSearch {
  readonly tab?: AgentTab
}

export const readAgentSearch =
  (kind: keyof typeof AGENT_TABS) =>
  ({ tab }: Readonly<Record<string, unknown>>): AgentSearch => {
    const knownTab = AGENT_TABS[kind].find((name) => name === tab)
    return knownTab === undefined ? {} : { tab: knownTab }
  }

export const AGENT_PATHS = {
  agent: {
    list: '/$workspaceId/agents',
    editor: '/$workspaceId/agents/$agentId',
    versions: '/$workspaceId/agents/$agentId/versions',
  },
  'chat-agent': {
    list: '/$workspaceId/chat-agents',
    editor: '/$workspaceId/chat-agents/$agentId',
    versions: '/$workspaceId/chat-agents/$agentId/versions',
  },
} as const
