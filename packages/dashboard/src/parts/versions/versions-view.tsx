import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { DataList } from '../../components/data-list.tsx'
import { DifferenceView } from '../../components/difference-view.tsx'
import { SelectField } from '../../components/fields.tsx'
import { type MenuItem, RowMenu } from '../../components/menu.tsx'
import { Page, Panel } from '../../components/page.tsx'
import { QueryView } from '../../components/states.tsx'
import { buildTimeColumn } from '../../components/time.tsx'
import type { Pages } from '../../lib/api/hooks.ts'
import type { OperationName } from '../../lib/api/request.ts'
import { listDifferences, VERSION_FIELDS } from '../../lib/difference.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { selectComparedVersions, type VersionsSearch } from './versions-search.ts'

export interface VersionRow {
  readonly version: number
  readonly is_published: boolean
  readonly is_frozen: boolean
  readonly version_title: string | null
  readonly version_description: string | null
  readonly updated_at: string
}

/** A record compared alongside the main record, such as an agent's prompt. */
export interface ComparedRecord {
  readonly title: string
  readonly value: object
}

export interface VersionsViewProps<Row extends VersionRow> {
  readonly title: string
  readonly description?: string
  readonly backLink: ReactNode
  /** Loaded with `usePages`. */
  readonly versions: Pages<Row>
  readonly actions?: (row: Row) => readonly (MenuItem | false)[]
  /** Versions that callers reach. */
  readonly liveVersions: ReadonlySet<number>
  /** Search parameters of the route, validated by `readVersionsSearch`. */
  readonly search: VersionsSearch
  readonly onSearch: (search: VersionsSearch) => void
  /** Reads the full content of one version. */
  readonly read: (version: number, signal: AbortSignal) => Promise<object>
  /** Converts a version to the value to compare. Defaults to the entire version. */
  readonly toComparable?: (value: object) => object
  /** Query key of `read`: the operation and the record ID. */
  readonly readKey: readonly [OperationName, string]
  readonly getFieldName: (field: string) => string
  /** Title of the main record if `readRelated` adds another record. */
  readonly recordTitle?: string
  readonly readRelated?: (value: object, signal: AbortSignal) => Promise<ComparedRecord | null>
}

/** Lists a record's versions and the changes between two of them. */
export function VersionsView<Row extends VersionRow>(props: VersionsViewProps<Row>) {
  const { title, description, backLink, versions, search, liveVersions, actions } = props
  const t = useText()
  const comparedVersions = selectComparedVersions(
    versions.rows.map(({ version }) => version),
    search,
  )
  return (
    <Page title={title} description={description} backLink={backLink}>
      <div className="grid min-w-0 items-start gap-5 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
        <DataList
          label={t('Versions')}
          columns={[
            {
              key: 'version',
              title: t('Version'),
              cell: (row) => <VersionCell row={row} isLive={liveVersions.has(row.version)} />,
            },
            buildTimeColumn<Row>(t('Edited'), ({ updated_at: updatedAt }) => updatedAt, {
              visibleFrom: 'sm',
              width: 'w-32',
            }),
            {
              key: 'actions',
              title: '',
              width: 'w-14',
              align: 'end',
              cell: (row) => (
                <RowMenu
                  label={t('Actions for version {version}', { version: row.version })}
                  items={actions?.(row) ?? []}
                />
              ),
            },
          ]}
          getRowKey={({ version }) => String(version)}
          pages={versions}
          emptyState={null}
        />
        {comparedVersions ? (
          <Comparison {...props} comparedVersions={comparedVersions} />
        ) : (
          versions.rows.length === 1 && (
            <Panel title={t('No other versions')}>
              <p className="text-muted">
                {t('Edits change version 1 until it is used or published. The next edit then starts version 2.')}
              </p>
            </Panel>
          )
        )}
      </div>
    </Page>
  )
}

interface ComparisonProps<Row extends VersionRow> extends VersionsViewProps<Row> {
  readonly comparedVersions: Required<VersionsSearch>
}

function Comparison<Row extends VersionRow>({
  versions,
  onSearch,
  read,
  readRelated,
  readKey,
  comparedVersions,
  ...content
}: ComparisonProps<Row>) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { from, to } = comparedVersions
  const contentsQuery = useQuery({
    queryKey: [...readKey, 'compared', workspaceId, from, to],
    queryFn: async ({ signal }): Promise<readonly [Content, Content]> => {
      const readContent = async (version: number): Promise<Content> => {
        const value = await read(version, signal)
        return { value, related: (await readRelated?.(value, signal)) ?? null }
      }
      return await Promise.all([readContent(from), readContent(to)])
    },
  })
  const choices = versions.rows.map(({ version }) => ({
    value: String(version),
    label: t('Version {version}', { version }),
  }))
  return (
    <Panel title={t('Changes from version {from} to version {to}', { from, to })}>
      <div className="grid max-w-md grid-cols-2 gap-4">
        <SelectField
          label={t('From')}
          value={String(from)}
          choices={choices}
          onChange={(version) => onSearch({ ...comparedVersions, from: Number(version) })}
        />
        <SelectField
          label={t('To')}
          value={String(to)}
          choices={choices}
          onChange={(version) => onSearch({ ...comparedVersions, to: Number(version) })}
        />
      </div>
      <QueryView query={contentsQuery} lines={4}>
        {([olderContent, newerContent]) => <Differences older={olderContent} newer={newerContent} {...content} />}
      </QueryView>
    </Panel>
  )
}

interface Content {
  readonly value: object
  readonly related: ComparedRecord | null
}

type DifferencesProps = Pick<VersionsViewProps<VersionRow>, 'toComparable' | 'getFieldName' | 'recordTitle'> & {
  readonly older: Content
  readonly newer: Content
}

/** Renders the changes of the main record and the related record. */
function Differences({ older, newer, toComparable = (value) => value, getFieldName, recordTitle }: DifferencesProps) {
  const t = useText()
  const mainDifferences = listDifferences(toComparable(older.value), toComparable(newer.value), VERSION_FIELDS)
  const hasRelated = older.related !== null && newer.related !== null
  const relatedDifferences = hasRelated ? listDifferences(older.related.value, newer.related.value, VERSION_FIELDS) : []
  if (mainDifferences.length === 0 && relatedDifferences.length === 0)
    return <p className="text-muted">{t('These versions are identical.')}</p>
  const title = recordTitle ?? ''
  const relatedTitle = hasRelated ? formatRelatedTitle(older.related, newer.related) : ''
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {mainDifferences.length > 0 ? (
        <section className="flex min-w-0 flex-col gap-3">
          {relatedDifferences.length > 0 && <h2 className="font-semibold">{title}</h2>}
          <DifferenceView differences={mainDifferences} getFieldName={getFieldName} />
        </section>
      ) : (
        <p className="text-muted">{t('{record}: no changes', { record: title })}</p>
      )}
      {relatedDifferences.length > 0 && (
        <section className="flex min-w-0 flex-col gap-3">
          <h2 className="font-semibold" dir="auto">
            {relatedTitle}
          </h2>
          <DifferenceView differences={relatedDifferences} getFieldName={getFieldName} />
        </section>
      )}
    </div>
  )
}

const formatRelatedTitle = (older: ComparedRecord, newer: ComparedRecord): string =>
  older.title === newer.title ? newer.title : `${older.title} → ${newer.title}`

function VersionCell({ row, isLive }: { readonly row: VersionRow; readonly isLive: boolean }) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-1 py-1">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium tabular-nums">{t('Version {version}', { version: row.version })}</span>
        {isLive && <Badge tone="good">{t('Live')}</Badge>}
        {row.is_published ? (
          <span className="text-muted">{t('Published')}</span>
        ) : (
          !isLive && <span className="text-muted">{t('Not published')}</span>
        )}
      </span>
      {row.version_title && (
        <span dir="auto" className="break-words">
          {row.version_title}
        </span>
      )}
      {row.version_description && (
        <span dir="auto" className="line-clamp-3 break-words whitespace-pre-line text-muted">
          {row.version_description}
        </span>
      )}
    </div>
  )
}
