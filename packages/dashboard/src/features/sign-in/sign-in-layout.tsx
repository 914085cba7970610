import { type ReactNode, useEffect, useState } from 'react'
import { BrandFooter, BrandMark } from '../../components/brand.tsx'
import { brandStore } from '../../lib/brand/brand.ts'
import { useText } from '../../lib/language.ts'
import { useStore } from '../../lib/store.ts'

/** Renders a page for users who are not signed in. */
export function SignInLayout({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const { productName } = useStore(brandStore)
  useEffect(() => {
    document.title = `${title} · ${productName}`
  }, [title, productName])
  return (
    <main className="mx-auto flex min-h-dvh w-full max-w-sm flex-col justify-center gap-6 p-5">
      <BrandMark />
      <div className="flex flex-col gap-4 rounded-xl border border-line bg-panel p-6">
        <h1 className="text-2xl font-semibold">{title}</h1>
        {children}
      </div>
      <BrandFooter />
    </main>
  )
}

/** Returns the token in the URL fragment, or "" if there is none. Fragments do not appear in server logs. */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(location.hash.slice(1)).get('token') ?? '')
  return token
}

export function IncompleteLink() {
  const t = useText()
  return (
    <SignInLayout title={t('Incomplete link')}>
      <p>{t('Copy the whole link, including everything after the # sign, or ask for a new one.')}</p>
    </SignInLayout>
  )
}
