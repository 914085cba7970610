import { useWrite } from '../../lib/api/hooks.ts'
import { type PublishAsked, PublishNewest } from '../../parts/versions/publish-newest.tsx'

/** Publishes a version of an LLM configuration. */
export function PublishLlmDialog({ llmId, ...asked }: PublishAsked & { readonly llmId: string }) {
  const write = useWrite('publishLlm', { refreshes: ['getLlm', 'listLlms', 'listLlmVersions'] })
  return (
    <PublishNewest
      {...asked}
      publish={async (body) => (await write.mutateAsync({ path: { llmId }, body })).value.version}
      isBusy={write.isPending}
      problem={write.error}
    />
  )
}
