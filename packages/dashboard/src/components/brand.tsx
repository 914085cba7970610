import { brandStore } from '../lib/brand/brand.ts'
import { useText } from '../lib/language.ts'
import { useStore } from '../lib/store.ts'

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

export function BrandFooter() {
  const t = useText()
  const { productName, supportUrl, supportEmail, termsUrl, privacyUrl, showPoweredBy } = useStore(brandStore)
  const links = [
    [t('Help'), supportUrl ?? (supportEmail === null ? null : `mailto:${supportEmail}`)],
    [t('Terms'), termsUrl],
    [t('Privacy'), privacyUrl],
  ] as const
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {links.map(([label, url]) =>
        url === null ? null : (
          <a key={label} href={url} rel="noreferrer" target="_blank" className="underline">
            {label}
          </a>
        ),
      )}
      {showPoweredBy && productName !== 'Parley' && <span>{t('Powered by Parley')}</span>}
    </div>
  )
}
