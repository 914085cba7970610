import { useParams } from '@tanstack/react-router'
import { Page } from '../../components/page.tsx'
import { Reading } from '../../components/states.tsx'
import { useAnswer } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { BackToFlows } from './back-to-flows.tsx'
import { FlowEditor } from './flow-editor.tsx'

/** One conversation flow, to be looked at and edited. */
export function FlowScreen() {
  const t = useText()
  const { flowId = '' } = useParams({ strict: false })
  const flow = useAnswer('getConversationFlow', { path: { conversationFlowId: flowId } })
  const { data } = flow
  if (data !== undefined) return <FlowEditor key={flowId} flowId={flowId} answer={data} />
  return (
    <Page title={t('Conversation flow')} above={<BackToFlows />}>
      <Reading of={flow} lines={8}>
        {() => null}
      </Reading>
    </Page>
  )
}
