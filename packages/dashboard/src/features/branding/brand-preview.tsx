import type { Branding } from '@parley/contract/branding'
import { Bot, House } from 'lucide-react'
import type { CSSProperties } from 'react'
import { Panel } from '../../components/page.tsx'
import { buildCssVariables } from '../../lib/brand/brand.ts'
import { useText } from '../../lib/language.ts'

/** Displays the brand in both themes, with the same color adjustments as the rest of the dashboard. */
export function BrandPreview({ brand }: { readonly brand: Branding }) {
  const t = useText()
  return (
    <Panel
      title={t('Preview')}
      description={t('Text in your colors is adjusted to stay readable.')}
      className="h-fit xl:sticky xl:top-20"
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <ThemePreview theme="light" label={t('Light')} brand={brand} />
        <ThemePreview theme="dark" label={t('Dark')} brand={brand} />
      </div>
    </Panel>
  )
}

function ThemePreview({
  theme,
  label,
  brand,
}: {
  readonly theme: PreviewTheme
  readonly label: string
  readonly brand: Branding
}) {
  const t = useText()
  const { productName, logoUrl, showPoweredBy } = brand
  return (
    <figure className="flex min-w-0 flex-col gap-1.5">
      <div
        aria-hidden="true"
        data-preview={theme}
        style={buildPreviewVariables(theme, brand) as CSSProperties}
        className="flex min-w-0 flex-1 flex-col gap-3 rounded-lg border border-line bg-page p-3 text-ink"
      >
        <div className="flex flex-col gap-0.5 rounded-md border border-line bg-panel p-2">
          <span className="flex min-w-0 items-center gap-2 pb-1">
            <img src={logoUrl ?? '/favicon.svg'} alt="" className="size-6 shrink-0 rounded object-contain" />
            <span className="truncate font-semibold" dir="auto">
              {productName}
            </span>
          </span>
          <span className="flex items-center gap-2 rounded-md bg-sunken px-2 py-1 font-medium text-brand-text">
            <House className="size-4 shrink-0" />
            <span className="truncate">{t('Home')}</span>
          </span>
          <span className="flex items-center gap-2 px-2 py-1">
            <Bot className="size-4 shrink-0" />
            <span className="truncate">{t('Agents')}</span>
          </span>
        </div>
        <span className="text-accent-text">{t('Text in the accent color')}</span>
        <span className="flex flex-wrap items-center gap-2">
          <span className="rounded-md bg-brand px-3 py-1.5 font-medium text-on-brand">{t('Button')}</span>
          <span className="rounded border border-brand-text px-1.5 py-0.5 text-xs font-medium text-brand-text">
            {t('Badge')}
          </span>
        </span>
        {showPoweredBy && productName !== 'Parley' && (
          <span className="text-xs text-muted">{t('Powered by Parley')}</span>
        )}
      </div>
      <figcaption className="text-center text-muted">{label}</figcaption>
    </figure>
  )
}

/** Copies of the tokens in styles.css, because a page has only one theme at a time. */
const THEME_TOKENS = {
  light: {
    '--page': '#f6f7f9',
    '--panel': '#ffffff',
    '--sunken': '#eceff3',
    '--line': '#d8dde4',
    '--ink': '#16191d',
    '--muted': '#535c69',
  },
  dark: {
    '--page': '#0e1116',
    '--panel': '#161a21',
    '--sunken': '#1f252e',
    '--line': '#323a46',
    '--ink': '#edf0f4',
    '--muted': '#a5afbc',
  },
} as const

export type PreviewTheme = keyof typeof THEME_TOKENS

/** Builds the CSS variables of a preview. */
export function buildPreviewVariables(
  theme: PreviewTheme,
  brand: { readonly primaryColor: string; readonly accentColor: string },
): Readonly<Record<string, string>> {
  const variables = buildCssVariables(brand)
  return {
    ...THEME_TOKENS[theme],
    ...variables,
    '--brand-text': variables[`--brand-text-${theme}`] ?? '',
    '--accent-text': variables[`--accent-text-${theme}`] ?? '',
  }
}
