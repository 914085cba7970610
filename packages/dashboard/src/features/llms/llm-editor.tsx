import type { Llm } from '@parley/contract/llm'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { TextField } from '../../components/fields.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Answer } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { KnowledgeSettings } from '../../parts/llm/knowledge-settings.tsx'
import type { LlmPartProps } from '../../parts/llm/llm-part.ts'
import { ModelSettings } from '../../parts/llm/model-settings.tsx'
import { PromptSettings } from '../../parts/llm/prompt-settings.tsx'
import { StateSettings } from '../../parts/llm/state-settings.tsx'
import { ToolSettings } from '../../parts/llm/tool-settings.tsx'
import { BackToLlms } from './back-to-llms.tsx'
import { LlmActions } from './llm-actions.tsx'
import { useLlmFieldName } from './llm-field-names.ts'
import { type LlmSearch, type LlmTab, problemCounts } from './llm-search.ts'
import { useLlmEditor } from './use-llm-editor.ts'
import { useLlmUsers } from './use-llm-users.ts'
import { UserLink } from './user-links.tsx'

/** The editor of a configuration: its parts, one at a time. */
export function LlmEditor({ llmId, answer }: { readonly llmId: string; readonly answer: Answer<Llm> }) {
  const isAllowed = useMay()('updateLlm')
  const { draft, saving } = useLlmEditor(llmId, answer)
  const { value } = draft
  return (
    <Page
      title={value.display_name.trim() === '' ? llmId : value.display_name}
      above={<BackToLlms />}
      beside={<LlmState llm={draft.base.value} />}
      description={<UsedBy llmId={llmId} />}
      actions={
        <>
          <LlmActions llm={draft.base.value} save={saving.save} />
          {isAllowed && <DraftBar draft={draft} saving={saving} />}
        </>
      }
    >
      <DraftFields draft={draft} saving={saving} nameOf={useLlmFieldName()}>
        <LlmParts
          llmId={llmId}
          parts={{ value, onChange: draft.set, disabled: !isAllowed }}
          counts={problemCounts(saving.problem?.details ?? [])}
        />
      </DraftFields>
    </Page>
  )
}

interface LlmPartsProps {
  readonly llmId: string
  readonly parts: LlmPartProps
  readonly counts: Readonly<Record<LlmTab, number>>
}

function LlmParts({ llmId, parts, counts }: LlmPartsProps) {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const { tab = 'prompt' } = useSearch({ strict: false }) as LlmSearch
  const labelled = (name: LlmTab, label: string, content: ReactNode) => ({
    name,
    label: <TabLabel label={label} count={counts[name]} />,
    content,
  })
  return (
    <Tabs<LlmTab>
      label={t('Parts of the configuration')}
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
        labelled(
          'prompt',
          t('Prompt'),
          <div className="flex max-w-5xl flex-col gap-5">
            <NamePanel {...parts} />
            <PromptSettings {...parts} />
          </div>,
        ),
        labelled('model', t('Model'), <Narrow>{<ModelSettings {...parts} />}</Narrow>),
        labelled('functions', t('Functions'), <Narrow>{<ToolSettings {...parts} />}</Narrow>),
        labelled('knowledge', t('Knowledge'), <Narrow>{<KnowledgeSettings {...parts} />}</Narrow>),
        labelled('states', t('States'), <Narrow>{<StateSettings {...parts} />}</Narrow>),
      ]}
    />
  )
}

/** Forms read badly over the whole width of a large screen. */
const Narrow = ({ children }: { readonly children: ReactNode }) => <div className="max-w-5xl">{children}</div>

function NamePanel({ value, onChange, disabled }: LlmPartProps) {
  const t = useText()
  return (
    <Panel>
      <TextField
        label={t('Name')}
        help={t('To know the configuration by; no model is told it.')}
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

function LlmState({ llm }: { readonly llm: Llm }) {
  const t = useText()
  return (
    <span className="flex flex-wrap items-center gap-2">
      <span className="text-muted">{t('Version {version}', { version: llm.version })}</span>
      {llm.is_published ? (
        <Badge tone="good">{t('Published')}</Badge>
      ) : llm.is_frozen ? (
        <Badge>{t('In use')}</Badge>
      ) : (
        <Badge tone="warn">{t('Draft')}</Badge>
      )}
    </span>
  )
}

/** More names than this do not fit in a sentence. */
const MOST_NAMED = 5

function UsedBy({ llmId }: { readonly llmId: string }) {
  const t = useText()
  const known = useLlmUsers()
  const users = known?.get(llmId) ?? []
  // Takes its room until it is known.
  if (known === null) return '\u00a0'
  if (users.length === 0) return t('No newest version of an agent answers with it.')
  return (
    <>
      {t('Used by (newest versions)')}{' '}
      {users.slice(0, MOST_NAMED).map((user, index) => (
        <span key={user.id}>
          {index > 0 && ', '}
          <UserLink user={user} />
        </span>
      ))}
      {users.length > MOST_NAMED && ` ${t('and {count} more', { count: users.length - MOST_NAMED })}`}
    </>
  )
}
