import type { Draft } from '../../lib/editing/draft.ts'
import type { Saving } from '../../lib/editing/save.ts'
import { SaveBar } from './save-bar.tsx'

export interface DraftBarProps<Value extends object> {
  readonly draft: Draft<Value>
  readonly saving: Saving<Value>
  /** Replaces the default save. */
  readonly onSave?: () => Promise<unknown>
}

export function DraftBar<Value extends object>({ draft, saving, onSave = saving.save }: DraftBarProps<Value>) {
  return (
    <SaveBar
      isEdited={draft.isEdited}
      isSaving={saving.isSaving}
      canUndo={draft.canUndo}
      canRedo={draft.canRedo}
      onSave={() => void onSave()}
      onUndo={draft.undo}
      onRedo={draft.redo}
      onDiscard={() => draft.discard()}
    />
  )
}
