import type { NewApiToken } from '@parley/contract/token'
import { Button } from '../../components/button.tsx'
import { CopyButton, SecretOnce } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { useText } from '../../lib/language.ts'

/** A new token, this once, with a command that tries it. */
export function NewTokenShown({
  token: { name, token },
  onClose,
}: {
  readonly token: NewApiToken
  readonly onClose: () => void
}) {
  const t = useText()
  const command = `curl -H "Authorization: Bearer ${token}" ${location.origin}/api/workspaces`
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('The token “{name}” is made', { name })}
      actions={
        <Button kind="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      }
    >
      <SecretOnce value={token} label={t('Token')} />
      <div className="flex min-w-0 flex-col gap-1.5">
        <h3 className="font-medium">{t('Try it')}</h3>
        <div className="flex items-start gap-2 rounded-md bg-sunken p-2 ps-3">
          <code dir="ltr" className="min-w-0 flex-1 self-center text-xs break-all">
            {command}
          </code>
          <CopyButton text={command} label={t('Copy the command')} />
        </div>
      </div>
    </Dialog>
  )
}
