import type { ReactNode } from 'react'
import { useEffect } from 'react'
import { BrandFoot, BrandMark } from '../../components/brand-signs.tsx'
import { brandStore } from '../../lib/brand/brand.ts'
import { useStore } from '../../lib/store.ts'

/** A page for people who are not signed in. */
export function FrontPage({ title, children }: { readonly title: string; readonly children: ReactNode }) {
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
      <BrandFoot />
    </main>
  )
}
