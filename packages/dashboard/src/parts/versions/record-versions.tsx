import { RotateCcw, Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { MenuItem } from '../../components/menu.tsx'
import { complain, tellWithWarnings } from '../../components/toasts.tsx'
import { useText } from '../../lib/language.ts'
import type { PublishAsked } from './publish-newest.tsx'
import { type VersionRow, VersionsView, type VersionsViewProps } from './versions-view.tsx'

/** What a write answers. */
interface Written {
  readonly version: number
  readonly warnings: readonly string[]
}

export interface RecordVersionsProps<Row extends VersionRow, Value extends { readonly version: number }>
  extends Pick<
    VersionsViewProps<Row>,
    'title' | 'back' | 'versions' | 'toCompared' | 'readKey' | 'nameOf' | 'search' | 'onSearch'
  > {
  /** Reads one version in full. */
  readonly read: (version: number, signal?: AbortSignal) => Promise<Value & object>
  /** Makes what an older version holds the newest again; absent where the person may not. */
  readonly restore: ((old: Value) => Promise<Written>) | null
  readonly mayPublish: boolean
  readonly publishDialog: (asked: PublishAsked) => ReactNode
}

/** The versions of a record that is edited in its newest one: any can be published, and any gone on from. */
export function RecordVersions<Row extends VersionRow, Value extends { readonly version: number }>({
  read,
  restore,
  mayPublish,
  publishDialog,
  ...view
}: RecordVersionsProps<Row, Value>) {
  const t = useText()
  const [published, setPublished] = useState<number | null>(null)
  const newest = view.versions.rows[0]?.version

  async function goOnFrom(version: number, write: (old: Value) => Promise<Written>): Promise<void> {
    try {
      const written = await write(await read(version))
      tellWithWarnings(
        t('Version {version} now holds what version {old} does.', { version: written.version, old: version }),
        written.warnings,
      )
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
  }

  const actionsOf = ({ version, is_published: isPublished }: Row): readonly MenuItem[] => [
    ...(mayPublish && !isPublished
      ? [{ label: t('Publish …'), icon: Upload, onSelect: () => setPublished(version) }]
      : []),
    ...(restore !== null && version !== newest
      ? [{ label: t('Go on from this version'), icon: RotateCcw, onSelect: () => void goOnFrom(version, restore) }]
      : []),
  ]
  return (
    <>
      <VersionsView
        {...view}
        description={t('A version that was used or published never changes again. The newest one is edited.')}
        read={read}
        actions={actionsOf}
      />
      {published !== null && publishDialog({ version: published, onClose: () => setPublished(null) })}
    </>
  )
}
