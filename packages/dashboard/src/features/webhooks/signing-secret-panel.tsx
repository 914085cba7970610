import type { SigningSecret } from '@parley/contract/signing-secret'
import { Eye, EyeOff, RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { FormDialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { Panel } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { tell } from '../../components/toasts.tsx'
import { useRead, useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'

/** The secret behind the signatures: read and shown when it is asked for. */
export function SigningSecretPanel() {
  const t = useText()
  const may = useMay()
  const [isShown, setIsShown] = useState(false)
  const [isRotating, setIsRotating] = useState(false)
  const answer = useRead('getSigningSecret', {}, { enabled: isShown })
  return (
    <Panel
      title={t('Signing secret')}
      description={t(
        'Signs every webhook and every call of a tool in X-Webhook-Signature, so that your systems know who is calling.',
      )}
      actions={
        <>
          <Button icon={isShown ? EyeOff : Eye} onClick={() => setIsShown(!isShown)}>
            {isShown ? t('Hide secret') : t('Show secret')}
          </Button>
          {may('rotateSigningSecret') && (
            <Button icon={RefreshCw} onClick={() => setIsRotating(true)}>
              {t('Rotate …')}
            </Button>
          )}
        </>
      }
    >
      {isShown && (
        <Reading of={answer} lines={1}>
          {({ secrets }) => (
            <ul className="flex flex-col gap-3">
              {secrets.map((secret) => (
                <SecretRow key={secret.secretId} secret={secret} />
              ))}
            </ul>
          )}
        </Reading>
      )}
      {isRotating && <RotateDialog onClose={() => setIsRotating(false)} />}
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
        <CopyButton text={secret} label={t('Copy the secret')} />
      </span>
      <span className="text-muted">
        {t('Made')} <Moment at={createdAt} />
        {expiresAt !== null && (
          <>
            {' · '}
            {t('Signs beside the new one until')} <Moment at={expiresAt} />
          </>
        )}
      </span>
    </li>
  )
}

function RotateDialog({ onClose }: { readonly onClose: () => void }) {
  const t = useText()
  const rotate = useWrite('rotateSigningSecret', { refreshes: ['getSigningSecret'] })
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t('Rotate the signing secret?')}
      description={t(
        'A new secret is made at once. For 24 hours everything is signed with both, the old and the new one: give the new one to your systems within this time, and nothing is refused.',
      )}
      submitLabel={t('Rotate secret')}
      isBusy={rotate.isPending}
      problem={rotate.error}
      onSubmit={() =>
        rotate.mutate(
          { body: {} },
          {
            onSuccess: () => {
              tell(t('A new secret signs from now on, the old one beside it for 24 hours.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
