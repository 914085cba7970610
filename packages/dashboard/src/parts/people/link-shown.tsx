import { Button } from '../../components/button.tsx'
import { SecretOnce } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Moment } from '../../components/moment.tsx'
import { useText } from '../../lib/language.ts'

/** An invitation or password link, shown once. No mail is sent: the person who created it passes it on. */
export function LinkShown({
  title,
  url,
  expiresAt,
  isInvitation = false,
  onClose,
}: {
  readonly title: string
  readonly url: string
  readonly expiresAt: string
  readonly isInvitation?: boolean
  readonly onClose: () => void
}) {
  const t = useText()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={
        isInvitation
          ? t('Hand this link over yourself: no mail is sent. The person signs in or chooses a password, and accepts.')
          : t('Hand this link over yourself: no mail is sent. Whoever opens it chooses the password.')
      }
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <SecretOnce value={url} label={t('Link')} />
      <p className="text-muted">
        {t('It works once, until')} <Moment at={expiresAt} />
      </p>
    </Dialog>
  )
}
