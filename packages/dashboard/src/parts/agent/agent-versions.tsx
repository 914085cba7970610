import type { Llm } from '@parley/contract/llm'
import type { ResponseEngine } from '@parley/contract/response-engine'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CirclePlay, Pin, PinOff, RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { BackLink } from '../../components/back-link.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import type { MenuItem } from '../../components/menu.tsx'
import { notify, notifyError, notifyWithWarnings } from '../../components/toasts.tsx'
import { type Pages, refresh } from '../../lib/api/hooks.ts'
import type { Problem } from '../../lib/api/problem.ts'
import { request } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { PublishDialog } from '../versions/publish-dialog.tsx'
import type { VersionsSearch } from '../versions/versions-search.ts'
import { type VersionRow, VersionsView } from '../versions/versions-view.tsx'
import { AGENT_LABELS, PUBLISH_DESCRIPTION, useAgent, usePublishAgent } from './agent-actions.tsx'
import { type AgentApi, type AnyAgent, listOperationsToRefetch } from './agent-api.ts'
import { AGENT_PATHS } from './agent-search.ts'
import { getLlmId } from './engine.ts'
import { useFieldNames } from './field-names.ts'

export const useAgentId = (): string => useParams({ strict: false }).agentId ?? ''

interface AgentVersionsProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly versions: Pages<VersionRow>
}

/** Lists an agent's versions so that users can compare, publish, activate, and restore them. */
export function AgentVersions<Value extends AnyAgent>({ api, versions }: AgentVersionsProps<Value>) {
  const t = useText()
  const navigate = useNavigate()
  const agentId = useAgentId()
  const workspaceId = useWorkspaceId()
  const params = { workspaceId, agentId }
  const liveAgent = useAgent(api, agentId, 'active').data?.value
  const latestVersion = versions.rows[0]?.version ?? 1
  const [openDialog, setOpenDialog] = useState<{
    readonly kind: 'publish' | 'restore'
    readonly version: number
  } | null>(null)
  const getActions = useVersionActions({
    api,
    agentId,
    liveVersion: liveAgent?.version ?? null,
    latestVersion,
    onOpenDialog: setOpenDialog,
  })
  const publishAgent = usePublishAgent(api)
  const closeDialog = (): void => setOpenDialog(null)
  return (
    <>
      <VersionsView
        title={liveAgent ? t('Versions of {name}', { name: liveAgent.agent_name || t('Unnamed') }) : t('Versions')}
        description={t(
          'New conversations use the live version: the pinned version, otherwise the highest published version, otherwise the latest version.',
        )}
        backLink={
          <BackLink to={AGENT_PATHS[api.kind].editor} params={params}>
            {liveAgent?.agent_name || t(AGENT_LABELS[api.kind].singular)}
          </BackLink>
        }
        versions={versions}
        read={async (version, signal) => (await api.read({ workspaceId, agentId }, version, signal)).value}
        toComparable={(value) => removeEngineVersion(value as Value)}
        readKey={[api.operations.read, agentId]}
        getFieldName={useFieldNames()}
        recordTitle={t('Agent settings')}
        readRelated={async (value, signal) => {
          const llm = await readEngineLlm((value as Value).response_engine, workspaceId, signal)
          return llm && { title: t('Prompt, version {version}', { version: llm.version }), value: llm }
        }}
        actions={getActions}
        liveVersions={new Set(liveAgent ? [liveAgent.version] : [])}
        search={useSearch({ strict: false }) as VersionsSearch}
        onSearch={(search) => void navigate({ to: AGENT_PATHS[api.kind].versions, params, search, replace: true })}
      />
      {openDialog?.kind === 'publish' && (
        <PublishDialog
          version={openDialog.version}
          explanation={t(PUBLISH_DESCRIPTION)}
          isBusy={publishAgent.isPending}
          problem={publishAgent.error}
          onClose={closeDialog}
          onPublish={(notes) =>
            publishAgent.mutate(
              { agentId, etag: null, version: openDialog.version, ...notes },
              { onSuccess: closeDialog },
            )
          }
        />
      )}
      {openDialog?.kind === 'restore' && (
        <RestoreDialog api={api} agentId={agentId} version={openDialog.version} onClose={closeDialog} />
      )}
    </>
  )
}

/** Reads the LLM configuration of an engine at the engine's version. Returns null for other engines. */
async function readEngineLlm(engine: ResponseEngine, workspaceId: number, signal: AbortSignal): Promise<Llm | null> {
  const llmId = getLlmId(engine)
  if (llmId === null) return null
  const query = { workspaceId, version: String(engine.version ?? 'latest') }
  return (await request('getLlm', { path: { llmId }, query }, { signal })).value
}

/** Removes the engine version, because LLM configurations are compared by content instead of version number. */
function removeEngineVersion(agent: AnyAgent): AnyAgent {
  const { response_engine: engine } = agent
  return getLlmId(engine) === null ? agent : { ...agent, response_engine: { ...engine, version: null } }
}

interface ActionsOptions<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agentId: string
  readonly liveVersion: number | null
  readonly latestVersion: number
  readonly onOpenDialog: (openDialog: { readonly kind: 'publish' | 'restore'; readonly version: number }) => void
}

function useVersionActions<Value extends AnyAgent>({
  api,
  agentId,
  liveVersion,
  latestVersion,
  onOpenDialog,
}: ActionsOptions<Value>) {
  const t = useText()
  const can = useCan()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const target = { workspaceId, agentId }
  const { mutate: pin } = useMutation<unknown, Problem, VersionRow | null>({
    async mutationFn(row) {
      // The next edit would overwrite an unpublished version, so it is published first.
      if (row !== null && !row.is_published) {
        await api.publish(target, { version: row.version, title: null, description: null }, null)
      }
      await api.activate(target, row?.version ?? null)
    },
    onSuccess: async (_response, row) => {
      notify(
        row === null
          ? t('Version unpinned. The highest published version is live.')
          : t('Version {version} is live', { version: row.version }),
      )
      await refresh(client, listOperationsToRefetch(api.operations))
    },
    onError: ({ message }) => notifyError(message),
  })
  return (row: VersionRow): (MenuItem | false)[] => {
    const { version, is_published: isPublished } = row
    const isLive = version === liveVersion
    return [
      can(api.operations.publish) &&
        !isPublished && {
          label: t('Publish…'),
          icon: Send,
          onSelect: () => onOpenDialog({ kind: 'publish', version }),
        },
      can(api.operations.activate) && {
        label: isLive ? t('Pin this version') : t('Make live'),
        icon: isLive ? Pin : CirclePlay,
        onSelect: () => pin(row),
      },
      can(api.operations.activate) && isLive && { label: t('Unpin'), icon: PinOff, onSelect: () => pin(null) },
      can(api.operations.update) &&
        version !== latestVersion && {
          label: t('Restore…'),
          icon: RotateCcw,
          onSelect: () => onOpenDialog({ kind: 'restore', version }),
        },
    ]
  }
}

interface RestoreDialogProps<Value extends AnyAgent> {
  readonly api: AgentApi<Value>
  readonly agentId: string
  readonly version: number
  readonly onClose: () => void
}

/** Asks for confirmation before an older version replaces the latest settings. */
function RestoreDialog<Value extends AnyAgent>({ api, agentId, version, onClose }: RestoreDialogProps<Value>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const target = { workspaceId, agentId }
  const restoreVersion = useMutation<readonly string[], Problem>({
    mutationFn: async () => {
      const [olderVersion, latestVersion] = await Promise.all([api.read(target, version), api.read(target, 'latest')])
      // Keeps the engine version so that the earlier prompt is also restored.
      return (await api.update(target, olderVersion.value, latestVersion.etag)).value.warnings
    },
    onSuccess: async (warnings) => {
      notifyWithWarnings(t('Version {version} restored', { version }), warnings)
      await refresh(client, listOperationsToRefetch(api.operations))
      onClose()
    },
  })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Restore version {version}?', { version })}
      description={t(
        'The latest version gets these settings, including the version of the prompt or flow. If the latest version was used or published, a new version is created.',
      )}
      submitLabel={t('Restore')}
      isBusy={restoreVersion.isPending}
      problem={restoreVersion.error}
      onSubmit={() => restoreVersion.mutate()}
    />
  )
}
