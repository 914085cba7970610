import type { ConversationFlow } from '@parley/contract/conversation-flow'
import { useNavigate } from '@tanstack/react-router'
import { complain, tell } from '../../components/toasts.tsx'
import { inWorkspace, useWrite } from '../../lib/api/hooks.ts'
import { request } from '../../lib/api/request.ts'
import { keepFile } from '../../lib/keep-file.ts'
import { useText } from '../../lib/language.ts'
import { useWorkspaceId } from '../../lib/workspace.ts'
import { documentOf, type FlowField, printDocument } from './flow-document.ts'

const MAX_NAME = 200

export interface FlowCopies {
  /** Copies the newest version and opens the copy. */
  duplicate(flowId: string): Promise<void>
  /** Downloads the newest version as JSON. */
  exportFile(flowId: string): Promise<void>
}

export function useFlowCopies(): FlowCopies {
  const t = useText()
  const navigate = useNavigate()
  const workspaceId = useWorkspaceId()
  const create = useWrite('createConversationFlow', { refreshes: ['listConversationFlows'] })
  const readDocument = async (conversationFlowId: string): Promise<Pick<ConversationFlow, FlowField>> => {
    const parts = inWorkspace('getConversationFlow', { path: { conversationFlowId } }, workspaceId)
    return documentOf((await request('getConversationFlow', parts)).value)
  }
  return {
    async duplicate(flowId) {
      try {
        const document = await readDocument(flowId)
        const { display_name: name } = document
        const copied = name.trim() === '' ? '' : t('{name} (copy)', { name }).slice(0, MAX_NAME)
        const { value } = await create.mutateAsync({
          body: { ...document, display_name: copied, secrets_from: flowId },
        })
        tell(t('Flow duplicated'))
        await navigate({
          to: '/$workspaceId/flows/$flowId',
          params: { workspaceId, flowId: value.conversation_flow_id },
        })
      } catch (error) {
        complain(messageOf(error))
      }
    },
    async exportFile(flowId) {
      try {
        keepFile(`${flowId}.json`, printDocument(await readDocument(flowId)), 'application/json')
      } catch (error) {
        complain(messageOf(error))
      }
    },
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
