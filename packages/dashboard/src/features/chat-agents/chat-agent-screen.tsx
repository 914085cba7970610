import { chatAgents } from '../../parts/agent/agent-api.ts'
import { AgentEditor } from '../../parts/agent/agent-editor.tsx'
import { ChatAgentSettings } from '../../parts/agent/settings/agent-settings.tsx'

export const ChatAgentScreen = () => <AgentEditor api={chatAgents} settings={ChatAgentSettings} />
