import type { ReactNode } from 'react'
import type { Tab } from '../../components/tabs.tsx'
import type { LlmPartProps } from '../llm/llm-part.ts'
import type { AgentApi, AnyAgent } from './agent-kind.ts'

/** What the tabs of an editor are filled from. */
export interface EditorParts<Value extends AnyAgent> {
  readonly value: Value
  readonly onChange: (changes: Partial<Value>) => void
  readonly disabled: boolean
  /** Null where the agent answers with no LLM configuration. */
  readonly llm: LlmPartProps | null
  /** In the place of what the LLM configuration would show: why it cannot. */
  readonly llmProblem: ReactNode
}

export interface AgentEditorProps<Value extends AnyAgent, TabName extends string> {
  readonly api: AgentApi<Value>
  readonly agentId: string
  readonly tab: TabName
  readonly onTab: (tab: TabName) => void
  readonly tabsOf: (parts: EditorParts<Value>) => readonly Tab<TabName>[]
  /** Leads back to the list. */
  readonly back: ReactNode
  /** Leads to the versions. */
  readonly versionsLink: ReactNode
  readonly onDeleted: () => void
}
