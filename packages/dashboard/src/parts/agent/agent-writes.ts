import { useMutation, useQueryClient } from '@tanstack/react-query'
import { complain, tell } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { engineOfCopy } from './agent-body.ts'
import { type AgentApi, type AnyAgent, type PublishedNotes, refreshedBy } from './agent-kind.ts'
import { AGENT_WORDS } from './agent-words.ts'

const MAX_NAME_LENGTH = 200

/** Makes another agent with the same settings that answers with the same engine. */
export function useDuplicateAgent<Value extends AnyAgent>(api: AgentApi<Value>): (agentId: string) => void {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const { mutate } = useMutation({
    mutationFn: async (agentId: string) => {
      const { value } = await api.read({ workspaceId, agentId }, 'latest')
      const name = t('{name} (copy)', { name: value.agent_name }).slice(0, MAX_NAME_LENGTH)
      return await api.create(workspaceId, {
        ...value,
        agent_name: name,
        response_engine: engineOfCopy(value),
      })
    },
    onSuccess: async () => {
      tell(t(AGENT_WORDS[api.kind].duplicated))
      await refresh(client, [api.operations.list])
    },
    onError: ({ message }) => complain(message),
  })
  return mutate
}

/** Deletes an agent with all its versions. */
export function useDeleteAgent<Value extends AnyAgent>(api: AgentApi<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return useMutation<unknown, Problem, string>({
    mutationFn: (agentId) => api.remove({ workspaceId, agentId }),
    onSuccess: async () => {
      tell(t(AGENT_WORDS[api.kind].deleted))
      await refresh(client, [api.operations.list, 'listNumbers'])
    },
  })
}

export interface Publishing extends PublishedNotes {
  readonly agentId: string
  /** Refused when this is not the newest state; null for any. */
  readonly etag: string | null
}

/** Publishes a version of an agent. */
export function usePublishAgent<Value extends AnyAgent>(api: AgentApi<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return useMutation<unknown, Problem, Publishing>({
    mutationFn: ({ agentId, etag, ...notes }) => api.publish({ workspaceId, agentId }, notes, etag),
    onSuccess: async () => {
      tell(t(AGENT_WORDS[api.kind].published))
      await refresh(client, refreshedBy(api.operations))
    },
  })
}
