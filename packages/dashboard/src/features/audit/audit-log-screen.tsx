import type { AuditLogEntry } from '@parley/contract/audit'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { ScrollText } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { type Column, DataList } from '../../components/data-list.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { SelectField, TextField } from '../../components/fields.tsx'
import { DescriptionList, Page } from '../../components/page.tsx'
import { RecordField } from '../../components/record-field.tsx'
import { EmptyState, Forbidden } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { ACTOR_LABELS } from '../../parts/people/role-labels.ts'
import { ExactTime } from '../../parts/transcript/conversation-cells.tsx'
import { NoMatches } from '../../parts/transcript/filter-bar.tsx'
import { type AuditSearch, toAuditQuery } from './audit-search.ts'
import { type Target, useTargets } from './audit-targets.ts'
import { getOperationLabel, OPERATION_LABELS } from './operation-labels.ts'
import { type People, usePeople } from './people.ts'

const FIRST_ERROR_STATUS = 400

export function AuditLogScreen() {
  const t = useText()
  const can = useCan()
  return (
    <Page title={t('Audit log')} description={t('Changes and sign-ins. Entries are kept for 400 days.')}>
      {can('listAuditLog') ? <AuditLog /> : <Forbidden />}
    </Page>
  )
}

interface AuditLookups {
  readonly people: People
  readonly getTargets: (entry: AuditLogEntry) => readonly Target[]
}

function AuditLog() {
  const t = useText()
  const people = usePeople()
  const lookups: AuditLookups = { people, getTargets: useTargets(people) }
  const search = useSearch({ from: '/signed-in/$workspaceId/audit-log' })
  const navigate = useNavigate({ from: '/$workspaceId/audit-log' })
  const pages = usePages('listAuditLog', { query: toAuditQuery(search) })
  const [selectedEntry, setSelectedEntry] = useState<AuditLogEntry | null>(null)
  const isFiltered = Object.keys(search).some((name) => name !== 'scope')
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
        columns={useAuditColumns(lookups, setSelectedEntry)}
        getRowKey={({ auditId }) => auditId}
        onOpen={setSelectedEntry}
        emptyState={
          isFiltered ? (
            <NoMatches onClear={() => void navigate({ search: {} })} />
          ) : (
            <EmptyState icon={ScrollText} title={t('No entries yet')}>
              {t('Changes in this workspace appear here.')}
            </EmptyState>
          )
        }
      />
      {selectedEntry && <EntryDialog entry={selectedEntry} lookups={lookups} onClose={() => setSelectedEntry(null)} />}
    </>
  )
}

interface AuditFiltersProps {
  readonly search: AuditSearch
  readonly people: People
  readonly onChange: (search: AuditSearch) => void
}

function AuditFilters({ search, people, onChange }: AuditFiltersProps) {
  const t = useText()
  const setFilter = (name: keyof AuditSearch, value: string | null): void => {
    const { [name]: _previous, ...otherFilters } = search
    onChange(value === null || value === '' ? otherFilters : ({ ...otherFilters, [name]: value } as AuditSearch))
  }
  const operationChoices = Object.entries(OPERATION_LABELS).map(([id, label]) => ({ id, label: t(label), hint: id }))
  // On phones, both dates share a row.
  const fullRowClass = 'col-span-2 sm:col-span-1'
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-[1.2fr_1.5fr_1fr_1fr_1fr]">
      <RecordField
        className={fullRowClass}
        label={t('Person')}
        emptyLabel={t('Anyone')}
        value={search.userId ?? null}
        choices={people.choices}
        isLoading={people.isLoading}
        onChange={(userId) => setFilter('userId', userId)}
      />
      <RecordField
        className={fullRowClass}
        label={t('Action')}
        emptyLabel={t('Any')}
        value={search.operation ?? null}
        choices={operationChoices}
        onChange={(operation) => setFilter('operation', operation)}
      />
      <TextField label={t('From')} type="date" value={search.from ?? ''} onChange={(day) => setFilter('from', day)} />
      <TextField label={t('To')} type="date" value={search.to ?? ''} onChange={(day) => setFilter('to', day)} />
      <SelectField
        className={fullRowClass}
        label={t('Scope')}
        value={search.scope ?? 'workspace'}
        choices={[
          { value: 'workspace', label: t('This workspace') },
          { value: 'all', label: t('Everything you administer') },
        ]}
        onChange={(scope) => setFilter('scope', scope === 'all' ? 'all' : null)}
      />
    </div>
  )
}

function useAuditColumns(
  { people, getTargets }: AuditLookups,
  onOpen: (entry: AuditLogEntry) => void,
): readonly Column<AuditLogEntry>[] {
  const t = useText()
  return [
    {
      key: 'operation',
      title: t('Action'),
      cell: (entry) => (
        <span className="flex min-w-0 flex-col">
          <button type="button" className="w-fit text-start font-medium hover:underline" onClick={() => onOpen(entry)}>
            {t(getOperationLabel(entry.operation))}
          </button>
          <span className="md:hidden">
            <TargetCell target={getTargets(entry)[0]} />
          </span>
          <span className="text-xs text-muted md:hidden">
            <DateTime time={entry.at} />
          </span>
        </span>
      ),
    },
    {
      key: 'target',
      title: t('Target'),
      visibleFrom: 'md',
      width: 'w-[26%]',
      cell: (entry) => <TargetCell target={getTargets(entry)[0]} />,
    },
    {
      key: 'person',
      title: t('Person'),
      width: 'w-32 md:w-44',
      cell: ({ userId }) => (
        <span className="line-clamp-2" title={userId}>
          {people.getName(userId)}
        </span>
      ),
    },
    {
      key: 'status',
      title: t('Status'),
      visibleFrom: 'sm',
      width: 'w-20',
      cell: ({ status }) => <Badge tone={status >= FIRST_ERROR_STATUS ? 'bad' : 'good'}>{status}</Badge>,
    },
    {
      key: 'ip',
      title: t('IP address'),
      visibleFrom: 'xl',
      width: 'w-36',
      cell: ({ ip }) => (
        <span dir="ltr" className="block truncate">
          {ip}
        </span>
      ),
    },
    { key: 'at', title: t('Time'), visibleFrom: 'md', width: 'w-46', cell: ({ at }) => <DateTime time={at} /> },
  ]
}

/** Displays the kind and name of a target, with a link if the target has a page. */
function TargetCell({ target }: { readonly target: Target | undefined }) {
  if (target === undefined) return <span className="text-muted">–</span>
  const { kind, name } = target
  return (
    <span className="flex min-w-0 flex-col">
      <span className="text-xs text-muted">{kind}</span>
      <span className="min-w-0 truncate" dir="auto" title={name ?? target.id}>
        <TargetName target={target} />
      </span>
    </span>
  )
}

function TargetName({ target: { id, name, link } }: { readonly target: Target }) {
  const text = name ?? <code className="text-xs">{id}</code>
  return link === null ? (
    text
  ) : (
    <Link {...link} className="underline underline-offset-2">
      {text}
    </Link>
  )
}

interface EntryDialogProps {
  readonly entry: AuditLogEntry
  readonly lookups: AuditLookups
  readonly onClose: () => void
}

/** Displays all fields of an audit log entry. */
function EntryDialog({ entry, lookups: { people, getTargets }, onClose }: EntryDialogProps) {
  const t = useText()
  const idItems: readonly (readonly [string, string | number | null])[] = [
    [t('Workspace ID'), entry.workspaceId],
    [t('Account ID'), entry.tenantId],
    [t('Provider ID'), entry.providerId],
    [t('Credential ID'), entry.credentialId === '' ? null : entry.credentialId],
    [t('Request ID'), entry.requestId],
  ]
  const targetItems = getTargets(entry).map((target): readonly [string, ReactNode] => [
    target.kind,
    <span key={target.id} className="inline-flex max-w-full flex-wrap items-center gap-x-2">
      {target.name !== null && <TargetName target={target} />}
      <CopyText text={target.id} />
    </span>,
  ])
  const hasContextHeaders = Object.values(entry.context).some((value) => value !== null)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="wide"
      title={t(getOperationLabel(entry.operation))}
      actions={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <DescriptionList
        items={[
          [t('Time'), <ExactTime key="at" at={entry.at} />],
          [t('Person'), people.getName(entry.userId)],
          [t('Acting as'), t(ACTOR_LABELS[entry.actorType])],
          ...targetItems,
          [t('Operation'), entry.operation],
          [t('HTTP status'), entry.status],
          [t('IP address'), entry.ip],
          ...idItems
            .filter(([, id]) => id !== null)
            .map(([name, id]): readonly [string, ReactNode] => [name, <CopyText key={name} text={String(id)} />]),
        ]}
      />
      {hasContextHeaders && (
        <section className="flex min-w-0 flex-col gap-1.5">
          <h3 className="font-medium">{t('Context headers')}</h3>
          <pre dir="ltr" className="overflow-x-auto rounded-md bg-sunken p-3 font-mono text-xs">
            {JSON.stringify(entry.context, null, 2)}
          </pre>
        </section>
      )}
    </Dialog>
  )
}
