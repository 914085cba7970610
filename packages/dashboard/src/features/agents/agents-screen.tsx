import type { Agent } from '@parley/contract/agent'
import { Bot } from 'lucide-react'
import { usePages, useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { voiceAgents } from '../../parts/agent/agent-api.ts'
import { AgentList } from '../../parts/agent/agent-list.tsx'
import { NewAgentDialog } from '../../parts/agent/new-agent/new-agent-dialog.tsx'

export function AgentsScreen() {
  const t = useText()
  return (
    <AgentList<Agent>
      api={voiceAgents}
      pages={usePages('listAgents', {})}
      labels={{
        description: t('Agents answer calls and chats.'),
        emptyTitle: t('No agents yet'),
        emptyText: t('Create an agent and talk to it within a minute.'),
      }}
      icon={Bot}
      dialog={(onClose, onCreated) => <NewVoiceAgentDialog onClose={onClose} onCreated={onCreated} />}
      columns={[
        {
          key: 'voice',
          title: t('Voice'),
          visibleFrom: '2xl',
          width: 'w-36',
          cell: ({ voice_id: voiceId }) => <span className="block truncate">{voiceId}</span>,
        },
      ]}
      stats={['calls', 'latency', 'success']}
    />
  )
}

interface NewVoiceAgentDialogProps {
  readonly onClose: () => void
  readonly onCreated: (agentId: string) => void
}

/** Renders the dialog for creating a voice agent. The voice defaults to the workspace's first voice. */
function NewVoiceAgentDialog({ onClose, onCreated }: NewVoiceAgentDialogProps) {
  const voices = useRead('listVoices', {})
  const voiceId = voices.data?.[0]?.voiceId ?? ''
  return (
    <NewAgentDialog
      api={voiceAgents}
      problem={voices.error}
      addRequiredSettings={voices.data === undefined ? null : (settings) => ({ voice_id: voiceId, ...settings })}
      onClose={onClose}
      onCreated={onCreated}
    />
  )
}
