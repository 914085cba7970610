import { useParams } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { useAnswer } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { BackToLlms } from './back-to-llms.tsx'
import { LlmEditor } from './llm-editor.tsx'

/** One LLM configuration, to be looked at and edited. */
export function LlmScreen() {
  const t = useText()
  const { llmId = '' } = useParams({ strict: false })
  const llm = useAnswer('getLlm', { path: { llmId } })
  if (llm.data !== undefined) return <LlmEditor key={llmId} llmId={llmId} answer={llm.data} />
  return (
    <Page title={t('LLM configuration')} above={<BackToLlms />}>
      <Reading of={llm} lines={8}>
        {() => null}
      </Reading>
    </Page>
  )
}
