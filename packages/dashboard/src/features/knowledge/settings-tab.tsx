import type { KnowledgeBase } from '@parley/contract/knowledge-base'
import { CopyText } from '../../components/copy-button.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { NumberField, SwitchField, TextAreaField, TextField } from '../../components/fields.tsx'
import { Moment } from '../../components/moment.tsx'
import { Facts, Panel } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useFormats } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { SitesPanel } from './sites-panel.tsx'
import { type BaseAnswer, type BaseSettings, useSettingsDraft } from './use-settings.ts'

const FIELD_NAMES: Readonly<Record<string, string>> = {
  name: message('Name'),
  description: message('Description'),
  enableAutoRefresh: message('Read the pages again automatically'),
  refreshIntervalHours: message('Hours between two readings'),
  crawl: message('Sites'),
} satisfies Record<keyof BaseSettings, string>

/** What can be changed of a knowledge base. */
export function SettingsTab({ answer }: { readonly answer: BaseAnswer }) {
  const t = useText()
  const may = useMay()
  const { draft, saving } = useSettingsDraft(answer)
  const disabled = !may('updateKnowledgeBase')
  const { value, set } = draft
  const save = async (): Promise<void> => {
    if (!disabled && draft.isEdited && (await saving.save())) tell(t('The settings are saved.'))
  }
  return (
    <div className="flex flex-col gap-5">
      {!disabled && <DraftBar draft={draft} saving={saving} onSave={save} />}
      <DraftFields draft={draft} saving={saving} nameOf={(field) => t(FIELD_NAMES[field] ?? field)}>
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-5">
            <Panel title={t('General')}>
              <TextField
                label={t('Name')}
                name="name"
                maxLength={39}
                disabled={disabled}
                value={value.name}
                onChange={(name) => set({ name })}
              />
              <TextAreaField
                label={t('Description')}
                help={t('What it is for.')}
                name="description"
                isOptional
                disabled={disabled}
                value={value.description}
                onChange={(description) => set({ description })}
              />
            </Panel>
            <RefreshPanel value={value} onChange={set} disabled={disabled} />
            <SitesPanel sites={value.crawl} onChange={(crawl) => set({ crawl })} disabled={disabled} />
          </div>
          <BaseFacts base={answer.value} />
        </div>
      </DraftFields>
    </div>
  )
}

function RefreshPanel({
  value,
  onChange,
  disabled,
}: {
  readonly value: BaseSettings
  readonly onChange: (changes: Partial<BaseSettings>) => void
  readonly disabled: boolean
}) {
  const t = useText()
  return (
    <Panel title={t('Keeping up to date')}>
      <SwitchField
        label={t('Read the pages again automatically')}
        help={t('Texts and files that were read stay as they are.')}
        disabled={disabled}
        value={value.enableAutoRefresh}
        onChange={(enableAutoRefresh) => onChange({ enableAutoRefresh })}
      />
      <NumberField
        label={t('Hours between two readings')}
        help={t('From 1 to 8760, which is a year.')}
        name="refreshIntervalHours"
        unit={t('hours')}
        minimum={1}
        maximum={8760}
        disabled={disabled || !value.enableAutoRefresh}
        value={value.refreshIntervalHours}
        onChange={(hours) => hours !== null && onChange({ refreshIntervalHours: hours })}
      />
    </Panel>
  )
}

/** What is fixed, or follows from the sources. */
function BaseFacts({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  const formats = useFormats()
  return (
    <Panel title={t('About the knowledge base')}>
      <Facts
        items={[
          [t('Knowledge base id'), <CopyText key="id" text={base.knowledgeBaseId} />],
          [t('Kind of search'), base.searchMode === 'hybrid' ? t('By words and by meaning') : t('By words')],
          [t('Sources'), formats.number(base.sourceCount)],
          [t('Passages'), formats.number(base.chunkCount)],
          [
            t('Longest passage'),
            t('{count, plural, one {# character} other {# characters}}', { count: base.maxChunkSize }),
          ],
          [
            t('Joined below'),
            t('{count, plural, one {# character} other {# characters}}', { count: base.minChunkSize }),
          ],
          [t('Last read again'), <Moment key="refreshed" at={base.lastRefreshedAt} />],
          [t('Created'), <Moment key="created" at={base.createdAt} />],
        ]}
      />
    </Panel>
  )
}
