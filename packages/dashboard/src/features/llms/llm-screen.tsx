import type { Llm } from '@parley/contract/llm'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Copy, Ellipsis, History, Send, Trash2 } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { BackLink } from '../../components/back-link.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button, ButtonLink, IconButton } from '../../components/button.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { TextField } from '../../components/fields.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import { tellWithWarnings } from '../../components/toasts.tsx'
import { inWorkspace, refresh, useAnswer } from '../../lib/api/hooks.ts'
import { type Answer, request } from '../../lib/api/request.ts'
import { useDraft } from '../../lib/editing/draft.ts'
import { useSaving } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { llmFields } from '../../parts/agent/agent-body.ts'
import { useFieldNames } from '../../parts/agent/field-names.ts'
import { llmApi, refreshedByEdit } from '../../parts/engine/engine-api.ts'
import { DeleteEngineDialog, PublishEngineDialog } from '../../parts/engine/engine-dialogs.tsx'
import { EngineState, UsedBy } from '../../parts/engine/engine-state.tsx'
import { KnowledgeSettings } from '../../parts/llm/knowledge-settings.tsx'
import { ModelSettings } from '../../parts/llm/model-settings.tsx'
import {
  type LlmPartProps,
  OpeningSettings,
  PromptSettings,
  VariableSettings,
} from '../../parts/llm/prompt-settings.tsx'
import { StateSettings } from '../../parts/llm/state-settings.tsx'
import { ToolSettings } from '../../parts/llm/tool-settings.tsx'
import { useDuplicateLlm } from './duplicate-llm.ts'
import { type LlmSearch, type LlmTab, problemCounts } from './llm-search.ts'

/** The editor of one prompt. */
export function LlmScreen() {
  const t = useText()
  const { llmId = '' } = useParams({ strict: false })
  const llm = useAnswer('getLlm', { path: { llmId } })
  if (llm.data !== undefined) return <LlmEditor key={llmId} llmId={llmId} answer={llm.data} />
  return (
    <Page title={t('Prompt')} above={<BackToLlms />}>
      <Reading of={llm} lines={8}>
        {() => null}
      </Reading>
    </Page>
  )
}

function BackToLlms() {
  const t = useText()
  return (
    <BackLink to="/$workspaceId/llms" params={{ workspaceId: useWorkspaceId() }}>
      {t('Prompts')}
    </BackLink>
  )
}

function LlmEditor({ llmId, answer }: { readonly llmId: string; readonly answer: Answer<Llm> }) {
  const isAllowed = useMay()('updateLlm')
  const { draft, saving } = useLlmDraft(llmId, answer)
  const { value } = draft
  return (
    <Page
      title={value.display_name.trim() === '' ? llmId : value.display_name}
      above={<BackToLlms />}
      beside={<EngineState id={llmId} newest={draft.base.value} />}
      description={<UsedBy id={llmId} />}
      actions={
        <>
          <LlmActions llm={draft.base.value} save={saving.save} />
          {isAllowed && <DraftBar draft={draft} saving={saving} />}
        </>
      }
    >
      <DraftFields draft={draft} saving={saving} nameOf={useFieldNames()}>
        <LlmTabs
          llmId={llmId}
          parts={{ value, onChange: draft.set, disabled: !isAllowed }}
          counts={problemCounts(saving.problem?.details ?? [])}
        />
      </DraftFields>
    </Page>
  )
}

function useLlmDraft(llmId: string, answer: Answer<Llm>) {
  const t = useText()
  const client = useQueryClient()
  const workspaceId = useWorkspaceId()
  const newest = useMemo(() => ({ value: answer.value, etag: answer.etag }), [answer])
  const draft = useDraft<Llm>(`llm.${llmId}`, newest)
  const path = { llmId }
  const saving = useSaving<Llm>(draft, {
    async write(edits, etag) {
      const parts = inWorkspace('updateLlm', { path, body: llmFields(edits) }, workspaceId)
      const saved = await request('updateLlm', parts, { ifMatch: etag })
      await refresh(client, refreshedByEdit(llmApi))
      const { warnings, ...value } = saved.value
      tellWithWarnings(t('Prompt saved'), warnings)
      return { value, etag: saved.etag }
    },
    async read() {
      const { value, etag } = await request('getLlm', inWorkspace('getLlm', { path }, workspaceId))
      return { value, etag }
    },
  })
  return { draft, saving }
}

function LlmActions({ llm, save }: { readonly llm: Llm; readonly save: () => Promise<boolean> }) {
  const t = useText()
  const may = useMay()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const duplicate = useDuplicateLlm()
  const [asked, setAsked] = useState<'publish' | 'delete' | null>(null)
  const { llm_id: llmId, display_name: name } = llm
  const close = (): void => setAsked(null)
  async function openCopy(): Promise<void> {
    const copy = await duplicate(llmId)
    if (copy !== null) await navigate({ to: '/$workspaceId/llms/$llmId', params: { workspaceId, llmId: copy } })
  }
  const items: readonly MenuItem[] = [
    ...(may('createLlm') ? [{ label: t('Duplicate'), icon: Copy, onSelect: () => void openCopy() }] : []),
    ...(may('deleteLlm')
      ? [{ label: t('Delete …'), icon: Trash2, kind: 'danger' as const, onSelect: () => setAsked('delete') }]
      : []),
  ]
  return (
    <>
      {items.length > 0 && <Menu items={items} trigger={<IconButton icon={Ellipsis} label={t('More actions')} />} />}
      <ButtonLink icon={History} to="/$workspaceId/llms/$llmId/versions" params={{ workspaceId, llmId }}>
        {t('Versions')}
      </ButtonLink>
      {may('publishLlm') && (
        <Button icon={Send} onClick={() => setAsked('publish')}>
          {t('Publish')}
        </Button>
      )}
      {asked === 'publish' && (
        <PublishEngineDialog api={llmApi} id={llmId} version={null} before={save} onClose={close} />
      )}
      {asked === 'delete' && (
        <DeleteEngineDialog
          api={llmApi}
          id={llmId}
          name={name.trim() === '' ? llmId : name}
          onClose={close}
          onDeleted={() => void navigate({ to: '/$workspaceId/llms', params: { workspaceId } })}
        />
      )}
    </>
  )
}

interface LlmTabsProps {
  readonly llmId: string
  readonly parts: LlmPartProps
  readonly counts: Readonly<Record<LlmTab, number>>
}

function LlmTabs({ llmId, parts, counts }: LlmTabsProps) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { tab = 'prompt' } = useSearch({ strict: false }) as LlmSearch
  const tabOf = (name: LlmTab, label: string, content: ReactNode) => ({
    name,
    label: <TabLabel label={label} count={counts[name]} />,
    content: <div className="flex max-w-5xl flex-col gap-5">{content}</div>,
  })
  return (
    <Tabs<LlmTab>
      label={t('Prompt settings')}
      value={tab}
      onChange={(chosen) =>
        void navigate({
          to: '/$workspaceId/llms/$llmId',
          params: { workspaceId, llmId },
          search: { tab: chosen },
          replace: true,
          resetScroll: false,
        })
      }
      tabs={[
        tabOf(
          'prompt',
          t('Prompt'),
          <>
            <NamePanel {...parts} />
            <PromptSettings {...parts} />
            <OpeningSettings {...parts} />
            <VariableSettings {...parts} />
          </>,
        ),
        tabOf('model', t('Model'), <ModelSettings {...parts} />),
        tabOf('tools', t('Tools'), <ToolSettings {...parts} />),
        tabOf('knowledge', t('Knowledge'), <KnowledgeSettings {...parts} />),
        tabOf('states', t('States'), <StateSettings {...parts} />),
      ]}
    />
  )
}

function NamePanel({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  return (
    <Panel>
      <TextField
        label={t('Name')}
        help={t('Only shown to your team.')}
        name="display_name"
        maxLength={200}
        value={value.display_name}
        onChange={(name) => onChange({ display_name: name })}
        disabled={disabled}
      />
    </Panel>
  )
}

function TabLabel({ label, count }: { readonly label: string; readonly count: number }) {
  const t = useText()
  if (count === 0) return label
  return (
    <span className="flex items-center gap-1.5">
      {label}
      <Badge tone="bad">
        <span aria-hidden="true">{count}</span>
        <span className="sr-only">{t('{count, plural, one {# problem} other {# problems}}', { count })}</span>
      </Badge>
    </span>
  )
}
