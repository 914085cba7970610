import { useNavigate, useSearch } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import type { CallFilter } from './call-filter.ts'
import { CallFilters } from './call-filters.tsx'
import { CallHistory } from './call-history.tsx'
import { LiveCalls } from './live-calls.tsx'

/** Calls that are spoken right now, and all that were. */
export function CallsScreen() {
  const t = useText()
  const filter = useSearch({ from: '/signed-in/$workspaceId/calls' })
  const navigate = useNavigate({ from: '/$workspaceId/calls' })
  const setFilter = (search: CallFilter): void => void navigate({ search, replace: true })
  const clear = (): void => setFilter({})
  return (
    <Page title={t('Calls')} description={t('Who called or was called, what came of it, and what it cost.')}>
      <LiveCalls />
      <section aria-label={t('History')} className="flex min-w-0 flex-col gap-4">
        <h2 className="text-base font-semibold">{t('History')}</h2>
        <CallFilters filter={filter} onChange={setFilter} onClear={clear} />
        <CallHistory
          filter={filter}
          onClear={clear}
          onPage={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
        />
      </section>
    </Page>
  )
}
