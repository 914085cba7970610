import { Panel } from '../../components/page.tsx'
import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { ValueOf } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import type { FreeObject } from '../../parts/transcript/free-object.ts'
import { ObjectPanel } from '../../parts/transcript/object-panel.tsx'
import { ValueList } from '../../parts/transcript/value-list.tsx'

/** Variables and data of one's own that a chat carries. */
export function ChatData({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateChat', { refreshes: ['getChat', 'listChats'] })
  const save = (field: 'metadata' | 'custom_attributes' | 'override_dynamic_variables') =>
    may('updateChat')
      ? async (value: FreeObject): Promise<void> => {
          await update.mutateAsync({ path: { chatId: chat.chatId }, body: { [field]: value } })
          tell(t('The chat is changed.'))
        }
      : undefined
  return (
    <>
      <Panel title={t('Variables')} description={t('Given at the beginning, and collected during the chat.')}>
        <ValueList value={{ ...chat.service_dynamic_variables, ...chat.collectedDynamicVariables }} />
      </Panel>
      <ObjectPanel
        title={t('Variables set from outside')}
        description={t('They win over all others, from the next turn on.')}
        name="override_dynamic_variables"
        kind="texts"
        value={chat.overrideDynamicVariables}
        onSave={save('override_dynamic_variables')}
      />
      <ObjectPanel
        title={t('Metadata')}
        description={t('Data of your own; tools and webhooks get it.')}
        name="metadata"
        kind="json"
        value={chat.metadata}
        onSave={save('metadata')}
      />
      <ObjectPanel
        title={t('Custom attributes')}
        description={t('More data of your own.')}
        name="custom_attributes"
        kind="json"
        value={chat.customAttributes}
        onSave={save('custom_attributes')}
      />
    </>
  )
}
