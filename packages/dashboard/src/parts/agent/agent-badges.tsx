import { Badge } from '../../components/badge.tsx'
import { useText } from '../../lib/language.ts'
import type { AnyAgent } from './agent-kind.ts'

/** Which version this is and what became of it. */
export function AgentBadges({
  agent: { version, is_published: isPublished, is_active: isActive, is_frozen: isFrozen },
}: {
  readonly agent: Pick<AnyAgent, 'version' | 'is_published' | 'is_active' | 'is_frozen'>
}) {
  const t = useText()
  return (
    <span className="flex flex-wrap items-center gap-1.5">
      <Badge>{t('Version {version}', { version })}</Badge>
      {isPublished ? (
        <Badge tone="good">{t('Published')}</Badge>
      ) : isFrozen ? (
        <Badge>{t('In use')}</Badge>
      ) : (
        <Badge tone="warn">{t('Draft')}</Badge>
      )}
      {isActive && <Badge tone="brand">{t('Active')}</Badge>}
    </span>
  )
}
