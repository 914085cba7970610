import { useState } from 'react'
import { tell } from '../../components/toasts.tsx'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { PublishDialog, type VersionNotes } from './publish-dialog.tsx'

/** What every dialog that publishes a version is told by the page it stands on. */
export interface PublishAsked {
  /** Null for the newest. */
  readonly version: number | null
  /** Saves what is edited; false keeps it from being published. */
  readonly before?: () => Promise<boolean>
  readonly onClose: () => void
}

export interface PublishNewestProps extends PublishAsked {
  /** Publishes; answers which version that is. */
  readonly publish: (body: VersionNotes & { readonly version?: number }) => Promise<number>
  readonly isBusy: boolean
  readonly problem: Problem | null
}

/** Saves what is edited and publishes a version of a record, once its name is asked for. */
export function PublishNewest({ version, before, onClose, publish, isBusy, problem }: PublishNewestProps) {
  const t = useText()
  const [isSaving, setIsSaving] = useState(false)

  async function isSaved(): Promise<boolean> {
    if (before === undefined) return true
    setIsSaving(true)
    try {
      return await before()
    } finally {
      setIsSaving(false)
    }
  }

  async function run(notes: VersionNotes): Promise<void> {
    if (await isSaved()) {
      const published = await publish({ ...(version !== null && { version }), ...notes })
      tell(t('Version {version} is published.', { version: published }))
    }
    onClose()
  }

  return (
    <PublishDialog
      version={version}
      consequence={t('A published version never changes again: the next edit makes a new one.')}
      isBusy={isSaving || isBusy}
      problem={problem}
      // What went wrong is shown in the window.
      onPublish={(notes) => void run(notes).catch(() => undefined)}
      onClose={onClose}
    />
  )
}
