import { listDifferences, VERSION_FIELDS } from '../../lib/difference.ts'
import type { Conflict } from '../../lib/editing/save.ts'
import { useText } from '../../lib/language.ts'
import { Button } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { DifferenceView } from '../difference-view.tsx'

export interface ConflictDialogProps<Value extends object> {
  readonly conflict: Conflict<Value> | null
  readonly edits: Partial<Value>
  readonly getFieldName?: (field: string) => string
  readonly onResolve: (choice: 'keep-mine' | 'take-theirs') => void
  readonly onPostpone: () => void
}

/** Displays both users' changes and asks which to keep. */
export function ConflictDialog<Value extends object>({
  conflict,
  edits,
  getFieldName = (field) => field,
  onResolve,
  onPostpone,
}: ConflictDialogProps<Value>) {
  const t = useText()
  if (conflict === null) return null
  const theirs = listDifferences(conflict.base, conflict.theirs.value, VERSION_FIELDS)
  const mine = listDifferences(conflict.base, { ...conflict.base, ...edits }, VERSION_FIELDS)
  const conflictingFieldNames = theirs
    .filter(({ field }) => mine.some((difference) => difference.field === field))
    .map(({ field }) => getFieldName(field))
  return (
    <Dialog
      open
      size="wide"
      onOpenChange={onPostpone}
      title={t('Someone else changed this')}
      description={t(
        'Your edits are not saved and nothing was overwritten. Compare both versions and choose which one to keep.',
      )}
      actions={
        <>
          <Button onClick={onPostpone}>{t('Keep editing')}</Button>
          <Button onClick={() => onResolve('take-theirs')}>{t('Discard my edits')}</Button>
          <Button kind="primary" onClick={() => onResolve('keep-mine')}>
            {t('Apply my edits')}
          </Button>
        </>
      }
    >
      {conflictingFieldNames.length > 0 && (
        <p role="alert" className="rounded-md bg-warn-soft px-3 py-2 text-warn">
          {t('You both changed: {fields}. Applying your edits replaces theirs.', {
            fields: conflictingFieldNames.join(', '),
          })}
        </p>
      )}
      <h3 className="font-semibold">{t('Their changes')}</h3>
      <DifferenceView differences={theirs} getFieldName={getFieldName} />
      <h3 className="font-semibold">{t('Your changes')}</h3>
      <DifferenceView differences={mine} getFieldName={getFieldName} />
    </Dialog>
  )
}
