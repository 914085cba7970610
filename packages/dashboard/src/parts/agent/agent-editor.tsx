import type { Llm } from '@parley/contract/llm'
import { useMemo } from 'react'
import { Page } from '../../components/page.tsx'
import { ProblemPanel, Reading, Skeleton } from '../../components/states.tsx'
import type { Answer } from '../../lib/api/request.ts'
import { type Draft, useDraft } from '../../lib/editing/draft.ts'
import { useText } from '../../lib/language.ts'
import { AgentEditorPage } from './agent-editor-page.tsx'
import type { AnyAgent } from './agent-kind.ts'
import { useAgent, useNewestLlm } from './agent-reading.ts'
import { AGENT_WORDS } from './agent-words.ts'
import type { AgentEditorProps } from './editor-parts.ts'
import { llmIdOf } from './engine.ts'

/** An agent with what it answers with, to be edited and tried. */
export function AgentEditor<Value extends AnyAgent, TabName extends string>(props: AgentEditorProps<Value, TabName>) {
  const { api, agentId, back } = props
  const t = useText()
  const reading = useAgent(api, agentId)
  if (reading.data !== undefined) return <Drafted key={agentId} {...props} newest={reading.data} />
  return (
    <Page title={t(AGENT_WORDS[api.kind].one)} above={back}>
      <Reading of={reading} lines={8}>
        {() => null}
      </Reading>
    </Page>
  )
}

/** Holds the edits of the agent; those of its configuration come with the configuration. */
function Drafted<Value extends AnyAgent, TabName extends string>({
  newest,
  ...props
}: AgentEditorProps<Value, TabName> & { readonly newest: Answer<Value> }) {
  const agent = useDraft<Value>(`agent.${props.agentId}`, newest)
  const llmId = llmIdOf(agent.value.response_engine)
  return <WithLlm key={llmId} {...props} agent={agent} llmId={llmId} />
}

function WithLlm<Value extends AnyAgent, TabName extends string>({
  llmId,
  ...props
}: AgentEditorProps<Value, TabName> & { readonly agent: Draft<Value>; readonly llmId: string | null }) {
  const { data, error, refetch } = useNewestLlm(llmId)
  const snapshot = useMemo(() => (data === undefined ? null : snapshotOf(data)), [data])
  if (llmId !== null && snapshot === null && error === null) {
    return (
      <Page title={props.agent.value.agent_name} above={props.back}>
        <Skeleton lines={8} />
      </Page>
    )
  }
  const llmProblem = error && snapshot === null && <ProblemPanel problem={error} onRetry={() => void refetch()} />
  // A configuration that arrives after a failure brings its own edits: the page is begun anew with it.
  return (
    <AgentEditorPage
      key={snapshot === null ? 'without' : 'with'}
      {...props}
      newestLlm={snapshot}
      llmProblem={llmProblem}
    />
  )
}

const snapshotOf = ({ value, etag }: Answer<Llm>) => ({ value, etag })
