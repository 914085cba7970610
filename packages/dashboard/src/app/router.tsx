import type { QueryClient } from '@tanstack/react-query'
import { createRouter, type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { buildButtonClass } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { ProblemPanel, Skeleton } from '../components/states.tsx'
import { useText } from '../lib/language.ts'
import { routeTree } from './route-tree.ts'

export function createAppRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    context: { client },
    defaultPreload: 'intent',
    // The query cache decides which data is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultPendingComponent: RoutePending,
    defaultErrorComponent: RouteProblem,
    defaultNotFoundComponent: NotFound,
  })
}

export type AppRouter = ReturnType<typeof createAppRouter>

declare module '@tanstack/react-router' {
  interface Register {
    router: AppRouter
  }
}

function RoutePending() {
  return <Skeleton lines={5} className="mx-auto w-full max-w-[100rem] p-4 sm:p-6 lg:p-8" />
}

function RouteProblem({ error, reset }: ErrorComponentProps) {
  const t = useText()
  const router = useRouter()
  return (
    <Page title={t('This page failed to load')}>
      <ProblemPanel
        problem={error instanceof Error ? error : new Error(String(error))}
        onRetry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </Page>
  )
}

function NotFound() {
  const t = useText()
  return (
    <Page title={t('Page not found')} width="normal">
      <p className="text-muted">
        {t('The address may be wrong, the record may have been deleted, or you have no access to its workspace.')}
      </p>
      <div>
        <Link to="/" className={buildButtonClass('primary')}>
          {t('Back to home')}
        </Link>
      </div>
    </Page>
  )
}
