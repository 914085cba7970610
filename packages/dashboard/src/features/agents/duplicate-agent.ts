import type { Agent } from '@parley/contract/agent'
import { complain, tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { ValueOf } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'

const LONGEST_NAME = 200

/** Makes another agent with the same settings and the same engine; fields that only answers have are left out by the server. */
export function useDuplicateAgent(): (agent: Agent) => void {
  const t = useText()
  const create = useWrite('createAgent', { refreshes: ['listAgents'] })
  return (agent: ValueOf<'getAgent'>) => {
    const name = t('{name} (copy)', { name: agent.agent_name }).slice(0, LONGEST_NAME)
    create.mutate(
      { body: { ...agent, agent_name: name } as never },
      { onSuccess: () => tell(t('The agent is duplicated.')), onError: ({ message }) => complain(message) },
    )
  }
}
