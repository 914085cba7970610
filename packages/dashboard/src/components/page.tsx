import { clsx } from 'clsx'
import { type ReactNode, useEffect } from 'react'
import { brandStore } from '../lib/brand/brand.ts'
import { useStore } from '../lib/store.ts'

export interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  /** Header actions, main action last. */
  readonly actions?: ReactNode
  readonly backLink?: ReactNode
  /** Displayed next to the title, such as badges. */
  readonly titleExtra?: ReactNode
  readonly children: ReactNode
  /** `normal` is for forms, which are hard to read at full width. */
  readonly width?: 'normal' | 'wide'
}

/** Renders a page with one heading and sets the window title. A heading with actions stays visible while the page scrolls. */
export function Page({ title, description, actions, backLink, titleExtra, children, width = 'wide' }: PageProps) {
  const { productName } = useStore(brandStore)
  useEffect(() => {
    document.title = `${title} · ${productName}`
  }, [title, productName])
  return (
    <div
      className={clsx(
        'mx-auto flex w-full flex-col gap-5 p-4 sm:px-6 lg:px-8 lg:pb-8',
        width === 'wide' ? 'max-w-[100rem]' : 'max-w-4xl',
      )}
    >
      {backLink && <div className="-mb-3">{backLink}</div>}
      {/* On phones, only the actions stick, because a heading with badges would cover half the screen. */}
      <header
        className={clsx(
          'contents flex-wrap items-center gap-x-4 gap-y-2 sm:flex',
          actions && 'sm:sticky-bar',
          actions && !backLink && 'sm:-mt-4',
        )}
      >
        <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1 sm:flex-1 sm:basis-60">
          <h1 className="min-w-0 text-2xl font-semibold" dir="auto">
            {title}
          </h1>
          {titleExtra}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-1 max-sm:sticky-bar sm:gap-2">{actions}</div>}
      </header>
      {description && <p className="-mt-3 max-w-3xl text-muted">{description}</p>}
      {children}
    </div>
  )
}

export interface PanelProps {
  readonly title?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children?: ReactNode
  readonly className?: string
}

export function Panel({ title, description, actions, children, className }: PanelProps) {
  return (
    <section
      className={clsx('flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-panel p-4 sm:p-5', className)}
    >
      {(title || actions) && (
        <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
          <div className="min-w-0 flex-1 basis-48">
            {title && <h2 className="text-base font-semibold">{title}</h2>}
            {description && <p className="mt-0.5 text-muted">{description}</p>}
          </div>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
      )}
      {children}
    </section>
  )
}

export function DescriptionList({ items }: { readonly items: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-4 gap-y-2">
      {items.map(([name, value]) => (
        <div key={name} className="col-span-2 grid grid-cols-subgrid items-baseline">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 text-end break-words sm:text-start" dir="auto">
            {value}
          </dd>
        </div>
      ))}
    </dl>
  )
}
