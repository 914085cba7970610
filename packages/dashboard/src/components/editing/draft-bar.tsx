import type { Draft } from '../../lib/editing/draft.ts'
import type { DraftSaver } from '../../lib/editing/save.ts'
import { SaveBar } from './save-bar.tsx'

export interface DraftBarProps<Value extends object> {
  readonly draft: Draft<Value>
  readonly saver: DraftSaver<Value>
  /** Replaces the default save. */
  readonly onSave?: () => Promise<unknown>
}

export function DraftBar<Value extends object>({ draft, saver, onSave = saver.save }: DraftBarProps<Value>) {
  return (
    <SaveBar
      isEdited={draft.isEdited}
      isSaving={saver.isSaving}
      canUndo={draft.canUndo}
      canRedo={draft.canRedo}
      onSave={() => void onSave()}
      onUndo={draft.undo}
      onRedo={draft.redo}
      onDiscard={() => draft.discard()}
    />
  )
}
