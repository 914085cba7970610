import { Button } from '../../components/button.tsx'
import { OneTimeSecret } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { DateTime } from '../../components/time.tsx'
import { useText } from '../../lib/language.ts'

export interface LinkDialogProps {
  readonly title: string
  readonly url: string
  readonly expiresAt: string
  readonly isInvitation?: boolean
  readonly onClose: () => void
}

/** Displays an invitation link or password link, because the server does not send emails. */
export function LinkDialog({ title, url, expiresAt, isInvitation = false, onClose }: LinkDialogProps) {
  const t = useText()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={
        isInvitation
          ? t('No email is sent. Send this link to the person to sign in and accept.')
          : t('No email is sent. Send this link to the person to choose a password.')
      }
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <OneTimeSecret value={url} label={t('Link')} />
      <p className="text-muted">
        {t('Can be used once. Expires')} <DateTime time={expiresAt} />
      </p>
    </Dialog>
  )
}
