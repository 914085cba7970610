import { i18n } from '@lingui/core'
import { I18nProvider } from '@lingui/react'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { isTransient } from '../lib/api/problem.ts'
import type { AppRouter } from './router.tsx'

/** Loads after the first paint. */
const Toasts = lazy(async () => ({ default: (await import('../components/toasts.tsx')).Toasts }))

const STALE_TIME_MS = 10_000
const MAX_RETRIES = 2

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_TIME_MS,
        retry: (failureCount, error) => failureCount < MAX_RETRIES && isTransient(error),
        // Browsers report being offline even if a server on the same machine is available.
        networkMode: 'always',
      },
      mutations: { networkMode: 'always' },
    },
  })
}

export function App({ client, router }: { readonly client: QueryClient; readonly router: AppRouter }) {
  return (
    <I18nProvider i18n={i18n}>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <Suspense>
          <Toasts />
        </Suspense>
      </QueryClientProvider>
    </I18nProvider>
  )
}
