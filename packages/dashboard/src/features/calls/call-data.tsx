import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { Parts } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { ConversationData } from '../../parts/transcript/conversation-data.tsx'
import type { FreeObject } from '../../parts/transcript/free-object.ts'
import type { ShownCall } from './call-state.ts'

type OwnField = keyof Pick<Parts<'updateCall'>['body'], 'metadata' | 'customAttributes' | 'overrideDynamicVariables'>

/** Variables and data of one's own that a call carries. */
export function CallData({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateCall', { refreshes: ['getCall'] })
  async function save(name: OwnField, value: FreeObject): Promise<void> {
    await update.mutateAsync({ path: { callId: call.callId }, body: { [name]: value } })
    tell(t('The call is changed.'))
  }
  return (
    <ConversationData
      variables={{ ...call.service_dynamic_variables, ...call.collectedDynamicVariables }}
      variablesHelp={t('Given at the beginning, and collected during the call.')}
      overrides={['overrideDynamicVariables', call.overrideDynamicVariables]}
      overridesHelp={t('They win over all others, in a live call from its next turn on.')}
      metadata={['metadata', call.metadata]}
      attributes={['customAttributes', call.customAttributes]}
      onSave={may('updateCall') ? save : undefined}
    />
  )
}
