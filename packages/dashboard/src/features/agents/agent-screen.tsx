import { voiceAgents } from '../../parts/agent/agent-api.ts'
import { AgentEditor } from '../../parts/agent/agent-editor.tsx'
import { AgentSettings } from '../../parts/agent/settings/agent-settings.tsx'

export const AgentScreen = () => <AgentEditor api={voiceAgents} settings={AgentSettings} />
