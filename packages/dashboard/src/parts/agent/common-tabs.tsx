import type { SettingTab } from '@parley/contract/agent-settings/setting-groups'
import type { ReactNode } from 'react'
import { Panel } from '../../components/page.tsx'
import type { Tab } from '../../components/tabs.tsx'
import { type Text, useText } from '../../lib/language.ts'
import { KnowledgeSettings } from '../llm/knowledge-settings.tsx'
import type { LlmPartProps } from '../llm/llm-part.ts'
import { ModelSettings } from '../llm/model-settings.tsx'
import { PromptSettings } from '../llm/prompt-settings.tsx'
import { ToolSettings } from '../llm/tool-settings.tsx'
import type { AnyAgent } from './agent-kind.ts'
import type { EditorParts } from './editor-parts.ts'
import { engineKindOf } from './engine.ts'
import type { SharedPartProps } from './settings/agent-part.ts'
import { EngineSettings } from './settings/engine-settings.tsx'

const TAB_CLASS = 'flex min-w-0 flex-col gap-5'

export type CommonParts = SharedPartProps &
  Pick<EditorParts<AnyAgent>, 'llm' | 'llmProblem'> & {
    /** The settings of the agent that a tab holds. */
    readonly settingsOf: (tab: SettingTab) => ReactNode
  }
type CommonTab = 'prompt' | 'functions' | 'knowledge' | 'analysis' | 'webhooks' | 'more'

/** The tabs that agents of every kind have. */
export function commonTabs(parts: CommonParts, t: Text): { readonly [Name in CommonTab]: Tab<Name> } {
  return {
    prompt: { name: 'prompt', label: t('Prompt'), content: <PromptTab {...parts} /> },
    functions: {
      name: 'functions',
      label: t('Functions'),
      content: <LlmTab parts={parts}>{(llm) => <ToolSettings {...llm} />}</LlmTab>,
    },
    knowledge: {
      name: 'knowledge',
      label: t('Knowledge'),
      content: <LlmTab parts={parts}>{(llm) => <KnowledgeSettings {...llm} />}</LlmTab>,
    },
    analysis: settingsTab(parts, 'analysis', t('Analysis')),
    webhooks: settingsTab(parts, 'webhooks', t('Webhooks')),
    more: settingsTab(parts, 'more', t('More')),
  }
}

/** A tab that holds settings of the agent and nothing else. */
export function settingsTab<Name extends SettingTab>(
  { settingsOf }: Pick<CommonParts, 'settingsOf'>,
  name: Name,
  label: string,
): Tab<Name> {
  return { name, label, content: <div className={TAB_CLASS}>{settingsOf(name)}</div> }
}

/** What agents begin with: what they answer with, and who they are. */
function PromptTab({ llm, llmProblem, settingsOf, ...shared }: CommonParts) {
  const isPrompt = engineKindOf(shared.value.response_engine.type) === 'llm'
  return (
    <div className={TAB_CLASS}>
      {isPrompt ? (
        <>
          {llmProblem}
          {llm && (
            <>
              <PromptSettings {...llm} />
              <ModelSettings {...llm} />
            </>
          )}
          {settingsOf('prompt')}
          <EngineSettings {...shared} />
        </>
      ) : (
        <>
          <EngineSettings {...shared} />
          {settingsOf('prompt')}
        </>
      )}
    </div>
  )
}

/** Settings of the LLM configuration, or why there are none. */
function LlmTab({
  parts: { value, llm, llmProblem },
  children,
}: {
  readonly parts: CommonParts
  readonly children: (llm: LlmPartProps) => ReactNode
}) {
  const t = useText()
  if (llm !== null) return <div className={TAB_CLASS}>{children(llm)}</div>
  if (llmProblem) return llmProblem
  const kind = engineKindOf(value.response_engine.type)
  return (
    <Panel>
      <p className="text-muted">
        {kind === 'conversation-flow'
          ? t('This agent answers with a conversation flow, which has its own.')
          : kind === 'custom-llm'
            ? t('This agent answers with a server of your own, which brings its own.')
            : t('Choose a prompt first, under “Prompt”.')}
      </p>
    </Panel>
  )
}
