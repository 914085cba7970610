import type { WebhookAttempt, WebhookDeliveryDetail } from '@parley/contract/webhook'
import { Link } from '@tanstack/react-router'
import { Send } from 'lucide-react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { CopyButton, CopyText } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { DescriptionList } from '../../components/page.tsx'
import { ProblemNote, QueryView } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { notify } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useFormatter } from '../../lib/format.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { STATUS_LABELS, STATUS_TONES } from './event-labels.ts'

const REFRESH_INTERVAL_MS = 3_000

/** Indents JSON. Returns other text unchanged. */
export function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

/** Displays a delivery with its request and attempts. */
export function DeliveryDialog({ deliveryId, onClose }: { readonly deliveryId: string; readonly onClose: () => void }) {
  const t = useText()
  const can = useCan()
  const deliveryQuery = useRead('getWebhookDelivery', { path: { deliveryId } }, { refetchMs: REFRESH_INTERVAL_MS })
  const resendDelivery = useWrite('resendWebhookDelivery', {
    invalidates: ['getWebhookDelivery', 'listWebhookDeliveries'],
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="wide"
      title={t('Webhook delivery')}
      actions={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          {can('resendWebhookDelivery') && (
            <Button
              kind="primary"
              icon={Send}
              busy={resendDelivery.isPending}
              disabled={deliveryQuery.data === undefined}
              onClick={() =>
                resendDelivery.mutate(
                  { path: { deliveryId }, body: {} },
                  { onSuccess: () => notify(t('Delivery queued')) },
                )
              }
            >
              {t('Resend')}
            </Button>
          )}
        </>
      }
    >
      {resendDelivery.error && <ProblemNote problem={resendDelivery.error} />}
      <QueryView query={deliveryQuery}>{(delivery) => <DeliveryContent delivery={delivery} />}</QueryView>
    </Dialog>
  )
}

function DeliveryContent({ delivery }: { readonly delivery: WebhookDeliveryDetail }) {
  const t = useText()
  const { attempts, requestBody } = delivery
  return (
    <>
      <DeliveryDetails delivery={delivery} />
      <section className="flex min-w-0 flex-col gap-1.5">
        <div className="flex items-center justify-between gap-2">
          <h3 className="font-medium">{t('Request')}</h3>
          <CopyButton text={requestBody} label={t('Copy body')} />
        </div>
        <CodeBlock label={t('Headers')}>
          {[
            'Content-Type: application/json',
            `X-Webhook-Id: ${delivery.deliveryId}`,
            `X-Webhook-Event: ${delivery.event}`,
            'X-Webhook-Attempt: 1 …',
            'X-Webhook-Signature: v=…,d=…',
          ].join('\n')}
        </CodeBlock>
        <CodeBlock label={t('Body')}>{indentJson(requestBody)}</CodeBlock>
      </section>
      <section className="flex min-w-0 flex-col gap-1.5">
        <h3 className="font-medium">{t('Attempts')}</h3>
        {attempts.length === 0 && <p className="text-muted">{t('No attempts yet')}</p>}
        <ol className="flex flex-col gap-2">
          {attempts.map((attempt) => (
            <Attempt key={attempt.attempt} attempt={attempt} />
          ))}
        </ol>
      </section>
    </>
  )
}

function DeliveryDetails({ delivery }: { readonly delivery: WebhookDeliveryDetail }) {
  const t = useText()
  const workspaceId = useWorkspaceId()
  const { status, callId, chatId, lastError } = delivery
  return (
    <DescriptionList
      items={[
        [t('Event'), delivery.event],
        [
          t('Status'),
          <Badge key="status" tone={STATUS_TONES[status]}>
            {t(STATUS_LABELS[status])}
          </Badge>,
        ],
        ...(lastError === null ? [] : [[t('Last error'), lastError] as const]),
        [
          t('URL'),
          <span key="url" className="break-all">
            {delivery.url}
          </span>,
        ],
        ...(callId === null
          ? []
          : [
              [
                t('Call'),
                <Link
                  key="call"
                  className="underline"
                  to="/$workspaceId/calls/$callId"
                  params={{ workspaceId, callId }}
                >
                  {callId}
                </Link>,
              ] as const,
            ]),
        ...(chatId === null
          ? []
          : [
              [
                t('Chat'),
                <Link
                  key="chat"
                  className="underline"
                  to="/$workspaceId/chats/$chatId"
                  params={{ workspaceId, chatId }}
                >
                  {chatId}
                </Link>,
              ] as const,
            ]),
        [t('Created'), <DateTime key="created" time={delivery.createdAt} />],
        ...(delivery.nextAttemptAt === null
          ? []
          : [[t('Next attempt'), <DateTime key="next" time={delivery.nextAttemptAt} />] as const]),
        ...(delivery.endedAt === null ? [] : [[t('Ended'), <DateTime key="ended" time={delivery.endedAt} />] as const]),
        [t('Delivery ID'), <CopyText key="id" text={delivery.deliveryId} />],
      ]}
    />
  )
}

function Attempt({ attempt }: { readonly attempt: WebhookAttempt }) {
  const t = useText()
  const format = useFormatter()
  const { status, error, responseBody } = attempt
  const hasSucceeded = error === null
  return (
    <li className="flex min-w-0 flex-col gap-1.5 rounded-md border border-line p-3">
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium">{t('Attempt {number}', { number: attempt.attempt })}</span>
        <Badge tone={hasSucceeded ? 'good' : 'bad'}>{status === null ? t('No response') : `HTTP ${status}`}</Badge>
        <span className="text-muted">
          <DateTime time={attempt.at} /> · {format.duration(attempt.durationMs)}
        </span>
      </span>
      {error !== null && (
        <p dir="auto" className="text-bad">
          {error}
        </p>
      )}
      {responseBody !== '' && <CodeBlock label={t('Response')}>{responseBody}</CodeBlock>}
    </li>
  )
}

function CodeBlock({ label, children }: { readonly label: string; readonly children: string }) {
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      aria-label={label}
      dir="ltr"
      className="max-h-80 overflow-auto rounded-md bg-sunken p-3"
    >
      <pre className="font-mono text-xs break-words whitespace-pre-wrap">{children}</pre>
    </section>
  )
}
