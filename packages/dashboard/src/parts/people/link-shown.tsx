import { Button } from '../../components/button.tsx'
import { SecretOnce } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { useText } from '../../lib/language.ts'

export interface LinkShownProps {
  readonly title: string
  readonly url: string
  readonly expiresAt: string
  readonly isInvitation?: boolean
  readonly onClose: () => void
}

/** Shows an invitation or password link once; the server sends no email. */
export function LinkShown({ title, url, expiresAt, isInvitation = false, onClose }: LinkShownProps) {
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
      <SecretOnce value={url} label={t('Link')} />
      <p className="text-muted">
        {t('Works once, until')} <Moment at={expiresAt} />
      </p>
    </Dialog>
  )
}
