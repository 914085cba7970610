import { type ReactNode, useEffect, useRef } from 'react'
import { FieldProblems } from '../../components/field.tsx'
import { type Tab, Tabs } from '../../components/tabs.tsx'
import type { Problem } from '../../lib/api/problem.ts'
import { useText } from '../../lib/language.ts'
import { refusedTabs, tabToOpen } from './field-tabs.ts'

export interface SettingsTabsProps<Name extends string> {
  readonly tabs: readonly Tab<Name>[]
  readonly value: Name
  readonly onChange: (name: Name) => void
  /** Why the last save failed: of the LLM configuration, and of the agent. */
  readonly llmProblem: Problem | null
  readonly agentProblem: Problem | null
}

/** The settings. Tabs with fields that the server refused are marked, and the first of them opens. */
export function SettingsTabs<Name extends string>({
  tabs,
  value,
  onChange,
  llmProblem,
  agentProblem,
}: SettingsTabsProps<Name>) {
  const t = useText()
  const details = [llmProblem, agentProblem].flatMap((problem) => problem?.details ?? [])
  const refused = refusedTabs(
    details,
    tabs.map(({ name }) => name),
  )
  const latest = useRef({ refused, value, onChange })
  useEffect(() => {
    latest.current = { refused, value, onChange }
  })
  const handled = useRef(new WeakSet<Problem>())
  // Once for each refusal: afterwards people go where they like.
  useEffect(() => {
    const fresh = [llmProblem, agentProblem].filter((one) => one !== null && !handled.current.has(one))
    if (fresh.length === 0) return
    for (const problem of fresh) if (problem !== null) handled.current.add(problem)
    const tab = tabToOpen(latest.current.refused, latest.current.value)
    if (tab !== null) latest.current.onChange(tab)
  }, [llmProblem, agentProblem])
  return (
    <FieldProblems details={details}>
      <Tabs
        label={t('Settings')}
        tabs={tabs.map((tab) =>
          refused.includes(tab.name) ? { ...tab, label: <RefusedLabel>{tab.label}</RefusedLabel> } : tab,
        )}
        value={value}
        onChange={onChange}
      />
    </FieldProblems>
  )
}

function RefusedLabel({ children }: { readonly children: ReactNode }) {
  const t = useText()
  return (
    <span className="inline-flex items-center gap-1.5">
      {children}
      <span aria-hidden="true" className="size-2 rounded-full bg-bad" />
      <span className="sr-only">{t('has a problem')}</span>
    </span>
  )
}
