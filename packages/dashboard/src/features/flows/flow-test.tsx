import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SelectField } from '../../components/fields.tsx'
import { ProblemNote } from '../../components/states.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { useEngineUsers } from '../../parts/engine/engine-users.tsx'
import { isSystemVariable, listVariables } from '../../parts/llm/variables.ts'
import { TestPanel } from '../../parts/test-panel/test-panel.tsx'

interface FlowTestProps {
  readonly flowId: string
  readonly name: string
  readonly latestVersion: number
  /** The edited JSON. The test panel reads its variables. */
  readonly text: string
  readonly beforeStart: () => Promise<boolean>
}

/** Tests the latest version of a flow with an agent that uses the flow. */
export function FlowTest({ flowId, name, latestVersion, text, beforeStart }: FlowTestProps) {
  const t = useText()
  const agentsByFlow = useEngineUsers()
  const [selectedId, setSelectedId] = useState<string | null>(null)
  if (agentsByFlow === null) return null
  const agents = (agentsByFlow.get(flowId) ?? []).filter(
    ({ followsLatest, engineVersion }) => followsLatest || engineVersion === latestVersion,
  )
  const agent = agents.find(({ id }) => id === selectedId) ?? agents[0]
  if (agent === undefined) return <NoAgent flowId={flowId} name={name} />
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {agents.length > 1 && (
        <SelectField
          label={t('Test with')}
          value={agent.id}
          choices={agents.map(({ id, name: agentName }) => ({ value: id, label: agentName || id }))}
          onChange={setSelectedId}
        />
      )}
      <TestPanel
        key={agent.id}
        agentId={agent.id}
        kind={agent.kind}
        onBeforeStart={beforeStart}
        variableNames={listVariables(text).filter((name) => !isSystemVariable(name))}
      />
    </div>
  )
}

/** Offers to create a chat agent for the flow, because a conversation needs an agent. */
function NoAgent({ flowId, name }: Pick<FlowTestProps, 'flowId' | 'name'>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const canCreate = useCan()('createChatAgent')
  const createAgent = useMutation<unknown, Problem>({
    mutationFn: () =>
      request('createChatAgent', {
        body: {
          workspaceId,
          agent_name: name,
          response_engine: { type: 'conversation-flow', conversation_flow_id: flowId, version: null },
        },
      }),
    onSuccess: () => refresh(client, ['listChatAgents']),
  })
  return (
    <section aria-label={t('Test')} className="flex flex-col items-start gap-3 p-1">
      <p className="text-muted">{t('No agent uses the latest version of this flow, so it cannot be tested yet.')}</p>
      {createAgent.error && <ProblemNote problem={createAgent.error} />}
      {canCreate && (
        <Button icon={Plus} busy={createAgent.isPending} onClick={() => createAgent.mutate()}>
          {t('Create chat agent')}
        </Button>
      )}
    </section>
  )
}
