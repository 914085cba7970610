import { clsx } from 'clsx'
import { Ellipsis, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { useText } from '../lib/language.ts'
import { IconButton } from './button.tsx'

export interface MenuItem {
  readonly label: string
  readonly icon?: LucideIcon
  readonly onSelect: () => void
  readonly kind?: 'plain' | 'danger'
  readonly disabled?: boolean
}

export function Menu({
  trigger,
  items,
  children,
}: {
  readonly trigger: ReactNode
  readonly items?: readonly MenuItem[]
  readonly children?: ReactNode
}) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 max-h-[70vh] max-w-80 min-w-48 overflow-y-auto rounded-lg border border-line bg-panel p-1 shadow-lg"
        >
          {items?.map((item) => (
            <MenuEntry key={item.label} {...item} />
          ))}
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

interface RowMenuProps {
  /** Name of the record, or undefined for the menu of a page. */
  readonly name?: string
  /** Replaces the default accessible name. */
  readonly label?: string
  /** Pass false instead of an unavailable action. */
  readonly items: readonly (MenuItem | false)[]
}

/** Renders the actions of a record, or nothing if no action is available. */
export function RowMenu({ name, label, items }: RowMenuProps) {
  const t = useText()
  const visibleItems = items.filter((item) => item !== false)
  if (visibleItems.length === 0) return null
  const defaultLabel = name === undefined ? t('More actions') : t('Actions for {name}', { name })
  return <Menu items={visibleItems} trigger={<IconButton icon={Ellipsis} label={label ?? defaultLabel} />} />
}

export function MenuEntry({ label, icon: Icon, onSelect, kind = 'plain', disabled = false }: MenuItem) {
  return (
    <DropdownMenu.Item
      disabled={disabled}
      onSelect={onSelect}
      className={clsx(
        'flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 outline-none data-[disabled]:cursor-default data-[disabled]:opacity-50 data-[highlighted]:bg-sunken',
        kind === 'danger' && 'text-bad',
      )}
    >
      {Icon && <Icon aria-hidden="true" className="size-4 shrink-0" />}
      <span className="min-w-0 truncate" dir="auto">
        {label}
      </span>
    </DropdownMenu.Item>
  )
}

export interface MenuChoice<Value extends string> {
  readonly value: Value
  readonly label: string
}

export function MenuChoices<Value extends string>({
  label,
  value,
  choices,
  onSelect,
}: {
  readonly label: string
  readonly value: Value
  readonly choices: readonly MenuChoice<Value>[]
  readonly onSelect: (value: Value) => void
}) {
  return (
    <DropdownMenu.RadioGroup value={value} onValueChange={(selected) => onSelect(selected as Value)}>
      <DropdownMenu.Label className="px-2 pt-2 pb-1 text-xs text-muted">{label}</DropdownMenu.Label>
      {choices.map((choice) => (
        <DropdownMenu.RadioItem
          key={choice.value}
          value={choice.value}
          className="flex min-h-9 cursor-pointer items-center gap-2 rounded px-2 outline-none data-[highlighted]:bg-sunken"
        >
          <span aria-hidden="true" className="w-4 shrink-0 text-center">
            <DropdownMenu.ItemIndicator>✓</DropdownMenu.ItemIndicator>
          </span>
          <span className="min-w-0 truncate" dir="auto">
            {choice.label}
          </span>
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  )
}

export const MenuSeparator = () => <DropdownMenu.Separator className="my-1 h-px bg-line" />
