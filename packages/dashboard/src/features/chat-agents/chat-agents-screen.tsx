import type { ChatAgent } from '@parley/contract/chat-agent'
import { MessageSquare } from 'lucide-react'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { chatAgents } from '../../parts/agent/agent-api.ts'
import { AgentList } from '../../parts/agent/agent-list.tsx'
import { NewAgentDialog } from '../../parts/agent/new-agent/new-agent-dialog.tsx'

export function ChatAgentsScreen() {
  const t = useText()
  return (
    <AgentList<ChatAgent>
      api={chatAgents}
      pages={usePages('listChatAgents', {})}
      labels={{
        description: t('Chat agents answer messages on your site or over the API.'),
        emptyTitle: t('No chat agents yet'),
        emptyText: t('Create a chat agent and message it within a minute.'),
      }}
      icon={MessageSquare}
      dialog={(onClose, onCreated) => (
        <NewAgentDialog
          api={chatAgents}
          addRequiredSettings={(settings) => settings}
          onClose={onClose}
          onCreated={onCreated}
        />
      )}
      stats={['chats', 'latency']}
    />
  )
}
