import { Radio } from 'lucide-react'
import type { ReactNode } from 'react'
import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'

interface VersionStateProps {
  /** The latest version, which users edit. */
  readonly latest: { readonly version: number; readonly is_published: boolean }
  /** The version that callers reach; null if unknown. */
  readonly live: number | null
}

/** Displays which version callers reach, and whether the edited version differs. */
export function VersionState({ latest, live }: VersionStateProps) {
  const t = useText()
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
      {live === null ? (
        <span className="text-muted">{t('Version {version}', { version: latest.version })}</span>
      ) : (
        <Badge tone="good">{t('Live: version {version}', { version: live })}</Badge>
      )}
      {live !== latest.version && !latest.is_published && (
        <span className="text-muted">{t('Unpublished changes')}</span>
      )}
    </span>
  )
}

/** Warns that edits go live when they are saved. */
export function LiveNotice({ children }: { readonly children: ReactNode }) {
  return (
    <span role="note" className="flex max-w-full items-start gap-2 text-warn">
      <Radio aria-hidden="true" className="mt-0.5 size-4 shrink-0" />
      <span className="min-w-0">{children}</span>
    </span>
  )
}
