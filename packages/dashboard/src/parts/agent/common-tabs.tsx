import type { ReactNode } from 'react'
import { Panel } from '../../components/page.tsx'
import { useText } from '../../lib/language.ts'
import type { LlmPartProps } from '../llm/llm-part.ts'
import { ModelSettings } from '../llm/model-settings.tsx'
import { PromptSettings } from '../llm/prompt-settings.tsx'
import type { EditorParts } from './agent-editor.tsx'
import type { AnyAgent } from './agent-kind.ts'
import { engineKindOf } from './engine.ts'
import type { SharedPartProps } from './settings/agent-part.ts'
import { EngineSettings } from './settings/engine-settings.tsx'
import { GeneralSettings } from './settings/general-settings.tsx'

export const TAB_CLASS = 'flex min-w-0 flex-col gap-5'

/** What agents of every kind begin with: what they answer with, and who they are. */
export function PromptTab({
  llm,
  llmProblem,
  ...shared
}: SharedPartProps & Pick<EditorParts<AnyAgent>, 'llm' | 'llmProblem'>) {
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
          <GeneralSettings {...shared} />
          <EngineSettings {...shared} />
        </>
      ) : (
        <>
          <EngineSettings {...shared} />
          <GeneralSettings {...shared} />
        </>
      )}
    </div>
  )
}

/** Settings of the LLM configuration, or why there are none. */
export function LlmTab({
  parts: { value, llm, llmProblem },
  children,
}: {
  readonly parts: Pick<EditorParts<AnyAgent>, 'value' | 'llm' | 'llmProblem'>
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
