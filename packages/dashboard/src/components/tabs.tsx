import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'

export interface Tab<Name extends string> {
  readonly name: Name
  readonly label: ReactNode
  readonly content: ReactNode
}

/** Renders tabs. Hidden tabs keep their state. Store the selected tab in the URL. */
export function Tabs<Name extends string>({
  label,
  tabs,
  value,
  onChange,
}: {
  readonly label: string
  readonly tabs: readonly Tab<Name>[]
  readonly value: Name
  readonly onChange: (name: Name) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  // On a phone, the selected tab can be off-screen.
  useEffect(() => {
    const selectedTab = list.current?.querySelector<HTMLElement>(`[data-tab="${value}"]`)
    selectedTab?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [value])
  return (
    <Radix.Root value={value} onValueChange={(name) => onChange(name as Name)} className="flex min-w-0 flex-col gap-5">
      <div className="overflow-x-auto border-b border-line">
        <Radix.List ref={list} aria-label={label} className="flex w-max min-w-full gap-1">
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.name}
              value={tab.name}
              data-tab={tab.name}
              className="min-h-10 border-b-2 border-transparent px-3 font-medium whitespace-nowrap text-muted hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-brand-text data-[state=active]:text-ink"
            >
              {tab.label}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.name} value={tab.name} className="min-w-0" tabIndex={-1}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
