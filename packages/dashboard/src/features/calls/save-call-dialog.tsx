import { useRead } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { NO_ENGINE } from '../../parts/test-case/engine.ts'
import { testedEngine } from '../../parts/test-case/from-conversation.ts'
import { SaveTestCaseDialog } from '../../parts/test-case/save-test-case-dialog.tsx'
import type { ShownCall } from './call-state.ts'

/** Makes a test case of a call, for the engine that its agent had. */
export function SaveCallDialog({
  call,
  said,
  onClose,
}: {
  readonly call: ShownCall
  readonly said: readonly string[]
  readonly onClose: () => void
}) {
  const t = useText()
  const { callId, agentId, agentVersion, service_dynamic_variables: given, overrideDynamicVariables: set } = call
  const agent = useRead('getAgent', { path: { agentId }, query: { version: String(agentVersion) } })
  // Where the agent is gone its engine is not known, and another one is chosen.
  if (agent.isPending) return null
  return (
    <SaveTestCaseDialog
      said={said}
      variables={{ ...given, ...set }}
      engine={agent.data === undefined ? NO_ENGINE : testedEngine(agent.data.response_engine)}
      description={t('Made of the call {id}.', { id: callId })}
      onClose={onClose}
    />
  )
}
