import type { AuditLogEntry } from '@parley/contract/audit'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { Facts } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import { ACTOR_WORDS } from '../../parts/people/role-words.ts'
import { operationWords } from './operation-words.ts'
import type { People } from './people.ts'

/** One entry of the log with everything that it says. */
export function AuditEntryDialog({
  entry,
  people,
  onClose,
}: {
  readonly entry: AuditLogEntry
  readonly people: People
  readonly onClose: () => void
}) {
  const t = useText()
  const places: readonly (readonly [string, string | number | null])[] = [
    [t('Workspace'), entry.workspaceId],
    [t('Account'), entry.tenantId],
    [t('Provider'), entry.providerId],
    [t('Credential'), entry.credentialId === '' ? null : entry.credentialId],
  ]
  const targets = Object.entries(entry.target).map(([name, id]): readonly [string, ReactNode] => [
    name,
    <CopyText key={name} text={id} />,
  ])
  const hasContext = Object.values(entry.context).some((value) => value !== null)
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="wide"
      title={t(operationWords(entry.operation))}
      actions={<Button onClick={onClose}>{t('Close')}</Button>}
    >
      <Facts
        items={[
          [t('When'), <Moment key="at" at={entry.at} />],
          [t('Who'), people.nameOf(entry.userId)],
          [t('Acted as'), t(ACTOR_WORDS[entry.actorType])],
          [t('Operation'), entry.operation],
          ...targets,
          [t('Status'), entry.status],
          ...places
            .filter(([, id]) => id !== null)
            .map(([name, id]): readonly [string, ReactNode] => [name, <CopyText key={name} text={String(id)} />]),
          [t('IP address'), entry.ip],
          [t('Request'), <CopyText key="request" text={entry.requestId} />],
        ]}
      />
      {hasContext && (
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
