import { Ellipsis } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { IconButton } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Menu, type MenuItem } from '../../components/menu.tsx'
import { Ago } from '../../components/moment.tsx'
import { Page, Panel } from '../../components/page.tsx'
import type { Pages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { type ComparedVersions, VersionDifference } from './version-difference.tsx'
import { comparedOf, type VersionsSearch } from './versions-search.ts'

/** What every list of versions tells of one. */
export interface VersionRow {
  readonly version: number
  readonly is_published: boolean
  readonly is_frozen: boolean
  readonly version_title: string | null
  readonly version_description: string | null
  readonly updated_at: string
}

export interface VersionsViewProps<Row extends VersionRow> extends ComparedVersions {
  /** Heading of the page, such as "Versions of Robin". */
  readonly title: string
  /** One sentence below the heading. */
  readonly description?: string
  /** The link back to the record. */
  readonly back: ReactNode
  /** Main action of the page, if there is one. */
  readonly action?: ReactNode
  /** From `usePages('list…Versions', …)`. */
  readonly versions: Pages<Row>
  /** What can be done with a version; an empty list where the person may do nothing. */
  readonly actions?: (row: Row) => readonly MenuItem[]
  /** The version that new conversations begin with, where there is such a thing. */
  readonly active?: number | null
  /** What is compared, as the address says (`useSearch` of the route, whose `validateSearch` is `readVersionsSearch`). */
  readonly search: VersionsSearch
  /** Puts another choice into the address. */
  readonly onSearch: (search: VersionsSearch) => void
}

/** The versions of a record: which there are, what can be done with each, and what differs between two of them. */
export function VersionsView<Row extends VersionRow>(props: VersionsViewProps<Row>) {
  const { title, description, back, action, versions, search } = props
  const t = useText()
  const columns = useColumns(props)
  const compared = comparedOf(
    versions.rows.map(({ version }) => version),
    search,
  )
  return (
    <Page title={title} description={description} above={back} actions={action}>
      <div className="grid min-w-0 items-start gap-5 xl:grid-cols-2">
        <DataList
          label={t('Versions')}
          columns={columns}
          rowKey={({ version }) => String(version)}
          pages={versions}
          empty={null}
        />
        {compared ? (
          <VersionDifference {...props} compared={compared} />
        ) : (
          versions.rows.length === 1 && (
            <Panel title={t('There is one version')}>
              <p className="text-muted">
                {t('Edits go into version 1 until it was used or published. The next edit after that makes version 2.')}
              </p>
            </Panel>
          )
        )}
      </div>
    </Page>
  )
}

function useColumns<Row extends VersionRow>(props: VersionsViewProps<Row>): readonly Column<Row>[] {
  const t = useText()
  const { versions, search, onSearch, actions, active } = props
  const compared = comparedOf(
    versions.rows.map(({ version }) => version),
    search,
  )
  const radio = (side: 'from' | 'to', label: string, version: number) => (
    <input
      type="radio"
      name={`compare-${side}`}
      aria-label={label}
      className="size-4 accent-brand-text"
      checked={compared?.[side] === version}
      onChange={() => onSearch({ ...compared, [side]: version })}
    />
  )
  const choice: readonly Column<Row>[] = [
    {
      key: 'from',
      title: t('Old'),
      width: 'w-14',
      cell: ({ version }) => radio('from', t('Compare from version {version}', { version }), version),
    },
    {
      key: 'to',
      title: t('New'),
      width: 'w-14',
      cell: ({ version }) => radio('to', t('Compare with version {version}', { version }), version),
    },
  ]
  return [
    ...(compared === null ? [] : choice),
    { key: 'version', title: t('Version'), cell: (row) => <VersionCell row={row} isActive={active === row.version} /> },
    { key: 'edited', title: t('Edited'), from: 'sm', width: 'w-36', cell: ({ updated_at: at }) => <Ago at={at} /> },
    {
      key: 'actions',
      title: '',
      width: 'w-14',
      align: 'end',
      cell: (row) => <VersionMenu row={row} items={actions?.(row) ?? []} />,
    },
  ]
}

function VersionCell({ row, isActive }: { readonly row: VersionRow; readonly isActive: boolean }) {
  const t = useText()
  return (
    <div className="flex min-w-0 flex-col gap-1 py-1">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="font-medium tabular-nums">{t('Version {version}', { version: row.version })}</span>
        {isActive && <Badge tone="brand">{t('Active')}</Badge>}
        {row.is_published ? (
          <Badge tone="good">{t('Published')}</Badge>
        ) : row.is_frozen ? (
          <Badge>{t('In use')}</Badge>
        ) : (
          <Badge tone="warn">{t('Draft')}</Badge>
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

function VersionMenu({ row, items }: { readonly row: VersionRow; readonly items: readonly MenuItem[] }) {
  const t = useText()
  if (items.length === 0) return null
  return (
    <Menu
      items={items}
      trigger={<IconButton icon={Ellipsis} label={t('Actions for version {version}', { version: row.version })} />}
    />
  )
}
