import type { AuditLogEntry } from '@parley/contract/audit'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Moment } from '../../components/moment.tsx'
import { Page } from '../../components/page.tsx'
import { Empty, Forbidden } from '../../components/states.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { AuditEntryDialog } from './audit-entry-dialog.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { auditQuery } from './audit-search.ts'
import { operationWords } from './operation-words.ts'
import { type People, usePeople } from './people.ts'

const FIRST_ERROR_STATUS = 400

/** Who did what and to what. */
export function AuditLogScreen() {
  const t = useText()
  const may = useMay()
  return (
    <Page
      title={t('Audit log')}
      description={t('Changes and logins, kept for 400 days: who, when and what, never the content.')}
    >
      {may('listAuditLog') ? <AuditLog /> : <Forbidden />}
    </Page>
  )
}

function AuditLog() {
  const t = useText()
  const people = usePeople()
  const search = useSearch({ from: '/signed-in/$workspaceId/audit-log' })
  const navigate = useNavigate({ from: '/$workspaceId/audit-log' })
  const pages = usePages('listAuditLog', { query: auditQuery(search) })
  const [opened, setOpened] = useState<AuditLogEntry | null>(null)
  const isFiltered = Object.keys(search).some((name) => name !== 'of')
  return (
    <>
      <AuditFilters
        search={search}
        people={people}
        onChange={(next) => void navigate({ search: next, replace: true })}
      />
      <DataList
        label={t('Audit log')}
        pages={pages}
        columns={useColumns(people, setOpened)}
        rowKey={({ auditId }) => auditId}
        onOpen={setOpened}
        empty={
          <Empty
            icon={ScrollText}
            title={isFiltered ? t('Nothing matches') : t('Nothing yet')}
            action={isFiltered && <Button onClick={() => void navigate({ search: {} })}>{t('Clear filters')}</Button>}
          >
            {isFiltered
              ? t('Nobody did anything that fits all filters.')
              : t('As soon as somebody changes something here, it is noted.')}
          </Empty>
        }
      />
      {opened && <AuditEntryDialog entry={opened} people={people} onClose={() => setOpened(null)} />}
    </>
  )
}

/** `workspaceId 1 · userId user_…`. */
function targetText(target: AuditLogEntry['target']): string {
  const parts = Object.entries(target).map(([name, id]) => `${name} ${id}`)
  return parts.length === 0 ? '–' : parts.join(' · ')
}

function useColumns(people: People, onOpen: (entry: AuditLogEntry) => void): readonly Column<AuditLogEntry>[] {
  const t = useText()
  return [
    {
      key: 'operation',
      title: t('What'),
      cell: (entry) => (
        <span className="flex min-w-0 flex-col">
          <button type="button" className="w-fit text-start font-medium hover:underline" onClick={() => onOpen(entry)}>
            {t(operationWords(entry.operation))}
          </button>
          <span className="text-xs text-muted md:hidden">
            <Moment at={entry.at} />
          </span>
          <code className="hidden truncate text-xs text-muted md:block">{entry.operation}</code>
        </span>
      ),
    },
    {
      key: 'person',
      title: t('Who'),
      width: 'w-32 md:w-48',
      cell: ({ userId }) => (
        <span className="line-clamp-2" title={userId}>
          {people.nameOf(userId)}
        </span>
      ),
    },
    {
      key: 'target',
      title: t('Target'),
      from: 'xl',
      width: 'w-72',
      cell: ({ target }) => <code className="block truncate text-xs text-muted">{targetText(target)}</code>,
    },
    {
      key: 'status',
      title: t('Status'),
      from: 'sm',
      width: 'w-20',
      cell: ({ status }) => <Badge tone={status >= FIRST_ERROR_STATUS ? 'bad' : 'good'}>{status}</Badge>,
    },
    {
      key: 'ip',
      title: t('IP address'),
      from: 'lg',
      width: 'w-36',
      cell: ({ ip }) => (
        <span dir="ltr" className="block truncate">
          {ip}
        </span>
      ),
    },
    { key: 'at', title: t('When'), from: 'md', width: 'w-48', cell: ({ at }) => <Moment at={at} /> },
  ]
}
