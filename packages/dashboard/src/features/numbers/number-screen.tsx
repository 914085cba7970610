import type { PhoneNumber } from '@parley/contract/phone-number'
import { useNavigate, useParams } from '@tanstack/react-router'
import { BadgeCheck, Trash2, TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import { BackToList } from '../../components/back-link.tsx'
import { Badge } from '../../components/badge.tsx'
import { CopyText } from '../../components/copy-button.tsx'
import { DraftBar } from '../../components/editing/draft-bar.tsx'
import { DraftFields } from '../../components/editing/draft-fields.tsx'
import { RowMenu } from '../../components/menu.tsx'
import { DescriptionList, Page, Panel } from '../../components/page.tsx'
import { RecordScreen } from '../../components/record-screen.tsx'
import { RelativeTime } from '../../components/time.tsx'
import { notify, notifyError } from '../../components/toasts.tsx'
import { useAction } from '../../components/use-action.ts'
import { useResponse } from '../../lib/api/hooks.ts'
import { message, useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { HoursPanel } from './hours-panel.tsx'
import { InboundPanel } from './inbound-panel.tsx'
import { DeleteNumberDialog } from './number-dialogs.tsx'
import { findSaveBlocker, PROVIDER_NAMES } from './number-draft.ts'
import { OutboundPanel, SettingsPanel, TelephonyNote } from './number-panels.tsx'
import { type NumberResponse, useNumberDraft } from './use-number-draft.ts'

const FIELD_NAMES: Readonly<Record<string, string>> = {
  nickname: message('Nickname'),
  inbound_agents: message('Inbound agents'),
  outbound_agent: message('Outbound agent'),
  default_agent_id: message('Default agent'),
  sticky: message('Sticky agents'),
  fallback_number: message('Fallback number'),
  inbound_webhook_url: message('Inbound webhook'),
  is_time_routing_enabled: message('Route by time'),
  time_routing: message('Hours'),
}

const VERIFIER_LABELS = {
  carrier: message('Carrier'),
  operator: message('Operator'),
  earlier: message('Added before verification was required'),
  nobody: message('None'),
} as const

const SAVE_BLOCKER_LABELS = {
  'weights-incomplete': message('The weights of the inbound agents must total 100%.'),
  'agent-missing': message('Select an agent in each row, or remove empty rows.'),
} as const

export function NumberScreen() {
  const { number = '' } = useParams({ strict: false }) as { readonly number?: string }
  const query = useResponse('getNumber', { path: { number } })
  const isDeleted = query.error?.code === 'not_found'
  return (
    <RecordScreen title={number} backLink={<BackToNumbers />} query={isDeleted ? { ...query, data: undefined } : query}>
      {(response) => <NumberEditor key={number} response={response} />}
    </RecordScreen>
  )
}

function BackToNumbers() {
  const t = useText()
  return <BackToList to="/$workspaceId/numbers">{t('Phone numbers')}</BackToList>
}

function NumberEditor({ response }: { readonly response: NumberResponse }) {
  const t = useText()
  const can = useCan()
  const { draft, saver } = useNumberDraft(response)
  const { value: number } = response
  const disabled = !can('updateNumber') || !can('assignNumberAgents')
  const panelProps = { value: draft.value, onChange: draft.set, disabled }

  async function save(): Promise<void> {
    if (disabled || !draft.isEdited) return
    const saveBlocker = findSaveBlocker(draft.value)
    if (saveBlocker !== null) notifyError(t(SAVE_BLOCKER_LABELS[saveBlocker]))
    else if (await saver.save()) notify(t('Number saved'))
  }

  return (
    <Page
      title={number.number}
      backLink={<BackToNumbers />}
      titleExtra={<NumberBadges number={number} />}
      actions={
        <>
          {!disabled && <DraftBar draft={draft} saver={saver} onSave={save} />}
          <NumberActions number={number} />
        </>
      }
    >
      {number.platform_import_error_message !== null && <ImportProblem text={number.platform_import_error_message} />}
      <TelephonyNote />
      <DraftFields draft={draft} saver={saver} getFieldName={(field) => t(FIELD_NAMES[field] ?? field)}>
        <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          <div className="flex min-w-0 flex-col gap-5">
            <InboundPanel
              agents={draft.value.inbound_agents}
              onChange={(agents) => draft.set({ inbound_agents: agents })}
              disabled={disabled}
            />
            <OutboundPanel {...panelProps} />
            <HoursPanel {...panelProps} />
          </div>
          <div className="flex min-w-0 flex-col gap-5">
            <SettingsPanel {...panelProps} />
            <NumberDetails number={number} />
          </div>
        </div>
      </DraftFields>
    </Page>
  )
}

function NumberBadges({ number }: { readonly number: PhoneNumber }) {
  const t = useText()
  const { provider, verified_by: verifiedBy, platform_import_error: hasImportError } = number
  return (
    <>
      <Badge>{PROVIDER_NAMES[provider]}</Badge>
      {hasImportError && <Badge tone="warn">{t('Not connected')}</Badge>}
      {provider !== 'loopback' && verifiedBy === null && <Badge tone="warn">{t('Not verified')}</Badge>}
    </>
  )
}

/** Displays the carrier's error message verbatim. */
function ImportProblem({ text }: { readonly text: string }) {
  return (
    <p className="flex items-start gap-2.5 rounded-md bg-warn-soft px-3 py-2.5 text-warn">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span dir="auto" className="min-w-0">
        {text}
      </span>
    </p>
  )
}

function NumberDetails({ number }: { readonly number: PhoneNumber }) {
  const t = useText()
  return (
    <Panel title={t('Details')}>
      <DescriptionList
        items={[
          [t('Carrier'), PROVIDER_NAMES[number.provider]],
          [t('Verified by'), t(VERIFIER_LABELS[number.verified_by ?? 'nobody'])],
          [t('Termination URI'), number.termination_uri ?? '–'],
          [t('Credentials'), number.has_credentials ? t('Stored') : '–'],
          [t('Number ID'), <CopyText key="id" text={number.phone_number_sid} />],
          [t('Application ID'), <CopyText key="application" text={number.application_sid} />],
          [t('Account ID'), <CopyText key="account" text={number.account_sid} />],
          [t('Created'), <RelativeTime key="created" time={number.created_at} />],
          [t('Edited'), <RelativeTime key="edited" time={number.updated_at} />],
        ]}
      />
    </Panel>
  )
}

function NumberActions({ number }: { readonly number: PhoneNumber }) {
  const t = useText()
  const can = useCan()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const [isDeleting, setIsDeleting] = useState(false)
  const verifyNumber = useAction('verifyNumber', ['getNumber', 'listNumbers'])
  if (!can('deleteNumber')) return null
  return (
    <>
      <RowMenu
        items={[
          can('verifyNumber') &&
            number.verified_by !== 'operator' && {
              label: t('Mark as verified'),
              icon: BadgeCheck,
              onSelect: () => verifyNumber.run({ path: { number: number.number }, body: {} }, t('Number verified')),
            },
          { label: t('Delete…'), icon: Trash2, kind: 'danger', onSelect: () => setIsDeleting(true) },
        ]}
      />
      {isDeleting && (
        <DeleteNumberDialog
          number={number.number}
          onClose={() => setIsDeleting(false)}
          onDeleted={() => void navigate({ to: '/$workspaceId/numbers', params: { workspaceId } })}
        />
      )}
    </>
  )
}
