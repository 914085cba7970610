import { differencesOf, VERSION_FIELDS } from '../../lib/difference.ts'
import type { Conflict } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { DifferenceView } from '../difference-view.tsx'

export interface ConflictDialogProps<Value extends object> {
  readonly conflict: Conflict<Value> | null
  /** The edits that were not saved. */
  readonly edits: Partial<Value>
  readonly nameOf?: (field: string) => string
  readonly onResolve: (choice: 'keep-mine' | 'take-theirs') => void
  readonly onPostpone: () => void
}

/** Somebody else has saved meanwhile: shows what, and asks which edits shall count. Nothing has been overwritten. */
export function ConflictDialog<Value extends object>({
  conflict,
  edits,
  nameOf = (field) => field,
  onResolve,
  onPostpone,
}: ConflictDialogProps<Value>) {
  const t = useText()
  if (conflict === null) return null
  const theirs = differencesOf(conflict.before, conflict.theirs.value, VERSION_FIELDS)
  const mine = differencesOf(conflict.before, { ...conflict.before, ...edits }, VERSION_FIELDS)
  const both = theirs.filter(({ field }) => mine.some((one) => one.field === field)).map(({ field }) => nameOf(field))
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onPostpone}
      title={t('Somebody else has changed this meanwhile')}
      description={t('Your edits are not saved yet, and nothing was overwritten. Compare, and choose.')}
      actions={
        <>
          <Button onClick={onPostpone}>{t('Go on editing')}</Button>
          <Button onClick={() => onResolve('take-theirs')}>{t('Drop my edits')}</Button>
          <Button kind="primary" onClick={() => onResolve('keep-mine')}>
            {t('Put my edits on top')}
          </Button>
        </>
      }
    >
      {both.length > 0 && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {t('Both of you have changed: {fields}. With your edits on top, yours count there.', {
            fields: both.join(', '),
          })}
        </p>
      )}
      <h3 className="font-semibold">{t('What the other person has changed')}</h3>
      <DifferenceView differences={theirs} nameOf={nameOf} />
      <h3 className="font-semibold">{t('What you have changed')}</h3>
      <DifferenceView differences={mine} nameOf={nameOf} />
    </Dialog>
  )
}
