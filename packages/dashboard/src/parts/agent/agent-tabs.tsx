import { AGENT_SETTINGS, CHAT_AGENT_SETTINGS } from '@parley/contract/agent-settings/agent-settings'
import { SETTING_GROUPS, type SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { ErrorDetail } from '@parley/contract/errors'
import { type ReactNode, useEffect, useRef } from 'react'
import { FieldProblems } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Problem } from '../../lib/api/problem.ts'
import { message, useText } from '../../lib/language.ts'
import { TabLabel } from '../engine/tab-label.tsx'
import { KnowledgeSettings } from '../llm/knowledge-settings.tsx'
import { ModelSettings } from '../llm/model-settings.tsx'
import { type LlmSectionProps, OpeningSettings, PromptSettings, VariableSettings } from '../llm/prompt-settings.tsx'
import { ToolSettings } from '../llm/tool-settings.tsx'
import type { AgentKind } from './agent-api.ts'
import type { LlmFields } from './agent-body.ts'
import { AGENT_TABS, type AgentTab } from './agent-search.ts'
import { toEngineKind } from './engine.ts'
import type { SharedSectionProps } from './settings/agent-part.ts'
import { EngineSettings } from './settings/engine-settings.tsx'

/** LLM fields that only the prompt editor displays. */
type PromptEditorField = 'display_name' | 'states' | 'starting_state'

const ENGINE_TABS = {
  response_engine: 'general',
  model: 'model',
  model_temperature: 'model',
  responsiveness: 'model',
  general_prompt: 'prompt',
  begin_message: 'prompt',
  begin_after_user_silence_ms: 'prompt',
  default_dynamic_variables: 'prompt',
  general_tools: 'tools',
  mcps: 'tools',
  knowledge_base_ids: 'knowledge',
  kb_config: 'knowledge',
} as const satisfies Readonly<Record<Exclude<keyof LlmFields, PromptEditorField> | 'response_engine', AgentTab>>

const FIELD_TABS: ReadonlyMap<string, AgentTab> = new Map<string, AgentTab>([
  ...Object.entries(ENGINE_TABS),
  ...Object.entries({ ...AGENT_SETTINGS, ...CHAT_AGENT_SETTINGS }).map(
    ([name, { group }]) => [name, SETTING_GROUPS[group].tab] as const,
  ),
])

/** Finds the tab for a field path such as `general_tools[0].url`, or null if no tab contains the field. */
export function findFieldTab(path: string): AgentTab | null {
  const [name = ''] = path.split(/[.[]/, 1)
  return FIELD_TABS.get(name) ?? null
}

/** Lists the tabs that contain rejected fields, in the order of the problems. */
export function listProblemTabs(details: readonly Pick<ErrorDetail, 'path'>[], tabs: readonly AgentTab[]): AgentTab[] {
  const problemTabs = details.flatMap(({ path }) => tabs.filter((tab) => tab === findFieldTab(path)))
  return [...new Set(problemTabs)]
}

/** Returns the tab of the first rejected field, or null if the open tab has a rejected field. */
export function findTabToOpen(rejectedTabs: readonly AgentTab[], openTab: AgentTab): AgentTab | null {
  return rejectedTabs.includes(openTab) ? null : (rejectedTabs[0] ?? null)
}

const TAB_LABELS: Readonly<Record<AgentTab, string>> = {
  prompt: message('Prompt'),
  general: message('General'),
  model: message('Model'),
  voice: message('Voice'),
  turns: message('Turns'),
  calls: message('Calls'),
  tools: message('Tools'),
  knowledge: message('Knowledge'),
  analysis: message('Analysis'),
}

export interface AgentTabsProps {
  readonly kind: AgentKind
  readonly tab: AgentTab
  readonly onTabChange: (tab: AgentTab) => void
  /** Why the last save of the LLM configuration failed. */
  readonly llmProblem: Problem | null
  readonly agentProblem: Problem | null
  readonly tabProps: TabContentProps
}

interface TabContentProps {
  readonly shared: SharedSectionProps
  /** Renders the agent settings of a tab. */
  readonly renderSettings: (tab: SettingTab) => ReactNode
  /** Null if the agent has no LLM configuration. */
  readonly llm: LlmSectionProps | null
  /** Displayed if the LLM configuration could not be loaded. */
  readonly loadProblem: ReactNode
}

/** Displays an agent's settings in tabs. Marks tabs with rejected fields and opens the first one. */
export function AgentTabs({ kind, tab: openTab, onTabChange, llmProblem, agentProblem, tabProps }: AgentTabsProps) {
  const t = useText()
  const details = [llmProblem, agentProblem].flatMap((problem) => problem?.details ?? [])
  const rejectedTabs = listProblemTabs(details, AGENT_TABS[kind])
  const latestProps = useRef({ rejectedTabs, openTab, onTabChange })
  useEffect(() => {
    latestProps.current = { rejectedTabs, openTab, onTabChange }
  })
  const handledProblems = useRef(new WeakSet<Problem>())
  // Runs once per problem so that users can open other tabs afterwards.
  useEffect(() => {
    const newProblems = [llmProblem, agentProblem].filter(
      (problem) => problem !== null && !handledProblems.current.has(problem),
    )
    if (newProblems.length === 0) return
    for (const problem of newProblems) if (problem !== null) handledProblems.current.add(problem)
    const tab = findTabToOpen(latestProps.current.rejectedTabs, latestProps.current.openTab)
    if (tab !== null) latestProps.current.onTabChange(tab)
  }, [llmProblem, agentProblem])
  return (
    <FieldProblems details={details}>
      <Tabs<AgentTab>
        label={t('Settings')}
        tabs={AGENT_TABS[kind].map((name) => ({
          name,
          label: (
            <TabLabel
              label={t(TAB_LABELS[name])}
              count={details.filter(({ path }) => findFieldTab(path) === name).length}
            />
          ),
          content: (
            <div className="flex min-w-0 flex-col gap-5">
              <TabContent tab={name} {...tabProps} />
            </div>
          ),
        }))}
        value={openTab}
        onChange={onTabChange}
      />
    </FieldProblems>
  )
}

function TabContent({ tab, shared, renderSettings, llm, loadProblem }: TabContentProps & { readonly tab: AgentTab }) {
  const placeholder = loadProblem || <NoLlmNotice shared={shared} />
  switch (tab) {
    case 'prompt':
      return llm ? (
        <>
          <PromptSettings {...llm} />
          <OpeningSettings {...llm} />
          <VariableSettings {...llm} />
        </>
      ) : (
        loadProblem || <EngineSettings {...shared} />
      )
    case 'general':
      return (
        <>
          {renderSettings('general')}
          <EngineSettings {...shared} />
        </>
      )
    case 'model':
      return (
        <>
          {llm ? <ModelSettings {...llm} /> : placeholder}
          {renderSettings('model')}
        </>
      )
    case 'tools':
      return llm ? <ToolSettings {...llm} /> : placeholder
    case 'knowledge':
      return llm ? <KnowledgeSettings {...llm} /> : placeholder
    default:
      return renderSettings(tab)
  }
}

function NoLlmNotice({ shared }: Pick<TabContentProps, 'shared'>) {
  const t = useText()
  const kind = toEngineKind(shared.value.response_engine.type)
  return (
    <Panel>
      <p className="text-muted">
        {kind === 'conversation-flow'
          ? t('Edit these settings in the conversation flow of this agent.')
          : kind === 'custom-llm'
            ? t('Your custom LLM server controls these settings.')
            : t('Choose a prompt under “General” first.')}
      </p>
    </Panel>
  )
}
