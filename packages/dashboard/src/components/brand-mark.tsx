import { brandStore } from '../lib/brand/brand.ts'
import { useStore } from '../lib/store.ts'

/** Logo and name of the product as its customers know it. */
export function BrandMark() {
  const { productName, logoUrl } = useStore(brandStore)
  return (
    <span className="flex min-w-0 items-center gap-2">
      <img src={logoUrl ?? '/favicon.svg'} alt="" className="size-7 shrink-0 rounded object-contain" />
      <span className="truncate font-semibold" dir="auto">
        {productName}
      </span>
    </span>
  )
}
