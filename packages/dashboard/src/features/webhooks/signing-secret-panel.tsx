import type { SigningSecret } from '@parley/contract/signing-secret'
import { Eye, EyeOff, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { OperationDialog } from '../../components/operation-dialog.tsx'
import { Panel } from '../../components/page.tsx'
import { QueryView } from '../../components/states.tsx'
import { DateTime } from '../../components/time.tsx'
import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useCan } from '../../lib/session/rights.ts'

/** Displays the signing secrets. They load only when the user shows them. */
export function SigningSecretPanel() {
  const t = useText()
  const can = useCan()
  const [isVisible, setIsVisible] = useState(false)
  const [isRotating, setIsRotating] = useState(false)
  const secretQuery = useRead('getSigningSecret', {}, { enabled: isVisible })
  return (
    <Panel
      title={t('Signing secret')}
      description={t('Signs webhooks and tool requests in the X-Webhook-Signature header.')}
      actions={
        <>
          <Button icon={isVisible ? EyeOff : Eye} onClick={() => setIsVisible(!isVisible)}>
            {isVisible ? t('Hide secret') : t('Show secret')}
          </Button>
          {can('rotateSigningSecret') && (
            <Button icon={RefreshCw} onClick={() => setIsRotating(true)}>
              {t('Rotate…')}
            </Button>
          )}
        </>
      }
    >
      {isVisible && (
        <QueryView query={secretQuery} lines={1}>
          {({ secrets }) => (
            <ul className="flex flex-col gap-3">
              {secrets.map((secret) => (
                <SecretRow key={secret.secretId} secret={secret} />
              ))}
            </ul>
          )}
        </QueryView>
      )}
      {isRotating && (
        <OperationDialog
          operation="rotateSigningSecret"
          params={{ body: {} }}
          invalidates={['getSigningSecret']}
          title={t('Rotate signing secret?')}
          description={t(
            'Creates a new secret. Requests are signed with both secrets for 24 hours, so that you can update your systems.',
          )}
          submitLabel={t('Rotate secret')}
          successMessage={t('Signing secret rotated. The old secret is valid for 24 hours.')}
          onClose={() => setIsRotating(false)}
        />
      )}
    </Panel>
  )
}

function SecretRow({ secret: { secret, createdAt, expiresAt } }: { readonly secret: SigningSecret }) {
  const t = useText()
  return (
    <li className="flex min-w-0 flex-col gap-1">
      <span className="flex items-center gap-1 rounded-md border border-line bg-sunken ps-3">
        <code dir="ltr" className="min-w-0 flex-1 py-1.5 text-xs break-all">
          {secret}
        </code>
        <CopyButton text={secret} label={t('Copy secret')} />
      </span>
      <span className="text-muted">
        {t('Created')} <DateTime time={createdAt} />
        {expiresAt !== null && (
          <>
            {' · '}
            {t('Valid until')} <DateTime time={expiresAt} />
          </>
        )}
      </span>
    </li>
  )
}
