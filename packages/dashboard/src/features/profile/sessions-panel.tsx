import type { SessionSummary } from '@parley/contract/session'
import { MonitorSmartphone } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { ConfirmDialog } from '../../components/operation-dialog.tsx'
import { Panel } from '../../components/page.tsx'
import { ProblemPanel, Skeleton } from '../../components/states.tsx'
import { DateTime, RelativeTime } from '../../components/time.tsx'
import { usePages } from '../../lib/api/hooks.ts'
import { type Translate, useText } from '../../lib/language.ts'

export function SessionsPanel() {
  const t = useText()
  const pages = usePages('listSessions', {})
  const { rows, isPending, error, refetch } = pages
  const [sessionToEnd, setSessionToEnd] = useState<SessionSummary | null>(null)
  return (
    <Panel title={t('Sessions')} description={t('End sessions that you do not recognize. A session lasts 14 days.')}>
      {isPending && error === null && <Skeleton lines={2} />}
      {error !== null && <ProblemPanel problem={error} onRetry={() => void refetch()} />}
      <ul className="flex flex-col divide-y divide-line">
        {rows.map((session) => (
          <SessionRow key={session.sessionId} session={session} onEnd={() => setSessionToEnd(session)} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <Button className="w-fit" busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {t('Show more')}
        </Button>
      )}
      {sessionToEnd && (
        <ConfirmDialog
          operation="deleteSession"
          params={{ path: { sessionId: sessionToEnd.sessionId } }}
          invalidates={['listSessions']}
          title={t('End session?')}
          description={t('You will need to sign in again in {browser}.', {
            browser: getSessionLabel(t, sessionToEnd.userAgent),
          })}
          label={t('End session')}
          successMessage={t('Session ended')}
          onClose={() => setSessionToEnd(null)}
        />
      )}
    </Panel>
  )
}

function getSessionLabel(t: Translate, userAgent: string): string {
  const { browser, system } = parseUserAgent(userAgent)
  const name = browser ?? t('Unknown browser')
  return system === null ? name : t('{browser} on {system}', { browser: name, system })
}

function SessionRow({ session, onEnd }: { readonly session: SessionSummary; readonly onEnd: () => void }) {
  const t = useText()
  const { userAgent, isCurrent, createdAt, lastUsedAt } = session
  const name = getSessionLabel(t, userAgent)
  return (
    <li className="flex items-center gap-3 py-2.5">
      <MonitorSmartphone aria-hidden="true" className="size-5 shrink-0 text-muted" />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex flex-wrap items-center gap-2">
          <span className="font-medium" title={userAgent}>
            {name}
          </span>
          {isCurrent && <Badge tone="good">{t('This browser')}</Badge>}
        </span>
        <span className="text-muted">
          {t('Since')} <DateTime time={createdAt} /> · {t('last used')} <RelativeTime time={lastUsedAt} />
        </span>
      </span>
      {!isCurrent && (
        <Button aria-label={t('End session {name}', { name })} onClick={onEnd}>
          {t('End session')}
        </Button>
      )}
    </li>
  )
}

/** A browser and its operating system. */
export interface UserAgentInfo {
  /** For example, `Firefox`; null if unknown. */
  readonly browser: string | null
  /** For example, `Windows`; null if unknown. */
  readonly system: string | null
}

/** Ordered from specific to generic, because most user agents also contain the names of other browsers. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, 'Edge'],
  [/\bOPR\/|\bOPT\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bHeadlessChrome\//, 'Chrome'],
  [/\bChrome\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b|\bX11\b/, 'Linux'],
]

export function parseUserAgent(userAgent: string): UserAgentInfo {
  const findName = (patterns: readonly (readonly [RegExp, string])[]): string | null =>
    patterns.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null
  return { browser: findName(BROWSERS), system: findName(SYSTEMS) }
}
