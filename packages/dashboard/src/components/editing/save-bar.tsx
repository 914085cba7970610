import { Redo2, Save, Undo2 } from 'lucide-react'
import { useHotkeys } from '../../lib/keys/hotkeys.ts'
import { useText } from '../../lib/language.ts'
import { Button, IconButton } from '../button.tsx'

export interface SaveBarProps {
  readonly isEdited: boolean
  readonly isSaving: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  readonly onSave: () => void
  readonly onUndo: () => void
  readonly onRedo: () => void
  readonly onDiscard: () => void
}

export function SaveBar({ isEdited, isSaving, canUndo, canRedo, onSave, onUndo, onRedo, onDiscard }: SaveBarProps) {
  const t = useText()
  useHotkeys({ 'mod+s': onSave })
  return (
    <div className="flex flex-wrap items-center gap-1 sm:gap-2">
      <span role="status" className="text-muted max-sm:sr-only">
        {isEdited ? t('Unsaved changes') : t('Saved')}
      </span>
      <IconButton icon={Undo2} label={t('Undo')} disabled={!canUndo} onClick={onUndo} />
      <IconButton icon={Redo2} label={t('Redo')} disabled={!canRedo} onClick={onRedo} />
      {isEdited && <Button onClick={onDiscard}>{t('Discard')}</Button>}
      <Button kind="primary" icon={Save} busy={isSaving} disabled={!isEdited} onClick={onSave}>
        {t('Save')}
      </Button>
    </div>
  )
}
