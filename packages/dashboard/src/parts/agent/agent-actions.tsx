import type { Llm } from '@parley/contract/llm'
import { type UseQueryResult, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Copy, Download, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { RowMenu } from '../../components/menu.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { notify, notifyError } from '../../components/toasts.tsx'
import { refresh } from '../../lib/api/hooks.ts'
import { Problem } from '../../lib/api/problem.ts'
import { type ApiResponse, request } from '../../lib/api/request.ts'
import { downloadText } from '../../lib/download-text.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import {
  type AgentApi,
  type AgentKind,
  type AnyAgent,
  listOperationsToRefetch,
  type PublishNotes,
} from './agent-api.ts'
import { toCopiedEngine } from './agent-body.ts'
import { buildAgentFileName, formatAgentFile } from './agent-file.ts'
import { getLlmId } from './engine.ts'
import { readLlm } from './save-agent.ts'

export const AGENT_LABELS = {
  agent: {
    list: message('Agents'),
    singular: message('Agent'),
    create: message('New agent'),
    createButton: message('Create agent'),
    created: message('Agent created'),
    deleteTitle: message('Delete agent?'),
    deleteDescription: message(
      'This deletes all versions permanently and removes the agent from phone numbers. Past calls and chats are kept.',
    ),
    deleteButton: message('Delete agent'),
    deleted: message('Agent deleted'),
    duplicated: message('Agent duplicated. Both use the same prompt or flow.'),
    published: message('Agent published'),
  },
  'chat-agent': {
    list: message('Chat agents'),
    singular: message('Chat agent'),
    create: message('New chat agent'),
    createButton: message('Create chat agent'),
    created: message('Chat agent created'),
    deleteTitle: message('Delete chat agent?'),
    deleteDescription: message('This deletes all versions permanently and ends ongoing chats. Past chats are kept.'),
    deleteButton: message('Delete chat agent'),
    deleted: message('Chat agent deleted'),
    duplicated: message('Chat agent duplicated. Both use the same prompt or flow.'),
    published: message('Chat agent published'),
  },
} as const satisfies Readonly<Record<AgentKind, Readonly<Record<string, string>>>>

export const PUBLISH_DESCRIPTION = message(
  'New conversations use this version unless another one is pinned. The next edit starts a new version.',
)

/** Fetches an agent version and its ETag. */
export function useAgent<Value extends AnyAgent>(
  api: AgentApi<Value>,
  agentId: string,
  version: 'latest' | 'active' = 'latest',
): UseQueryResult<ApiResponse<Value>, Problem> {
  const workspaceId = useWorkspaceId()
  return useQuery<ApiResponse<Value>, Problem>({
    queryKey: [api.operations.read, workspaceId, agentId, version],
    queryFn: ({ signal }) => api.read({ workspaceId, agentId }, version, signal),
  })
}

/** Fetches the latest version of an LLM configuration and its ETag. */
export function useLatestLlm(llmId: string | null): UseQueryResult<ApiResponse<Llm>, Problem> {
  const workspaceId = useWorkspaceId()
  return useQuery<ApiResponse<Llm>, Problem>({
    queryKey: ['getLlm', workspaceId, llmId, 'latest'],
    queryFn: ({ signal }) => readLlm({ workspaceId, llmId: llmId ?? '' }, signal),
    enabled: llmId !== null,
  })
}

const MAX_NAME_LENGTH = 200

/** Returns a function that copies an agent. The copy uses the same prompt or flow. */
export function useDuplicateAgent<Value extends AnyAgent>(api: AgentApi<Value>): (agentId: string) => void {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const { mutate } = useMutation({
    mutationFn: async (agentId: string) => {
      const { value } = await api.read({ workspaceId, agentId }, 'latest')
      const name = t('{name} (copy)', { name: value.agent_name }).slice(0, MAX_NAME_LENGTH)
      return await api.create(workspaceId, { ...value, agent_name: name, response_engine: toCopiedEngine(value) })
    },
    onSuccess: async () => {
      notify(t(AGENT_LABELS[api.kind].duplicated))
      await refresh(client, [api.operations.list])
    },
    onError: (error) => notifyError(error.message),
  })
  return mutate
}

export interface PublishRequest extends PublishNotes {
  readonly agentId: string
  /** ETag that the stored agent must still have. Null skips the check. */
  readonly etag: string | null
}

export function usePublishAgent<Value extends AnyAgent>(api: AgentApi<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  return useMutation<unknown, Problem, PublishRequest>({
    mutationFn: ({ agentId, etag, ...notes }) => api.publish({ workspaceId, agentId }, notes, etag),
    onSuccess: async () => {
      notify(t(AGENT_LABELS[api.kind].published))
      await refresh(client, listOperationsToRefetch(api.operations))
    },
  })
}

interface AgentMenuProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agent: Value
  readonly onDeleted?: () => void
}

export function AgentMenu<Value extends AnyAgent>({ api, agent, onDeleted }: AgentMenuProps<Value>) {
  const t = useText()
  const can = useCan()
  const duplicate = useDuplicateAgent(api)
  const exportAgent = useExportAgent(api)
  const [isDeleting, setIsDeleting] = useState(false)
  const { agent_id: agentId, agent_name: name } = agent
  return (
    <>
      <RowMenu
        name={name}
        items={[
          can(api.operations.create) && { label: t('Duplicate'), icon: Copy, onSelect: () => duplicate(agentId) },
          { label: t('Export JSON'), icon: Download, onSelect: () => void exportAgent(agentId) },
          can(api.operations.remove) && {
            label: t('Delete…'),
            icon: Trash2,
            kind: 'danger',
            onSelect: () => setIsDeleting(true),
          },
        ]}
      />
      {isDeleting && (
        <DeleteAgentDialog
          api={api}
          agent={agent}
          onClose={() => setIsDeleting(false)}
          {...(onDeleted && { onDeleted })}
        />
      )}
    </>
  )
}

function DeleteAgentDialog<Value extends AnyAgent>({
  api,
  agent: { agent_id: agentId, agent_name: name },
  onClose,
  onDeleted,
}: AgentMenuProps<Value> & { readonly onClose: () => void }) {
  const t = useText()
  const labels = AGENT_LABELS[api.kind]
  return (
    <ConfirmDialog
      operation={api.operations.remove}
      params={{ path: { agentId } }}
      invalidates={[api.operations.list, 'listNumbers']}
      title={t(labels.deleteTitle)}
      description={t(labels.deleteDescription)}
      name={name}
      label={t(labels.deleteButton)}
      successMessage={t(labels.deleted)}
      onClose={onClose}
      {...(onDeleted && { onSuccess: onDeleted })}
    />
  )
}

/** Returns a function that downloads the stored agent and its LLM configuration. */
function useExportAgent<Value extends AnyAgent>(api: AgentApi<Value>): (agentId: string) => Promise<void> {
  const workspaceId = useWorkspaceId()
  return async (agentId) => {
    try {
      const { value: agent } = await api.read({ workspaceId, agentId }, 'latest')
      const llmId = getLlmId(agent.response_engine)
      const version = String(agent.response_engine.version ?? 'latest')
      const llm = llmId === null ? null : await request('getLlm', { path: { llmId }, query: { workspaceId, version } })
      downloadText(
        buildAgentFileName(agent),
        formatAgentFile(api.kind, { agent, llm: llm?.value ?? null }),
        'application/json',
      )
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      notifyError(error.message)
    }
  }
}
