import type { Crawl, KnowledgeBase } from '@parley/contract/knowledge-base'
import { Plus, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { NumberField, SwitchField, TextAreaField, TextField } from '../../components/fields.tsx'
import { DescriptionList, Panel } from '../../components/page.tsx'
import { LinesField } from '../../components/strings-field.tsx'
import { DateTime } from '../../components/time.tsx'
import { notify } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import type { Snapshot } from '../../lib/editing/draft-state.ts'
import { type DraftSaver, useDraftSaver } from '../../lib/editing/save.ts'
import { useFormatter } from '../../lib/format.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { URL_PLACEHOLDER } from '../../parts/knowledge/source-info.ts'

/** The editable fields of a knowledge base. */
type BaseSettings = Pick<KnowledgeBase, 'name' | 'description' | 'enableAutoRefresh' | 'refreshIntervalHours' | 'crawl'>

export interface BaseResponse {
  readonly value: KnowledgeBase
  readonly etag: string | null
}

function toSnapshot({ value, etag }: BaseResponse): Snapshot<BaseSettings> {
  const { name, description, enableAutoRefresh, refreshIntervalHours, crawl } = value
  return { value: { name, description, enableAutoRefresh, refreshIntervalHours, crawl }, etag }
}

function useSettingsDraft(response: BaseResponse): {
  readonly draft: Draft<BaseSettings>
  readonly saver: DraftSaver<BaseSettings>
} {
  const workspaceId = useWorkspaceId()
  const path = { knowledgeBaseId: response.value.knowledgeBaseId }
  const { etag } = response
  // The ETag covers only the settings, so it does not change when sources are processed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  const latestSnapshot = useMemo(() => toSnapshot(response), [path.knowledgeBaseId, etag])
  const draft = useDraft(`knowledge.${path.knowledgeBaseId}`, latestSnapshot)
  const updateBase = useWrite('updateKnowledgeBase', {
    invalidates: ['getKnowledgeBase', 'listKnowledgeBases', 'listKnowledgeSources'],
  })
  const saver = useDraftSaver(draft, {
    write: async (edits, ifMatch) => toSnapshot(await updateBase.mutateAsync({ path, body: edits, ifMatch })),
    read: async () => toSnapshot(await request('getKnowledgeBase', { path, query: { workspaceId } })),
  })
  return { draft, saver }
}

const FIELD_NAMES: Readonly<Record<string, string>> = {
  name: message('Name'),
  description: message('Description'),
  enableAutoRefresh: message('Refresh pages automatically'),
  refreshIntervalHours: message('Refresh interval'),
  crawl: message('Sites'),
} satisfies Record<keyof BaseSettings, string>

export function SettingsTab({ response }: { readonly response: BaseResponse }) {
  const t = useText()
  const can = useCan()
  const { draft, saver } = useSettingsDraft(response)
  const disabled = !can('updateKnowledgeBase')
  const { value, set } = draft
  const save = async (): Promise<void> => {
    if (!disabled && draft.isEdited && (await saver.save())) notify(t('Settings saved'))
  }
  return (
    <div className="flex flex-col gap-5">
      {!disabled && <DraftBar draft={draft} saver={saver} onSave={save} />}
      <DraftFields draft={draft} saver={saver} getFieldName={(field) => t(FIELD_NAMES[field] ?? field)}>
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
                help={t('What the knowledge base contains.')}
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
          <BaseDetails base={response.value} />
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
    <Panel title={t('Refresh')}>
      <SwitchField
        label={t('Refresh pages automatically')}
        help={t('Texts and files are not refreshed.')}
        disabled={disabled}
        value={value.enableAutoRefresh}
        onChange={(enableAutoRefresh) => onChange({ enableAutoRefresh })}
      />
      <NumberField
        label={t('Refresh interval')}
        help={t('1 to 8760 hours (one year)')}
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

function BaseDetails({ base }: { readonly base: KnowledgeBase }) {
  const t = useText()
  const format = useFormatter()
  return (
    <Panel title={t('Details')}>
      <DescriptionList
        items={[
          [t('Knowledge base ID'), <CopyText key="id" text={base.knowledgeBaseId} />],
          [t('Search mode'), base.searchMode === 'hybrid' ? t('Hybrid (keyword and semantic)') : t('Keywords')],
          [t('Sources'), format.number(base.sourceCount)],
          [t('Passages'), format.number(base.chunkCount)],
          [
            t('Max passage length'),
            t('{count, plural, one {# character} other {# characters}}', { count: base.maxChunkSize }),
          ],
          [
            t('Min passage length'),
            t('{count, plural, one {# character} other {# characters}}', { count: base.minChunkSize }),
          ],
          [t('Last refresh'), <DateTime key="refreshed" time={base.lastRefreshedAt} />],
          [t('Created'), <DateTime key="created" time={base.createdAt} />],
        ]}
      />
    </Panel>
  )
}

const MAX_SITES = 10
const MAX_PAGES = 500
const NEW_SITE: Crawl = { path: '', exclude: [], maxPages: 100 }

/** Lists the sites to crawl. Their pages become sources. */
function SitesPanel({
  sites,
  onChange,
  disabled,
}: {
  readonly sites: readonly Crawl[]
  readonly onChange: (sites: Crawl[]) => void
  readonly disabled: boolean
}) {
  const t = useText()
  return (
    <Panel
      title={t('Sites')}
      description={t(
        'Pages under these URLs become sources unless robots.txt disallows them. Removing a site removes its pages.',
      )}
    >
      {sites.length === 0 && <p className="text-muted">{t('No sites')}</p>}
      {sites.map((site, index) => (
        <SiteFields
          // biome-ignore lint/suspicious/noArrayIndexKey: sites have no ids.
          key={index}
          site={site}
          index={index}
          disabled={disabled}
          onChange={(changes) => onChange(sites.map((item, i) => (i === index ? { ...item, ...changes } : item)))}
          onRemove={() => onChange(sites.filter((_site, i) => i !== index))}
        />
      ))}
      {!disabled && sites.length < MAX_SITES && (
        <Button icon={Plus} className="w-fit" onClick={() => onChange([...sites, NEW_SITE])}>
          {t('Add site')}
        </Button>
      )}
    </Panel>
  )
}

interface SiteFieldsProps {
  readonly site: Crawl
  readonly index: number
  readonly disabled: boolean
  readonly onChange: (changes: Partial<Crawl>) => void
  readonly onRemove: () => void
}

function SiteFields({ site, index, disabled, onChange, onRemove }: SiteFieldsProps) {
  const t = useText()
  const name = `crawl[${index}]`
  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
      <legend className="px-1 font-medium">{t('Site {number}', { number: index + 1 })}</legend>
      <TextField
        label="URL"
        help={t('A URL prefix, or a sitemap URL that ends with .xml.')}
        name={`${name}.path`}
        inputMode="url"
        spellCheck={false}
        placeholder={URL_PLACEHOLDER}
        disabled={disabled}
        value={site.path}
        onChange={(path) => onChange({ path })}
      />
      <LinesField
        label={t('Excluded paths')}
        help={t('URL or path prefixes to skip, one per line.')}
        name={`${name}.exclude`}
        isOptional
        disabled={disabled}
        value={site.exclude}
        onChange={(exclude) => onChange({ exclude })}
      />
      <NumberField
        label={t('Max pages')}
        help={t('1 to 500')}
        name={`${name}.maxPages`}
        minimum={1}
        maximum={MAX_PAGES}
        disabled={disabled}
        value={site.maxPages}
        onChange={(maxPages) => maxPages !== null && onChange({ maxPages })}
      />
      {!disabled && (
        <Button icon={Trash2} className="w-fit" onClick={onRemove}>
          {t('Remove site {number}', { number: index + 1 })}
        </Button>
      )}
    </fieldset>
  )
}
