import type { ApiToken } from '@parley/contract/token'
import { DeleteDialog } from '../../components/dialog.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'

/** Asks before a token stops working. */
export function RevokeTokenDialog({
  token: { tokenId, name },
  onClose,
}: {
  readonly token: ApiToken
  readonly onClose: () => void
}) {
  const t = useText()
  const revoke = useWrite('deleteToken', { refreshes: ['listTokens'] })
  return (
    <DeleteDialog
      open
      onOpenChange={onClose}
      title={t('Revoke the token?')}
      consequence={t('Programs that call with “{name}” are refused from now on. This cannot be taken back.', { name })}
      label={t('Revoke token')}
      isBusy={revoke.isPending}
      problem={revoke.error}
      onDelete={() =>
        revoke.mutate(
          { path: { tokenId } },
          {
            onSuccess: () => {
              tell(t('The token is revoked.'))
              onClose()
            },
          },
        )
      }
    />
  )
}
