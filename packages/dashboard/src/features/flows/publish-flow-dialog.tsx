import { useWrite } from '../../lib/api/hooks.ts'
import { type PublishAsked, PublishNewest } from '../../parts/versions/publish-newest.tsx'

/** Publishes a version of a flow. */
export function PublishFlowDialog({ flowId, ...asked }: PublishAsked & { readonly flowId: string }) {
  const write = useWrite('publishConversationFlow', {
    refreshes: ['getConversationFlow', 'listConversationFlows', 'listConversationFlowVersions'],
  })
  const path = { conversationFlowId: flowId }
  return (
    <PublishNewest
      {...asked}
      publish={async (body) => (await write.mutateAsync({ path, body })).value.version}
      isBusy={write.isPending}
      problem={write.error}
    />
  )
}
