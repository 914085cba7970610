import { Link, type LinkProps } from '@tanstack/react-router'
import { clsx } from 'clsx'
import { LoaderCircle, type LucideIcon } from 'lucide-react'
import type { ButtonHTMLAttributes, ReactNode } from 'react'

/** `primary`: a page's main action; `danger`: an irreversible action; `quiet`: no border. */
export type ButtonKind = 'primary' | 'plain' | 'quiet' | 'danger'

const KIND_CLASSES: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-brand text-on-brand hover:opacity-90',
  plain: 'border border-line bg-panel hover:bg-sunken',
  quiet: 'hover:bg-sunken',
  danger: 'bg-bad text-on-bad hover:opacity-90',
}

export function buildButtonClass(kind: ButtonKind = 'plain'): string {
  return clsx(
    'inline-flex min-h-9 shrink-0 items-center justify-center gap-2 rounded-md px-3 py-1.5 font-medium whitespace-nowrap',
    'disabled:cursor-not-allowed disabled:opacity-50',
    KIND_CLASSES[kind],
  )
}

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind
  readonly icon?: LucideIcon
  /** Whether the button displays a spinner and is disabled. */
  readonly busy?: boolean
}

export function Button({ kind, icon: Icon, busy = false, disabled, children, className, ...rest }: ButtonProps) {
  const DisplayedIcon = busy ? LoaderCircle : Icon
  return (
    <button
      type="button"
      className={clsx(buildButtonClass(kind), className)}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
      {...rest}
    >
      {DisplayedIcon && (
        <DisplayedIcon aria-hidden="true" className={clsx('size-4 shrink-0', busy && 'animate-spin')} />
      )}
      {children}
    </button>
  )
}

export interface IconButtonProps extends Omit<ButtonProps, 'children' | 'icon'> {
  readonly icon: LucideIcon
  /** Accessible name and tooltip. */
  readonly label: string
}

export function IconButton({ icon: Icon, label, kind = 'quiet', className, busy = false, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={clsx(buildButtonClass(kind), 'min-w-9 px-2', className)}
      {...rest}
      disabled={rest.disabled === true || busy}
    >
      <Icon aria-hidden="true" className="size-4" />
    </button>
  )
}

export type ButtonLinkProps = Omit<LinkProps, 'children'> & {
  readonly kind?: ButtonKind
  readonly icon?: LucideIcon
  readonly onClick?: () => void
  readonly children: ReactNode
}

export function ButtonLink({ kind, icon: Icon, children, ...link }: ButtonLinkProps) {
  return (
    <Link className={buildButtonClass(kind)} {...link}>
      {Icon && <Icon aria-hidden="true" className="size-4 shrink-0" />}
      {children}
    </Link>
  )
}
