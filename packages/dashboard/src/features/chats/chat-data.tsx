import { tell } from '../../components/toasts.tsx'
import { useWrite } from '../../lib/api/hooks.ts'
import type { Parts, ValueOf } from '../../lib/api/request.ts'
import { useText } from '../../lib/language.ts'
import { useMay } from '../../lib/session/rights.ts'
import { ConversationData } from '../../parts/transcript/conversation-data.tsx'
import type { FreeObject } from '../../parts/transcript/free-object.ts'

type OwnField = keyof Pick<Parts<'updateChat'>['body'], 'metadata' | 'custom_attributes' | 'override_dynamic_variables'>

/** Variables and data of one's own that a chat carries. */
export function ChatData({ chat }: { readonly chat: ValueOf<'getChat'> }) {
  const t = useText()
  const may = useMay()
  const update = useWrite('updateChat', { refreshes: ['getChat', 'listChats'] })
  async function save(name: OwnField, value: FreeObject): Promise<void> {
    await update.mutateAsync({ path: { chatId: chat.chatId }, body: { [name]: value } })
    tell(t('The chat is changed.'))
  }
  return (
    <ConversationData
      variables={{ ...chat.service_dynamic_variables, ...chat.collectedDynamicVariables }}
      variablesHelp={t('Given at the beginning, and collected during the chat.')}
      overrides={['override_dynamic_variables', chat.overrideDynamicVariables]}
      overridesHelp={t('They win over all others, from the next turn on.')}
      metadata={['metadata', chat.metadata]}
      attributes={['custom_attributes', chat.customAttributes]}
      onSave={may('updateChat') ? save : undefined}
    />
  )
}
