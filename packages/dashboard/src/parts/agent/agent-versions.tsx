import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CirclePlay, CircleSlash, RotateCcw, Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { MenuItem } from '../../components/menu.tsx'
import { complain, tell } from '../../components/toasts.tsx'
import { type Pages, refresh } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { PublishDialog } from '../versions/publish-dialog.tsx'
import type { VersionsSearch } from '../versions/versions-search.ts'
import { type VersionRow, VersionsView } from '../versions/versions-view.tsx'
import { type AgentApi, type AnyAgent, refreshedBy } from './agent-kind.ts'
import { useAgent } from './agent-reading.ts'
import { AGENT_WORDS } from './agent-words.ts'
import { usePublishAgent } from './agent-writes.ts'
import { llmIdOf } from './engine.ts'
import { useFieldNames } from './field-names.ts'
import { RestoreDialog } from './restore-dialog.tsx'

export interface AgentVersionsProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agentId: string
  readonly versions: Pages<VersionRow>
  readonly search: VersionsSearch
  readonly onSearch: (search: VersionsSearch) => void
  /** The way back to the agent; its name is null until it is known. */
  readonly backTo: (name: string | null) => ReactNode
}

/** The versions of an agent, with what can be done with each. */
export function AgentVersions<Value extends AnyAgent>({
  api,
  agentId,
  versions,
  search,
  onSearch,
  backTo,
}: AgentVersionsProps<Value>) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const nameOf = useFieldNames()
  const active = useAgent(api, agentId, 'active').data?.value
  const newest = versions.rows[0]?.version ?? 1
  const [published, setPublished] = useState<number | null>(null)
  const [restored, setRestored] = useState<number | null>(null)
  const actions = useActions({ api, agentId, active: active?.version ?? null, newest })
  const publish = usePublishAgent(api)
  return (
    <>
      <VersionsView
        title={active ? t('Versions of {name}', { name: active.agent_name || t('Without a name') }) : t('Versions')}
        description={t(
          'New conversations use the active version: the one that was made active, else the highest published one, else the newest.',
        )}
        back={backTo(active?.agent_name ?? null)}
        versions={versions}
        read={async (version, signal) => (await api.read({ workspaceId, agentId }, version, signal)).value}
        toCompared={(value) => withoutEngineVersion(value as Value)}
        readKey={[api.operations.read, agentId]}
        nameOf={nameOf}
        readAlso={async (value, signal) => {
          const llm = await readLlmOf((value as Value).response_engine, workspaceId, signal)
          return llm && { title: t('Prompt, version {version}', { version: llm.version }), value: llm }
        }}
        actions={(row) => actions(row, { onPublish: setPublished, onRestore: setRestored })}
        active={active?.version ?? null}
        search={search}
        onSearch={onSearch}
      />
      {published !== null && (
        <PublishDialog
          version={published}
          consequence={t(AGENT_WORDS[api.kind].publishConsequence)}
          isBusy={publish.isPending}
          problem={publish.error}
          onClose={() => setPublished(null)}
          onPublish={(notes) =>
            publish.mutate(
              { agentId, etag: null, version: published, ...notes },
              { onSuccess: () => setPublished(null) },
            )
          }
        />
      )}
      {restored !== null && (
        <RestoreDialog api={api} agentId={agentId} version={restored} onClose={() => setRestored(null)} />
      )}
    </>
  )
}

/** The version of the LLM configuration that an engine means; null for other engines. */
async function readLlmOf(engine: ResponseEngine, workspaceId: number, signal: AbortSignal): Promise<Llm | null> {
  const llmId = llmIdOf(engine)
  if (llmId === null) return null
  const query = { workspaceId, version: String(engine.version ?? 'latest') }
  return (await request('getLlm', { path: { llmId }, query }, { signal })).value
}

/** Which version of a configuration an agent answers with is shown by what differs in the configuration itself. */
function withoutEngineVersion(agent: AnyAgent): AnyAgent {
  const { response_engine: engine } = agent
  return llmIdOf(engine) === null ? agent : { ...agent, response_engine: { ...engine, version: null } }
}

interface Asking {
  readonly onPublish: (version: number) => void
  readonly onRestore: (version: number) => void
}

function useActions<Value extends AnyAgent>({
  api,
  agentId,
  active,
  newest,
}: Pick<AgentVersionsProps<Value>, 'api' | 'agentId'> & { readonly active: number | null; readonly newest: number }) {
  const t = useText()
  const may = useMay()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const { mutate: activate } = useMutation({
    mutationFn: (version: number | null) => api.activate({ workspaceId, agentId }, version),
    onSuccess: async (_answer, version) => {
      tell(
        version === null
          ? t('No version is fixed any more: new conversations use the highest published one, else the newest.')
          : t('New conversations use version {version} from now on.', { version }),
      )
      await refresh(client, refreshedBy(api.operations))
    },
    onError: ({ message }) => complain(message),
  })
  return ({ version, is_published: isPublished }: VersionRow, { onPublish, onRestore }: Asking): MenuItem[] => [
    ...(may(api.operations.activate)
      ? [
          {
            label: version === active ? t('Keep active for good') : t('Make active'),
            icon: CirclePlay,
            onSelect: () => activate(version),
          },
          ...(version === active
            ? [{ label: t('Follow the published versions'), icon: CircleSlash, onSelect: () => activate(null) }]
            : []),
        ]
      : []),
    ...(may(api.operations.publish) && !isPublished
      ? [{ label: t('Publish …'), icon: Send, onSelect: () => onPublish(version) }]
      : []),
    ...(may(api.operations.update) && version !== newest
      ? [{ label: t('Restore …'), icon: RotateCcw, onSelect: () => onRestore(version) }]
      : []),
  ]
}
