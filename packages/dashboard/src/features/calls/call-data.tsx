import { Panel } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import type { FreeObject } from '../../parts/transcript/free-object.ts'
import { ObjectPanel } from '../../parts/transcript/object-panel.tsx'
import { ValueList } from '../../parts/transcript/value-list.tsx'
import type { ShownCall } from './call-state.ts'

/** Variables and data of one's own that a call carries. */
export function CallData({ call }: { readonly call: ShownCall }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateCall', { refreshes: ['getCall'] })
  const save = (field: 'metadata' | 'customAttributes' | 'overrideDynamicVariables') =>
    may('updateCall')
      ? async (value: FreeObject): Promise<void> => {
          await update.mutateAsync({ path: { callId: call.callId }, body: { [field]: value } })
          tell(t('The call is changed.'))
        }
      : undefined
  return (
    <>
      <Panel title={t('Variables')} description={t('Given at the beginning, and collected during the call.')}>
        <ValueList value={{ ...call.service_dynamic_variables, ...call.collectedDynamicVariables }} />
      </Panel>
      <ObjectPanel
        title={t('Variables set from outside')}
        description={t('They win over all others, in a live call from its next turn on.')}
        name="overrideDynamicVariables"
        kind="texts"
        value={call.overrideDynamicVariables}
        onSave={save('overrideDynamicVariables')}
      />
      <ObjectPanel
        title={t('Metadata')}
        description={t('Data of your own; tools and webhooks get it.')}
        name="metadata"
        kind="json"
        value={call.metadata}
        onSave={save('metadata')}
      />
      <ObjectPanel
        title={t('Custom attributes')}
        description={t('More data of your own.')}
        name="customAttributes"
        kind="json"
        value={call.customAttributes}
        onSave={save('customAttributes')}
      />
    </>
  )
}
